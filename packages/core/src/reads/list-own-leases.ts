import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { Lease } from '../domain/job.ts'

/** A part of the past, in milliseconds before now. `Infinity` reaches back to the beginning. */
export interface AgeRange {
  /** 0 includes what has been claimed since the statement arrived. */
  readonly fromAgeMs: number
  readonly toAgeMs: number
}

export interface OwnLeases {
  readonly leases: readonly Lease[]
  /** How long the database took to find them: it reads every index entry of the range, dead ones included. */
  readonly tookMs: number
}

/**
 * The running jobs that name this worker and were claimed within the range, which the worker compares with what it
 * holds: a claim whose reply was lost has left rows that nobody runs.
 */
export async function listOwnLeases(
  database: QueueDatabase,
  { workerId, fromAgeMs, toAgeMs }: AgeRange & { readonly workerId: string },
): Promise<OwnLeases> {
  const { names } = database
  const atAge = (ageMs: number) => sql`to_timestamp(date_part('epoch', now()) - ${ageMs}::float8 / 1000)`
  const youngest = fromAgeMs === 0 ? Number.NEGATIVE_INFINITY : fromAgeMs
  const [own] = await database.run(sql<{ leases: string; took_ms: number }>`
    SELECT coalesce(json_agg(json_build_array(j.id, j.lease_token)), '[]')::text AS leases,
           ${epochMs(sql`clock_timestamp() - now()`)} AS took_ms
      FROM ${names.jobs} AS j
     WHERE j.locked_by = ${workerId} AND j.locked_by IS NOT NULL AND j.status = ${names.status.running}
       AND j.locked_at > ${atAge(toAgeMs)} AND j.locked_at <= ${atAge(youngest)}`)
  if (own === undefined) throw new Error('a check of the own leases gave no answer')
  const leases = JSON.parse(own.leases) as [string, number][]
  return { leases: leases.map(([jobId, token]) => ({ jobId, token })), tookMs: own.took_ms }
}
