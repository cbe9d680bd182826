import { z } from 'zod'
import { retryBaseMsMax, retryBaseMsMin, retryCapMsMax } from './limits.ts'

const base = z.int().min(retryBaseMsMin).max(retryBaseMsMax)
const cap = z.int().min(retryBaseMsMin).max(retryCapMsMax)
const jitter = z.enum(['full', 'none', 'proportional']).default('full')
const bounds = {
  decorrelated: { base: base.default(1_000), cap: cap.default(60_000) },
  exponential: { base: base.optional(), cap: cap.default(300_000) },
}
const exponentialBaseMs = { full: 1_000, none: 1_000, proportional: 5_000 } as const

/** How long a job waits before its next attempt. Absent members take the policy's defaults. */
export const retryPolicySchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('decorrelated'),
      baseMs: bounds.decorrelated.base,
      capMs: bounds.decorrelated.cap,
    }),
    z
      .strictObject({
        type: z.literal('exponential'),
        jitter,
        baseMs: bounds.exponential.base,
        capMs: bounds.exponential.cap,
      })
      .transform((policy) => ({ ...policy, baseMs: policy.baseMs ?? exponentialBaseMs[policy.jitter] })),
    z.strictObject({ type: z.literal('fixed'), baseMs: base }),
  ])
  .refine((policy) => policy.type === 'fixed' || policy.capMs >= policy.baseMs, {
    path: ['capMs'],
    message: 'must not be below baseMs',
  })

/** The same policy as the wire and the database write it, in snake_case. */
export const retryPolicyWireSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('decorrelated'),
      base_ms: bounds.decorrelated.base,
      cap_ms: bounds.decorrelated.cap,
    }),
    z.strictObject({
      type: z.literal('exponential'),
      jitter,
      base_ms: bounds.exponential.base,
      cap_ms: bounds.exponential.cap,
    }),
    z.strictObject({ type: z.literal('fixed'), base_ms: base }),
  ])
  .refine(
    (policy) =>
      policy.type === 'fixed' ||
      policy.cap_ms >=
        (policy.type === 'exponential'
          ? (policy.base_ms ?? exponentialBaseMs[policy.jitter])
          : policy.base_ms),
    { path: ['cap_ms'], message: 'must not be below base_ms' },
  )

export type RetryPolicy = z.output<typeof retryPolicySchema>
export type RetryPolicyInput = z.input<typeof retryPolicySchema>

export const defaultRetryPolicy: RetryPolicy = retryPolicySchema.parse({ type: 'decorrelated' })

/** A uniform draw from [0, 1). */
export type Random = () => number

/**
 * The wait in whole milliseconds after attempt `attempt` (1-based; anything below 1 counts as 1) has failed.
 *
 * - `decorrelated`: uniform in [base, min(cap, base·3^n)], the stateless form of the decorrelated jitter that the
 *   AWS Architecture Blog describes in "Exponential Backoff And Jitter".
 * - `exponential`: c = min(cap, base·2^(n−1)); jitter `full` draws from [0, c], `none` waits c, `proportional`
 *   waits c·(1 ± up to 25 %), never above the cap.
 * - `fixed`: base.
 *
 * Safe for any n: a power beyond a double's range is Infinity, which the cap then bounds.
 */
export function retryDelayMs(attempt: number, policy: RetryPolicy, random: Random): number {
  const n = attempt >= 1 ? attempt : 1
  switch (policy.type) {
    case 'fixed':
      return policy.baseMs
    case 'decorrelated':
      return uniform(policy.baseMs, Math.min(policy.capMs, policy.baseMs * 3 ** n), random)
    case 'exponential': {
      const ceiling = Math.min(policy.capMs, policy.baseMs * 2 ** (n - 1))
      return jittered(ceiling, policy, random)
    }
  }
}

function jittered(
  ceiling: number,
  policy: Extract<RetryPolicy, { type: 'exponential' }>,
  random: Random,
): number {
  switch (policy.jitter) {
    case 'none':
      return ceiling
    case 'full':
      return uniform(0, ceiling, random)
    case 'proportional':
      return Math.min(policy.capMs, uniform(ceiling * 0.75, ceiling * 1.25, random))
  }
}

/** A whole number drawn uniformly from [low, high], both ends possible. */
function uniform(low: number, high: number, random: Random): number {
  return Math.min(
    Math.floor(high),
    Math.ceil(low) + Math.floor(random() * (Math.floor(high) - Math.ceil(low) + 1)),
  )
}

/** `policy` with its members named as the wire and the database name them. */
export function encodeRetryPolicy(policy: RetryPolicy): Record<string, string | number> {
  const { baseMs, ...rest } = policy
  if (!('capMs' in rest)) return { ...rest, base_ms: baseMs }
  const { capMs, ...named } = rest
  return { ...named, base_ms: baseMs, cap_ms: capMs }
}

/** The policy that `wire` describes, its defaults filled in; null when it does not describe one. Never throws. */
export function decodeRetryPolicy(wire: unknown): RetryPolicy | null {
  const parsed = retryPolicyWireSchema.safeParse(wire)
  if (!parsed.success) return null
  const { type, base_ms: baseMs, ...rest } = parsed.data
  const { cap_ms: capMs, ...named } = { cap_ms: undefined, ...rest }
  const policy = retryPolicySchema.safeParse({
    type,
    ...named,
    ...(baseMs === undefined ? {} : { baseMs }),
    ...(capMs === undefined ? {} : { capMs }),
  })
  return policy.success ? policy.data : null
}
