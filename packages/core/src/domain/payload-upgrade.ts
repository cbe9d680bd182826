import { assertArguments, assertKnownOptions, object, callback } from '@queue/loop/arguments'
import type { z } from 'zod'
import { InvalidInput } from './errors.ts'
import type { JsonValue } from './json.ts'
import { parseNow, plainPath, schemaRule } from './payload.ts'
import { sensitiveSchema } from './sensitive.ts'

/** How a payload of an older version becomes one of the newest. Made by `upgradeFrom`. */
export interface UpgradeStep<Newest = unknown> {
  /** The schema of the older version. */
  readonly payload: z.ZodType
  readonly to: (older: never) => Newest
  /** The sensitive parts of the older payload, as in `defineJob`. */
  readonly sensitive?: readonly string[] | undefined
}

/**
 * A step of `upgrade`: the schema of an older version, and a function from its payloads to those of the newest version.
 * The step runs when the job does. The newest schema then checks its result. `sensitive` declares the sensitive parts
 * of the older payload. Default: the whole payload is.
 */
export function upgradeFrom<Older extends z.ZodType, Newest>(
  payload: Older,
  to: (older: z.output<Older>) => Newest,
  options: { readonly sensitive?: readonly string[] } = {},
): UpgradeStep<Newest> {
  assertArguments('upgradeFrom', { payload: schemaRule, to: callback, options: object }, [
    payload,
    to,
    options,
  ])
  assertKnownOptions('upgradeFrom', options, { sensitive: true })
  const parsed = sensitiveSchema.optional().safeParse(options.sensitive)
  if (parsed.success) return { payload, to, sensitive: parsed.data }
  throw new InvalidInput(
    'invalid_options',
    parsed.error.issues.map(({ path, message }) => ({ path: ['sensitive', ...plainPath(path)], message })),
  )
}

/** The versions of a definition. */
export interface VersionedPayload<Payload extends z.ZodType = z.ZodType> {
  readonly version: number
  readonly payload: Payload
  readonly upgrade: Readonly<Record<number, UpgradeStep>>
}

/** What a definition declares as sensitive: for its own version, and in the steps for older ones. */
export interface SensitiveVersions extends Pick<VersionedPayload, 'version' | 'upgrade'> {
  /**
   * JSON pointers to the sensitive parts of the payload; null: the definition does not say, and the whole payload
   * counts as sensitive.
   */
  readonly sensitive: readonly string[] | null
}

/** The versions that a definition knows, newest first. */
export function versionsOf({ version, upgrade }: VersionedPayload): number[] {
  return [
    version,
    ...Object.keys(upgrade)
      .map(Number)
      .toSorted((a, b) => b - a),
  ]
}

/** The schema of a version; undefined where the definition does not know the version. */
export function schemaOf(
  { version, payload, upgrade }: VersionedPayload,
  requestedVersion: number,
): z.ZodType | undefined {
  return requestedVersion === version ? payload : upgrade[requestedVersion]?.payload
}

/** The sensitive parts that the definition declares for a version; null: it does not. */
export function sensitiveOf(
  { version, sensitive, upgrade }: SensitiveVersions,
  requestedVersion: number,
): readonly string[] | null {
  return requestedVersion === version ? sensitive : (upgrade[requestedVersion]?.sensitive ?? null)
}

export type ParsedPayload<Payload extends z.ZodType> =
  | { readonly success: true; readonly data: z.output<Payload> }
  | { readonly success: false; readonly error: z.ZodError }

/**
 * The stored payload of a job as its handler receives it: parsed by the schema of the payload's version and upgraded to
 * the newest. Undefined where the definition does not know the version. Throws whatever the upgrade step throws.
 */
export function parsePayload<Payload extends z.ZodType>(
  definition: VersionedPayload<Payload>,
  stored: { readonly payload: JsonValue; readonly kindVersion: number },
): ParsedPayload<Payload> | undefined {
  if (stored.kindVersion === definition.version) return parseNow(definition.payload, stored.payload)
  const step = definition.upgrade[stored.kindVersion]
  if (step === undefined) return undefined
  const older = parseNow(step.payload, stored.payload)
  if (!older.success) return older
  const upgrade = step.to as (older: unknown) => unknown
  return parseNow(definition.payload, upgrade(older.data))
}
