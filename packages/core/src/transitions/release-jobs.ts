// running → retrying, the attempt not charged. Called by a worker that stops while the handlers still run.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseInput, type Settlement, settleAttempts, unlessCancelled } from './settle-attempts.ts'

/** Lets go of jobs whose handlers did not end within the shutdown's grace: a deploy never fails a job. */
export function releaseJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Settlement[]> {
  const writes = leases.map((lease) => ({ lease }))
  return settleAttempts(database, writes, {
    arrow: (names, group) => ({
      input: leaseInput(group),
      inputColumns: [],
      nextStatus: unlessCancelled(names, names.status.retrying),
      usualStatus: 'retrying',
      runAt: sql`now()`,
      attemptsDelta: -1,
      lastError: sql`NULL::text`,
      result: sql`NULL`,
      history: {
        outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'released' END`,
        error: sql`NULL::text`,
        mayBury: false,
      },
      recordedAs: ['released', 'cancelled'],
    }),
    sanitise: (write) => write,
  })
}
