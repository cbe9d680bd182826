// running → queued when nothing was ever charged, else → retrying. Called by the worker that holds the lease.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseInput, type Settlement, settleAttempts, unlessCancelled } from './settle-attempts.ts'

/** Returns jobs that were claimed and never begun: as if they had not been claimed, and without a history row. */
export function giveBackJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Settlement[]> {
  const writes = leases.map((lease) => ({ lease }))
  return settleAttempts(database, writes, {
    arrow: (names, group) => ({
      input: leaseInput(group),
      inputColumns: [],
      nextStatus: unlessCancelled(
        names,
        sql`CASE WHEN h.attempt <= 1 THEN ${names.status.queued} ELSE ${names.status.retrying} END`,
      ),
      usualStatus: 'queued',
      runAt: sql`h.run_at`,
      attemptsDelta: -1,
      lastError: sql`NULL::text`,
      result: sql`NULL`,
      history: null,
      recordedAs: [],
    }),
    sanitise: (write) => write,
  })
}
