// The options of unique jobs, and the check of their combinations.
import { z } from 'zod'
import { delayMsMax, retentionMsMax, uniqueKeyLengthMax } from './limits.ts'
import { isStorable } from './storable.ts'

/**
 * How long a job holds its key. `waiting`: until it is first claimed, or ends before that. `live`: until it has ended.
 * `window`: for `windowMs` from its enqueue, whatever becomes of it.
 */
export const uniqueScopes = ['waiting', 'live', 'window'] as const
export type UniqueScope = (typeof uniqueScopes)[number]

/**
 * What happens to a request whose key another job holds. `return`: the holder is returned. `refuse`: an error is
 * thrown. `replace`: the waiting holder takes over the payload and options of the request. `reschedule`: the waiting
 * holder takes over its start.
 */
export const conflictPolicies = ['return', 'refuse', 'replace', 'reschedule'] as const
export type ConflictPolicy = (typeof conflictPolicies)[number]

/** The fields, each written once. Options, request bodies and OpenAPI are derived from them. */
export const uniqueFields = {
  key: z.string().min(1).max(uniqueKeyLengthMax).refine(isStorable, 'contains U+0000 or a lone surrogate'),
  scope: z.enum(uniqueScopes),
  windowMs: z.int().min(1).max(retentionMsMax),
  maxWaitMs: z.int().min(1).max(delayMsMax),
  onConflict: z.enum(conflictPolicies),
} as const

/** Makes a job the only one of its kind and tenant under a key. */
export interface UniqueOptions {
  /** 1 to 255 characters. */
  readonly key: string
  /** How long the job holds the key: until it is claimed, until it has ended, or for a time. */
  readonly scope: UniqueScope
  /** Milliseconds from the enqueue for which the key is held. Required with the scope `window`, and invalid with the others. */
  readonly windowMs?: number | undefined
  /** With `reschedule`: the holder's start is never moved beyond this many milliseconds after its enqueue. */
  readonly maxWaitMs?: number | undefined
  /** Default `return`. `replace` and `reschedule` need the scope `waiting`. */
  readonly onConflict?: ConflictPolicy | undefined
}

/** The options of a unique job, with defaults filled in. */
export interface Unique {
  readonly key: string
  readonly scope: UniqueScope
  readonly windowMs: number | null
  readonly maxWaitMs: number | null
  readonly onConflict: ConflictPolicy
}

/** The options as a caller of the library writes them. */
export const uniqueSchema = z
  .strictObject({
    key: uniqueFields.key,
    scope: uniqueFields.scope,
    windowMs: uniqueFields.windowMs.optional(),
    maxWaitMs: uniqueFields.maxWaitMs.optional(),
    onConflict: uniqueFields.onConflict.optional(),
  })
  .superRefine((unique, context) => {
    for (const { field, message } of uniqueFaults(unique)) {
      context.addIssue({ code: 'custom', path: [field], message })
    }
  })

/** The faults of options whose members are valid by themselves. */
export function uniqueFaults(unique: UniqueOptions): {
  readonly field: 'windowMs' | 'maxWaitMs' | 'onConflict'
  readonly message: string
}[] {
  const { scope, windowMs, maxWaitMs, onConflict = 'return' } = unique
  const changesHolder = onConflict === 'replace' || onConflict === 'reschedule'
  return [
    ...(scope === 'window' && windowMs === undefined
      ? [{ field: 'windowMs', message: 'is required with the scope window' } as const]
      : []),
    ...(scope !== 'window' && windowMs !== undefined
      ? [{ field: 'windowMs', message: 'is only for the scope window' } as const]
      : []),
    ...(changesHolder && scope !== 'waiting'
      ? [{ field: 'onConflict', message: `${onConflict} needs the scope waiting` } as const]
      : []),
    ...(maxWaitMs !== undefined && onConflict !== 'reschedule'
      ? [{ field: 'maxWaitMs', message: 'is only for reschedule' } as const]
      : []),
  ]
}

/** The options with defaults filled in; null where there are none. */
export function completeUnique(unique: UniqueOptions | undefined): Unique | null {
  if (unique === undefined) return null
  const { key, scope, windowMs = null, maxWaitMs = null, onConflict = 'return' } = unique
  return { key, scope, windowMs, maxWaitMs, onConflict }
}
