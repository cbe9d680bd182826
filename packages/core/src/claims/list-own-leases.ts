import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'

/** A range of ages, in milliseconds before now. `Infinity` has no bound. */
export interface AgeRange {
  /** 0 includes jobs that were claimed after the statement arrived. */
  readonly fromAgeMs: number
  readonly toAgeMs: number
}

export interface OwnLeases {
  readonly leases: readonly Lease[]
  /** How long the database took to find them, in milliseconds. It reads every index entry of the range, dead ones included. */
  readonly tookMs: number
}

/**
 * The running jobs that name this worker and were claimed within the range. The worker compares them with the jobs that
 * it holds: a claim whose reply was lost leaves jobs that nobody runs.
 */
export async function listOwnLeases(
  database: QueueDatabase,
  { workerId, fromAgeMs, toAgeMs }: AgeRange & { readonly workerId: string },
): Promise<OwnLeases> {
  const { db, status } = database.names
  const atAge = (ageMs: number) =>
    sql<Date>`to_timestamp(date_part('epoch', now()) - ${ageMs}::float8 / 1000::float8)`
  const youngest = fromAgeMs === 0 ? Number.NEGATIVE_INFINITY : fromAgeMs
  const [own] = await database.run(
    db
      .selectFrom('jobs as j')
      .select([
        sql<string>`coalesce(json_agg(json_build_array(j.id, j.lease_token)), '[]')::text`.as('leases'),
        epochMs(sql<Date>`clock_timestamp() - now()`).as('tookMs'),
      ])
      .where('j.locked_by', '=', workerId)
      .where('j.locked_by', 'is not', null)
      .where('j.status', '=', status.running)
      .where('j.locked_at', '>', atAge(toAgeMs))
      .where('j.locked_at', '<=', atAge(youngest)),
  )
  if (own === undefined) throw new Error("a check of a worker's own leases returned no row")
  const leases = JSON.parse(own.leases) as [string, number][]
  return { leases: leases.map(([jobId, token]) => ({ jobId, token })), tookMs: own.tookMs }
}
