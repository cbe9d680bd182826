// One job for a key: what an enqueue may ask for, and what is wrong with it.
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
 * What becomes of a request whose key is held. `return`: the holder is the answer. `refuse`: an error. `replace`: the
 * waiting holder gets the payload and the options of the request. `reschedule`: the waiting holder gets its start.
 */
export const conflictPolicies = ['return', 'refuse', 'replace', 'reschedule'] as const
export type ConflictPolicy = (typeof conflictPolicies)[number]

/** The fields, each written once: options, request bodies and OpenAPI are made of them. */
export const uniqueFields = {
  key: z.string().min(1).max(uniqueKeyLengthMax).refine(isStorable, 'contains U+0000 or a lone surrogate'),
  scope: z.enum(uniqueScopes),
  windowMs: z.int().min(1).max(retentionMsMax),
  maxWaitMs: z.int().min(1).max(delayMsMax),
  onConflict: z.enum(conflictPolicies),
} as const

/** That a job shall be the only one of its kind and tenant under a key. */
export interface UniqueOptions {
  /** 1 to 255 characters. */
  readonly key: string
  /** How long the job holds the key: until it is claimed, until it has ended, or for a time. */
  readonly scope: UniqueScope
  /** Milliseconds from the enqueue for which the key is held; with the scope `window`, and there alone. */
  readonly windowMs?: number | undefined
  /** With `reschedule`: no start is moved beyond so many milliseconds after the enqueue of the holder. */
  readonly maxWaitMs?: number | undefined
  /** Default `return`. `replace` and `reschedule` need the scope `waiting`. */
  readonly onConflict?: ConflictPolicy | undefined
}

/** The same, complete. */
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

/** What is wrong with options whose members are each right by themselves. */
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
      ? [{ field: 'windowMs', message: 'is for the scope window alone' } as const]
      : []),
    ...(changesHolder && scope !== 'waiting'
      ? [{ field: 'onConflict', message: `${onConflict} needs the scope waiting` } as const]
      : []),
    ...(maxWaitMs !== undefined && onConflict !== 'reschedule'
      ? [{ field: 'maxWaitMs', message: 'is for reschedule alone' } as const]
      : []),
  ]
}

/** The options with what they leave out. */
export function completeUnique(unique: UniqueOptions | undefined): Unique | null {
  if (unique === undefined) return null
  const { key, scope, windowMs = null, maxWaitMs = null, onConflict = 'return' } = unique
  return { key, scope, windowMs, maxWaitMs, onConflict }
}
