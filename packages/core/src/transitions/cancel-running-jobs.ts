// running → cancelled. Called by the worker that holds the lease, when its handler has observed the cancel.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseInput, type Settlement, settleAttempts } from './settle-attempts.ts'

/** Records that these attempts stopped because their cancel was asked for. */
export function cancelRunningJobs(database: QueueDatabase, leases: readonly Lease[]): Promise<Settlement[]> {
  const writes = leases.map((lease) => ({ lease }))
  return settleAttempts(database, writes, {
    arrow: (names, group) => ({
      input: leaseInput(group),
      inputColumns: [],
      nextStatus: names.status.cancelled,
      usualStatus: 'cancelled',
      runAt: sql`h.run_at`,
      attemptsDelta: 0,
      lastError: sql`NULL::text`,
      result: sql`NULL`,
      history: { outcome: sql`'cancelled'`, error: sql`NULL::text`, mayBury: false },
      recordedAs: ['cancelled'],
    }),
    sanitise: (write) => write,
  })
}
