// running → retrying, without charging the attempt. Called by a worker that stops while its handlers still run.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseInput, leaseTokens } from '../database/lease-rows.ts'
import { type Completion, createCompletion, unlessCancelled } from './complete-attempts.ts'

/** Releases jobs whose handlers did not end within the grace period of the shutdown, so that a deployment never fails a job. */
export function releaseJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Completion[]> {
  return release(
    database,
    leases.map((lease) => ({ lease })),
  )
}

const release = createCompletion<{ readonly lease: Lease }>({
  usualStatus: 'retrying',
  recordedAs: ['released', 'cancelled'],
  transition: (names, given) => ({
    input: leaseInput(given(leaseIds), given(leaseTokens)),
    inputColumns: [],
    nextStatus: unlessCancelled(names, names.status.retrying),
    runAt: sql`statement_timestamp()`,
    attemptsDelta: -1,
    endsExpiry: true,
    lastError: sql`NULL::text`,
    result: sql`NULL`,
    history: {
      outcome: sql`CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'released' END`,
      error: sql`NULL::text`,
      mayDeadLetter: false,
    },
  }),
  sanitise: (write) => write,
})
