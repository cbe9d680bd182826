import type { JobDefinition } from '../domain/job-definition.ts'
import { checkPayload } from '../domain/payload.ts'
import { schemaOf } from '../domain/payload-upgrade.ts'
import type { Schedule } from './schedule-row.ts'

/** The kinds that this process knows, by name. */
export type KnownKinds = ReadonlyMap<string, Pick<JobDefinition, 'payload' | 'version' | 'upgrade'>>

/**
 * Why a schedule can no longer enqueue jobs of its kind; undefined where it can. Only here is a stored schedule checked
 * against a retired kind, or its payload against the schema. Kinds that this process does not know are left to other
 * workers.
 */
export function kindFault(
  { kinds, isRetired }: { readonly kinds: KnownKinds; readonly isRetired: boolean },
  { kind, kindVersion, payload }: Schedule,
): string | undefined {
  if (isRetired) return `the kind ${kind} (version ${kindVersion}) is retired`
  const definition = kinds.get(kind)
  if (definition === undefined) return undefined
  const schema = schemaOf(definition, kindVersion)
  // A version that this process does not know is left to other workers, too.
  if (schema === undefined) return undefined
  const checked = checkPayload(schema, payload)
  if (!('issues' in checked)) return undefined
  const issues = checked.issues.map(({ path, message }) => `${path.join('.')}: ${message}`)
  return `the kind ${kind} refuses its payload: ${issues.join('; ')}`
}
