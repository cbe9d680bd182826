import { z } from 'zod'
import { retryBaseMsMax, retryBaseMsMin, retryCapMsMax, snoozeMsMax } from './limits.ts'

const base = z.int().min(retryBaseMsMin).max(retryBaseMsMax)
const cap = z.int().min(retryBaseMsMin).max(retryCapMsMax)
const jitter = z.enum(['full', 'none', 'proportional']).default('full')
const bounds = {
  decorrelated: { base: base.default(1_000), cap: cap.default(60_000) },
  exponential: { base: base.optional(), cap: cap.default(300_000) },
}
const exponentialBaseMs = { full: 1_000, none: 1_000, proportional: 5_000 } as const

/** Random waits, so that jobs that failed together are not retried together. The default. */
export interface DecorrelatedRetry {
  /** Waits of a random length from a range that grows with each attempt. */
  readonly type: 'decorrelated'
  /** The shortest wait, in milliseconds. Default 1 000. */
  readonly baseMs?: number | undefined
  /** The longest wait, in milliseconds. Default 60 000. */
  readonly capMs?: number | undefined
}

/** Waits that double with each attempt. */
export interface ExponentialRetry {
  /** Waits that double with each attempt, up to a ceiling. */
  readonly type: 'exponential'
  /**
   * Which part of the wait is random: `full`, all of it; `none`, nothing; `proportional`, up to a quarter more or less.
   * Default `full`.
   */
  readonly jitter?: 'full' | 'none' | 'proportional' | undefined
  /** The wait after the first attempt, in milliseconds. Default 1 000; with jitter `proportional` 5 000. */
  readonly baseMs?: number | undefined
  /** The longest wait, in milliseconds. Default 300 000. */
  readonly capMs?: number | undefined
}

/** The same wait after each attempt. */
export interface FixedRetry {
  /** Waits of one length. */
  readonly type: 'fixed'
  /** The wait, in milliseconds. */
  readonly baseMs: number
}

/** How long a job waits before its next attempt. Absent members take the policy's defaults. */
export type RetryPolicyInput = DecorrelatedRetry | ExponentialRetry | FixedRetry

type Complete<Policy> = { readonly [Name in keyof Policy]-?: Exclude<Policy[Name], undefined> }

/** A retry policy with all defaults filled in. */
export type RetryPolicy = Complete<DecorrelatedRetry> | Complete<ExponentialRetry> | FixedRetry

/** A retry policy in the names of the wire and the database. */
type WireRetryPolicy =
  | { readonly type: 'decorrelated'; readonly base_ms: number; readonly cap_ms: number }
  | {
      readonly type: 'exponential'
      readonly jitter: 'full' | 'none' | 'proportional'
      readonly base_ms?: number | undefined
      readonly cap_ms: number
    }
  | { readonly type: 'fixed'; readonly base_ms: number }

// The type that zod infers of a union has changed between minor versions. A type of our own reads the same with each.
/** How long a job waits before its next attempt. Absent members take the policy's defaults. */
export const retryPolicySchema: z.ZodType<RetryPolicy, RetryPolicyInput> = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('decorrelated'),
      baseMs: bounds.decorrelated.base,
      capMs: bounds.decorrelated.cap,
    }),
    z.strictObject({
      type: z.literal('exponential'),
      jitter,
      baseMs: bounds.exponential.base,
      capMs: bounds.exponential.cap,
    }),
    z.strictObject({ type: z.literal('fixed'), baseMs: base }),
  ])
  .transform((policy) =>
    policy.type === 'exponential'
      ? { ...policy, baseMs: policy.baseMs ?? exponentialBaseMs[policy.jitter] }
      : policy,
  )
  .refine((policy) => policy.type === 'fixed' || policy.capMs >= policy.baseMs, {
    path: ['capMs'],
    message: 'must not be below baseMs',
  })

/** The same policy as the wire and the database write it, in snake_case. */
export const retryPolicyWireSchema: z.ZodType<WireRetryPolicy> = z
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

/** `policy` with the member names of the wire and the database. */
export function encodeRetryPolicy(policy: RetryPolicy): Record<string, string | number> {
  const { baseMs, ...rest } = policy
  if (!('capMs' in rest)) return { ...rest, base_ms: baseMs }
  const { capMs, ...named } = rest
  return { ...named, base_ms: baseMs, cap_ms: capMs }
}

/** The policy that `wire` describes, with its defaults filled in; null when it describes none. Never throws. */
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

/**
 * A wait from a handler as a number of milliseconds that can be added to now(). A NaN or negative wait counts as none,
 * and one that is too long as the longest: a single odd wait must not fail a statement that also writes other jobs.
 */
export function boundedWaitMs(ms: number): number {
  return ms > 0 ? Math.min(ms, snoozeMsMax) : 0
}
