// running → retrying, the attempt not charged. Called by a worker that stops while the handlers still run.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import {
  leaseIds,
  leaseInput,
  leaseTokens,
  type Completion,
  completing,
  unlessCancelled,
} from './complete-attempts.ts'

/** Lets go of jobs whose handlers did not end within the shutdown's grace: a deploy never fails a job. */
export function releaseJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Completion[]> {
  return release(
    database,
    leases.map((lease) => ({ lease })),
  )
}

const release = completing<{ readonly lease: Lease }>({
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
