import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseInput, leaseKey } from '../transitions/settle-attempts.ts'

/** What a worker must know of a job that it runs. */
export type LeaseState = 'held' | 'cancel_requested' | 'lost'

/**
 * The state of each lease, in their order. A lease is lost when its job is no longer running under its token.
 * `OFFSET 0` keeps each look-up on the primary key: the planner would read a small table as a whole.
 */
export async function checkLeases(database: QueueDatabase, leases: readonly Lease[]): Promise<LeaseState[]> {
  if (leases.length === 0) return []
  const { names } = database
  const rows = await database.run(sql<{ id: string; lease_token: string; cancel_requested: boolean }>`
    SELECT i.id, i.lease_token::text AS lease_token, j.cancel_requested
      FROM ${leaseInput(leases.map((lease) => ({ lease })))}
     CROSS JOIN LATERAL (
       SELECT j.cancel_requested FROM ${names.jobs} AS j
        WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}
       OFFSET 0) AS j`)
  const cancelRequested = new Map(
    rows.map((row) => [leaseKey(row.id, row.lease_token), row.cancel_requested]),
  )
  return leases.map((lease) => {
    const requested = cancelRequested.get(leaseKey(lease.jobId, lease.token))
    if (requested === undefined) return 'lost'
    return requested ? 'cancel_requested' : 'held'
  })
}
