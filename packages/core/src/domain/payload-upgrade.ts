import type { z } from 'zod'
import type { JsonValue } from './json.ts'

/** How a job of an older version becomes one of the newest: `upgradeFrom` makes one. */
export interface UpgradeStep<Newest = unknown> {
  /** The schema of the older version. */
  readonly payload: z.ZodType
  readonly to: (older: never) => Newest
}

/**
 * A step of `upgrade`: the schema of an older version, and what makes a payload of the newest of one of its. It runs
 * when the job does; what it gives is checked by the newest schema.
 */
export function upgradeFrom<Older extends z.ZodType, Newest>(
  payload: Older,
  to: (older: z.output<Older>) => Newest,
): UpgradeStep<Newest> {
  return { payload, to }
}

/** What a definition says of its versions. */
export interface VersionedPayload<Payload extends z.ZodType = z.ZodType> {
  readonly version: number
  readonly payload: Payload
  readonly upgrade: Readonly<Record<number, UpgradeStep>>
}

/** The versions that a definition knows, the newest first. */
export function versionsOf({ version, upgrade }: VersionedPayload): number[] {
  return [
    version,
    ...Object.keys(upgrade)
      .map(Number)
      .toSorted((a, b) => b - a),
  ]
}

/** The schema of a version; undefined for one that the definition does not know. */
export function schemaOf(
  { version, payload, upgrade }: VersionedPayload,
  wanted: number,
): z.ZodType | undefined {
  return wanted === version ? payload : upgrade[wanted]?.payload
}

export type ParsedPayload<Payload extends z.ZodType> =
  | { readonly success: true; readonly data: z.output<Payload> }
  | { readonly success: false; readonly error: z.ZodError }

/**
 * The stored payload of a job as the handler of its definition takes it: parsed by the schema of its own version, and
 * brought to the newest. Undefined where the definition does not know the version. Throws what the step throws.
 */
export function parsePayload<Payload extends z.ZodType>(
  definition: VersionedPayload<Payload>,
  stored: { readonly payload: JsonValue; readonly kindVersion: number },
): ParsedPayload<Payload> | undefined {
  if (stored.kindVersion === definition.version) return definition.payload.safeParse(stored.payload)
  const step = definition.upgrade[stored.kindVersion]
  if (step === undefined) return undefined
  const older = step.payload.safeParse(stored.payload)
  if (!older.success) return older
  const upgrade = step.to as (older: unknown) => unknown
  return definition.payload.safeParse(upgrade(older.data))
}
