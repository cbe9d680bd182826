// running → retrying, without charging the attempt. Called by the worker that holds the lease, when its handler asks
// for it, or when it cannot run the job and another worker may.
import { sql } from 'kysely'
import type { Lease } from '../domain/job.ts'
import { boundedWaitMs } from '../domain/retry.ts'
import { leaseIds, leaseTokens, textsOf, valuesOf } from '../database/lease-rows.ts'
import { createCompletion, unlessCancelled } from './complete-attempts.ts'

export interface SnoozeWrite {
  readonly lease: Lease
  /** Milliseconds from the end of this attempt to the next, limited to 0..`snoozeMsMax`. */
  readonly waitMs: number
  /** Why the worker could not run the job; absent where the handler asked for the wait. */
  readonly reason?: string
}

/** Puts these jobs off: each runs again after its wait, and this attempt does not count. */
export const snoozeJobs = createCompletion<SnoozeWrite>({
  usualStatus: 'retrying',
  recordedAs: ['snoozed', 'cancelled'],
  transition: (names, given) => ({
    input: sql`unnest(${given(leaseIds)}::uuid[], ${given(leaseTokens)}::bigint[],
      ${given(valuesOf((write) => boundedWaitMs(write.waitMs)))}::float8[],
      ${given(textsOf((write) => write.reason ?? null))}::text[]) AS i (id, lease_token, wait_ms, reason)`,
    inputColumns: ['wait_ms', 'reason'],
    optionalTexts: ['reason'],
    nextStatus: unlessCancelled(names, names.status.retrying),
    runAt: sql`statement_timestamp() + h.wait_ms * interval '1 millisecond'`,
    attemptsDelta: -1,
    endsExpiry: true,
    lastError: sql`h.reason`,
    result: sql`NULL`,
    history: {
      outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'snoozed' END`,
      error: sql`h.reason`,
      mayDeadLetter: false,
    },
  }),
  sanitise: ({ lease, waitMs }) => ({ lease, waitMs }),
})
