import { defineJob, type JobStatus } from '@queue/core'
import { z } from 'zod'

/**
 * What the handler of a job does. `linger` notes its end before it waits, so that its finish follows the wait at once,
 * and ignores its signal, as `spin` does by blocking the event loop. `abandon` leaves its transaction to itself in all the
 * ways in which a handler can, until its last attempts; `transact_late` begins one when it has ended.
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

/** The only kind of the suite's jobs. Failures are retried after some milliseconds. */
export const chaosJob = defineJob({
  kind: 'chaos_job',
  payload: z.strictObject({
    /** The client's own name of the job. */
    key: z.string(),
    plan: z.enum(plans),
    /** How long the handler takes. */
    ms: z.int().min(0),
    /** Makes the payload as large as a scenario wants it. */
    padding: z.string().optional(),
  }),
  retryPolicy: { type: 'fixed', baseMs: 20 },
})

export type ChaosPayload = z.output<typeof chaosJob.payload>

/** In which states a job of this plan may end, when nobody cancels it and its attempts are not used up by crashes. */
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

/** The plans whose attempts succeed by the transaction that they write in, or not at all. */
export const transactedPlans: ReadonlySet<Plan> = new Set(['transact', 'abandon'])
