// running → cancelled. Called by the worker that holds the lease, once its handler has reacted to the cancel.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseInput, leaseTokens } from '../database/lease-rows.ts'
import { type Completion, createCompletion } from './complete-attempts.ts'

/** Records that these attempts stopped because a cancel of their jobs was requested. */
export function cancelRunningJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Completion[]> {
  return cancelRunning(
    database,
    leases.map((lease) => ({ lease })),
  )
}

const cancelRunning = createCompletion<{ readonly lease: Lease }>({
  usualStatus: 'cancelled',
  recordedAs: ['cancelled'],
  transition: (names, given) => ({
    input: leaseInput(given(leaseIds), given(leaseTokens)),
    inputColumns: [],
    nextStatus: names.status.cancelled,
    runAt: sql`h.run_at`,
    attemptsDelta: 0,
    lastError: sql`NULL::text`,
    result: sql`NULL`,
    history: { outcome: sql`'cancelled'`, error: sql`NULL::text`, mayDeadLetter: false },
  }),
  sanitise: (write) => write,
})
