// running → queued when no attempt is left charged, else → retrying. Called by the worker that holds the lease.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseInput, leaseTokens } from '../database/lease-rows.ts'
import { type Completion, createCompletion, unlessCancelled } from './complete-attempts.ts'

/** Returns jobs that were claimed and never started: as if they had not been claimed, and without a history row. */
export function returnUnstartedJobs(
  database: QueueDatabase,
  leases: readonly Lease[],
): Promise<Completion[]> {
  return returnUnstarted(
    database,
    leases.map((lease) => ({ lease })),
  )
}

const returnUnstarted = createCompletion<{ readonly lease: Lease }>({
  usualStatus: 'queued',
  recordedAs: [],
  transition: (names, given) => ({
    input: leaseInput(given(leaseIds), given(leaseTokens)),
    inputColumns: [],
    nextStatus: unlessCancelled(
      names,
      sql`CASE WHEN h.attempt <= 1 THEN ${names.status.queued} ELSE ${names.status.retrying} END`,
    ),
    runAt: sql`h.run_at`,
    attemptsDelta: -1,
    lastError: sql`NULL::text`,
    result: sql`NULL`,
    history: null,
  }),
  sanitise: (write) => write,
})
