// The defaults that a kind has for its jobs: in a definition, and as they are registered.
import { z } from 'zod'
import { jobFields, queueDefault } from './job.ts'
import { jobWeightDefault, maxAttemptsDefault, priorityDefault } from './limits.ts'
import { decodeRetryPolicy, encodeRetryPolicy, type RetryPolicy, retryPolicyWireSchema } from './retry.ts'

/** The values that a kind's jobs have where their options do not set them. */
export interface JobDefaults {
  readonly queue: string
  readonly priority: number
  readonly maxAttempts: number
  readonly timeoutMs: number | null
  readonly retryPolicy: RetryPolicy | null
  /** A JSON pointer to the member of the payload that is the job's key; null: jobs have no key unless their options set one. */
  readonly key: string | null
  /** How many tokens of each rate limit a start costs. */
  readonly weight: number
  /** Whether results are shown to callers who may not read payloads. */
  readonly openResults: boolean
}

/** The defaults among the members of a definition. */
export function jobDefaultsOf(definition: JobDefaults): JobDefaults {
  const { queue, priority, maxAttempts, timeoutMs, retryPolicy, key, weight, openResults } = definition
  return { queue, priority, maxAttempts, timeoutMs, retryPolicy, key, weight, openResults }
}

/** The defaults of a registered kind's jobs, with the names of the wire. */
export const kindDefaultsSchema = z.strictObject({
  queue: jobFields.queue.optional(),
  priority: jobFields.priority.optional(),
  max_attempts: jobFields.maxAttempts.optional(),
  timeout_ms: jobFields.timeoutMs.optional(),
  retry_policy: retryPolicyWireSchema.optional(),
  key: jobFields.keyPointer.optional(),
  weight: jobFields.weight.optional(),
  open_results: z.boolean().optional(),
})

export type KindDefaults = z.output<typeof kindDefaultsSchema>

/** The defaults of a definition in the form in which they are registered. */
export function encodeKindDefaults(defaults: JobDefaults): KindDefaults {
  const { queue, priority, maxAttempts, timeoutMs, retryPolicy, key, weight, openResults } = defaults
  return {
    queue,
    priority,
    max_attempts: maxAttempts,
    ...(timeoutMs !== null && { timeout_ms: timeoutMs }),
    ...(key !== null && { key }),
    ...(weight !== jobWeightDefault && { weight }),
    ...(openResults && { open_results: true }),
    ...(retryPolicy !== null && {
      retry_policy: encodeRetryPolicy(retryPolicy) as KindDefaults['retry_policy'],
    }),
  }
}

/** Registered defaults as a job uses them, with the absent ones filled in. */
export function decodeKindDefaults(defaults: KindDefaults): JobDefaults {
  return {
    queue: defaults.queue ?? queueDefault,
    priority: defaults.priority ?? priorityDefault,
    maxAttempts: defaults.max_attempts ?? maxAttemptsDefault,
    timeoutMs: defaults.timeout_ms ?? null,
    retryPolicy: defaults.retry_policy === undefined ? null : decodeRetryPolicy(defaults.retry_policy),
    key: defaults.key ?? null,
    weight: defaults.weight ?? jobWeightDefault,
    openResults: defaults.open_results ?? false,
  }
}
