import type { JobDefinition } from '@queue/core'
import { failureOf } from '../../failure.ts'

/**
 * The definition of a built-in kind. Without the API, the command line knows no other kinds. `parent` is the place of what names
 * the kind.
 */
export async function builtInKind(kind: string, parent = ''): Promise<JobDefinition> {
  const { builtInJobs } = await import('@queue/core')
  const definitions: readonly JobDefinition[] = builtInJobs
  const definition = definitions.find((one) => one.kind === kind)
  if (definition !== undefined) return definition
  const message = `is not a known kind; known: ${definitions.map((one) => one.kind).join(', ')}`
  throw failureOf({
    error: 'unknown_kind',
    detail: `${parent}/kind: ${message}`,
    issues: [{ path: `${parent}/kind`, message }],
  })
}
