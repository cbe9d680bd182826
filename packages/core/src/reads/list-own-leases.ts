import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { epochMs } from '../database/job-row.ts'
import type { Lease } from '../domain/job.ts'

export interface OwnLeases {
  readonly leases: readonly Lease[]
  /** The database's clock at this look, in milliseconds since 1970: the next look may begin a little before it. */
  readonly nowMs: number
}

/**
 * The running jobs that name this worker and were claimed at or after `sinceMs` (milliseconds since 1970), which the
 * worker compares with what it holds: a claim whose reply was lost has left rows that nobody runs.
 */
export async function listOwnLeases(
  database: QueueDatabase,
  own: { readonly workerId: string; readonly sinceMs: number },
): Promise<OwnLeases> {
  const { names } = database
  const rows = await database.run(sql<{ now_ms: number; id: string | null; lease_token: string }>`
    SELECT clock.now_ms, j.id, j.lease_token::text AS lease_token
      FROM (SELECT ${epochMs(sql`now()`)} AS now_ms) AS clock
      LEFT JOIN ${names.jobs} AS j
        ON j.locked_by = ${own.workerId} AND j.locked_by IS NOT NULL AND j.status = ${names.status.running}
       AND j.locked_at >= to_timestamp(${own.sinceMs}::float8 / 1000)`)
  const [clock] = rows
  if (clock === undefined) throw new Error('a look at the own leases gave no answer')
  return {
    nowMs: clock.now_ms,
    leases: rows.flatMap((row) =>
      row.id === null ? [] : [{ jobId: row.id, token: Number(row.lease_token) }],
    ),
  }
}
