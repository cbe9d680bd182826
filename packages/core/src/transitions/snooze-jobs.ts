// running → retrying, without charging the attempt. Called by the worker that holds the lease, when its handler asks
// for it.
import { sql } from 'kysely'
import type { Lease } from '../domain/job.ts'
import { boundedWaitMs } from '../domain/retry.ts'
import { createCompletion, leaseIds, leaseTokens, unlessCancelled, valuesOf } from './complete-attempts.ts'

export interface SnoozeWrite {
  readonly lease: Lease
  /** Milliseconds from the end of this attempt to the next, limited to 0..`snoozeMsMax`. */
  readonly waitMs: number
}

/** Puts these jobs off: each runs again after its wait, and this attempt does not count. */
export const snoozeJobs = createCompletion<SnoozeWrite>({
  usualStatus: 'retrying',
  recordedAs: ['snoozed', 'cancelled'],
  transition: (names, given) => ({
    input: sql`unnest(${given(leaseIds)}::uuid[], ${given(leaseTokens)}::bigint[],
      ${given(valuesOf((write) => boundedWaitMs(write.waitMs)))}::float8[]) AS i (id, lease_token, wait_ms)`,
    inputColumns: ['wait_ms'],
    nextStatus: unlessCancelled(names, names.status.retrying),
    runAt: sql`statement_timestamp() + h.wait_ms * interval '1 millisecond'`,
    attemptsDelta: -1,
    endsExpiry: true,
    lastError: sql`NULL::text`,
    result: sql`NULL`,
    history: {
      outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'snoozed' END`,
      error: sql`NULL::text`,
      mayDeadLetter: false,
    },
  }),
  sanitise: (write) => write,
})
