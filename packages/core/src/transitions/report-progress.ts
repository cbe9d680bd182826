// running → running, with the progress that the handler last reported. Called by the worker that holds the lease.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import type { Lease } from '../domain/job.ts'
import { leaseIds, leaseTokens } from '../database/lease-rows.ts'

export interface ProgressWrite {
  readonly lease: Lease
  /** A whole number, 0..100. */
  readonly percent: number
  readonly message: string | null
}

/**
 * Stores the progress of these jobs; a lost lease changes nothing. The lock is FOR NO KEY UPDATE, because otherwise a
 * handler whose own open transaction refers to its job by a foreign key would wait for itself.
 */
export async function reportProgress(
  database: QueueDatabase,
  writes: readonly ProgressWrite[],
): Promise<void> {
  if (writes.length === 0) return
  const { names } = database
  const sorted = writes.toSorted((a, b) => (a.lease.jobId < b.lease.jobId ? -1 : 1))
  await database.run(sql`
    WITH held AS MATERIALIZED (
      SELECT j.id, i.percent, i.message::jsonb #>> '{}' AS message
        FROM unnest(${leaseIds(sorted)}::uuid[], ${leaseTokens(sorted)}::bigint[],
               ${sorted.map((write) => write.percent)}::smallint[], ${sorted.map((write) => JSON.stringify(write.message))}::text[])
          AS i (id, lease_token, percent, message)
       CROSS JOIN LATERAL (
         SELECT j.id FROM ${names.jobs} AS j
          WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = ${names.status.running}
            FOR NO KEY UPDATE
       ) AS j
    )
    UPDATE ${names.jobs} AS j SET progress = h.percent, progress_message = h.message, updated_at = ${updatedAt(sql`statement_timestamp()`)}
      FROM held AS h WHERE j.id = h.id AND j.id = ANY(ARRAY(SELECT held.id FROM held))`)
}
