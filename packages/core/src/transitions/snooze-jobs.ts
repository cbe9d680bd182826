// running → retrying, the attempt not charged. Called by the worker that holds the lease, when the handler asks.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { boundedWaitMs } from '../domain/wait.ts'
import { leaseIds, leaseTokens, type Settlement, settleAttempts, unlessCancelled } from './settle-attempts.ts'

export interface SnoozeWrite {
  readonly lease: Lease
  /** Milliseconds from the database's now() to the next attempt; kept within 0..`snoozeMsMax`. */
  readonly waitMs: number
}

/** Puts these jobs off: each runs again after its wait, and this attempt does not count. */
export function snoozeJobs(database: QueueDatabase, writes: readonly SnoozeWrite[]): Promise<Settlement[]> {
  return settleAttempts(database, writes, {
    arrow: (names, group) => ({
      input: sql`unnest(${leaseIds(group)}::uuid[], ${leaseTokens(group)}::bigint[],
        ${group.map((write) => boundedWaitMs(write.waitMs))}::float8[]) AS i (id, lease_token, wait_ms)`,
      inputColumns: ['wait_ms'],
      nextStatus: unlessCancelled(names, names.status.retrying),
      usualStatus: 'retrying',
      runAt: sql`now() + h.wait_ms * interval '1 millisecond'`,
      attemptsDelta: -1,
      lastError: sql`NULL::text`,
      result: sql`NULL`,
      history: {
        outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'snoozed' END`,
        error: sql`NULL::text`,
        mayBury: false,
      },
      recordedAs: ['snoozed', 'cancelled'],
    }),
    sanitise: (write) => write,
  })
}
