import { defineJob, type JobStatus } from '@queue/core'
import { z } from 'zod'

/**
 * What the handler of a job does. `linger` logs its end before it waits, so that it finishes right after the wait, and ignores
 * its signal. `spin` ignores it too, because it blocks the event loop. `abandon` does not await its transaction, in a different
 * way on each of its first attempts. `transact_late` begins a transaction after the handler has ended.
 */
export const plans = [
  'succeed',
  'fail_once',
  'fail_always',
  'snooze_once',
  'transact',
  'abandon',
  'transact_late',
  'linger',
  'spin',
  'die',
] as const

export type Plan = (typeof plans)[number]

/** The kind of all jobs of the suite. Failures are retried after some milliseconds. */
export const chaosJob = defineJob({
  kind: 'chaos_job',
  payload: z.strictObject({
    /** The client's own key of the job. */
    key: z.string(),
    plan: z.enum(plans),
    /** How long the handler takes, in milliseconds. */
    ms: z.int().min(0),
    /** Makes the payload larger. */
    padding: z.string().optional(),
  }),
  retryPolicy: { type: 'fixed', baseMs: 20 },
})

export type ChaosPayload = z.output<typeof chaosJob.payload>

/** The states in which a job of each plan may end, unless it is cancelled or crashes use up its attempts. */
export const plannedEnds = {
  succeed: ['succeeded'],
  fail_once: ['succeeded'],
  fail_always: ['failed_permanent'],
  snooze_once: ['succeeded'],
  transact: ['succeeded'],
  abandon: ['succeeded'],
  transact_late: ['succeeded'],
  linger: ['succeeded'],
  spin: ['succeeded'],
  die: ['failed_permanent'],
} as const satisfies Record<Plan, readonly JobStatus[]>

/** The plans whose attempts can only succeed together with the transaction in which they write. */
export const transactedPlans: ReadonlySet<Plan> = new Set(['transact', 'abandon'])
