import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseKey, leaseTokens } from '../database/lease-rows.ts'

/** The state of a running job's lease, as its worker must know it. */
export type LeaseState = 'held' | 'cancel_requested' | 'lost'

/** A lease, and the last known position of its job's row. */
export interface LocatedLease {
  readonly lease: Lease
  /** PostgreSQL's `ctid` of the row, as the holder last saw it. */
  readonly ctid: string
}

/** The state of a lease at one check. */
export interface SeenLease {
  readonly state: LeaseState
  /** The current position of the row, for the next check. */
  readonly ctid: string
}

/**
 * The state of each lease, in their order. A lease is lost when its job is no longer running under its token.
 *
 * Every update of a row writes a new version of it at another position. So a row at its last known position has not
 * changed: no cancel was requested, and the lease was not lost. This reads one page per job, whatever the indexes hold.
 * Only rows that have moved are looked up by key and returned; usually there are none. A row that a rewrite of the
 * table has moved is found by its key too. `OFFSET 0` keeps each lookup separate: the planner would otherwise read a
 * small table in full.
 */
export async function checkLeases(
  database: QueueDatabase,
  leases: readonly LocatedLease[],
): Promise<SeenLease[]> {
  if (leases.length === 0) return []
  const { names } = database
  const ctids = leases.map(({ ctid }) => ctid)
  const isHeld = sql`j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}`
  const rows = await database.run(sql<MovedRow>`
    SELECT i.id, i.lease_token::text AS lease_token, j.cancel_requested, j.ctid
      FROM unnest(${leaseIds(leases)}::uuid[], ${leaseTokens(leases)}::bigint[], ${ctids}::tid[])
           AS i (id, lease_token, ctid)
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM ${names.jobs} AS j
         WHERE j.ctid = i.ctid AND ${isHeld} AND NOT j.cancel_requested OFFSET 0) AS unmoved ON true
      LEFT JOIN LATERAL (
        SELECT j.cancel_requested, j.ctid::text AS ctid FROM ${names.jobs} AS j
         WHERE unmoved.is_there IS NULL AND ${isHeld} OFFSET 0) AS j ON true
     WHERE unmoved.is_there IS NULL`)
  const moved = new Map(rows.map((row) => [leaseKey(row.id, row.lease_token), row]))
  return leases.map(({ lease, ctid }) => {
    const row = moved.get(leaseKey(lease.jobId, lease.token))
    if (row === undefined) return { state: 'held', ctid }
    if (row.ctid === null) return { state: 'lost', ctid }
    return { state: row.cancel_requested === true ? 'cancel_requested' : 'held', ctid: row.ctid }
  })
}

interface MovedRow {
  readonly id: string
  readonly lease_token: string
  /** Null, like the ctid, where no job is running under the lease. */
  readonly cancel_requested: boolean | null
  readonly ctid: string | null
}
