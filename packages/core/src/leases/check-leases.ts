import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseKey, leaseTokens } from '../transitions/complete-attempts.ts'

/** What a worker must know of a job that it runs. */
export type LeaseState = 'held' | 'cancel_requested' | 'lost'

/** A lease, and where the row of its job was last seen. */
export interface LocatedLease {
  readonly lease: Lease
  /** PostgreSQL's `ctid` of the row as the holder last saw it. */
  readonly ctid: string
}

/** The state of a lease at this check. */
export interface SeenLease {
  readonly state: LeaseState
  /** Where the row is now: what the next check has to be given. */
  readonly ctid: string
}

/**
 * The state of each lease, in their order. A lease is lost when its job is no longer running under its token.
 *
 * Every write of a row leaves a new version of it somewhere else. So a row that is still where it was last seen has not
 * been changed since: neither a cancel was asked for nor was the lease lost. That is one page for each job, whatever
 * the indexes hold. Only what has moved is looked up by its key and answered; in the ordinary case that is no row at
 * all. A row that was moved as it was, by a rewrite of the table, is found by its key too. `OFFSET 0` keeps each look-up
 * to itself: the planner would read a small table as a whole.
 */
export async function checkLeases(
  database: QueueDatabase,
  held: readonly LocatedLease[],
): Promise<SeenLease[]> {
  if (held.length === 0) return []
  const { names } = database
  const ctids = held.map(({ ctid }) => ctid)
  const isHeld = sql`j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}`
  const rows = await database.run(sql<MovedRow>`
    SELECT i.id, i.lease_token::text AS lease_token, j.cancel_requested, j.ctid
      FROM unnest(${leaseIds(held)}::uuid[], ${leaseTokens(held)}::bigint[], ${ctids}::tid[])
           AS i (id, lease_token, ctid)
      LEFT JOIN LATERAL (
        SELECT true AS is_there FROM ${names.jobs} AS j
         WHERE j.ctid = i.ctid AND ${isHeld} AND NOT j.cancel_requested OFFSET 0) AS unmoved ON true
      LEFT JOIN LATERAL (
        SELECT j.cancel_requested, j.ctid::text AS ctid FROM ${names.jobs} AS j
         WHERE unmoved.is_there IS NULL AND ${isHeld} OFFSET 0) AS j ON true
     WHERE unmoved.is_there IS NULL`)
  const moved = new Map(rows.map((row) => [leaseKey(row.id, row.lease_token), row]))
  return held.map(({ lease, ctid }) => {
    const row = moved.get(leaseKey(lease.jobId, lease.token))
    if (row === undefined) return { state: 'held', ctid }
    if (row.ctid === null) return { state: 'lost', ctid }
    return { state: row.cancel_requested === true ? 'cancel_requested' : 'held', ctid: row.ctid }
  })
}

interface MovedRow {
  readonly id: string
  readonly lease_token: string
  /** Null, as the ctid is, where no job is running under the lease. */
  readonly cancel_requested: boolean | null
  readonly ctid: string | null
}
