// The number of waiting jobs under limits that bound it. Workers count it, one at a time; the first count is made when
// the limit is set.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { waitingCountBatchMax } from '../domain/limits.ts'
import { isCountOf, waitingUpTo } from '../database/waiting-counts.ts'

export interface WaitingCounted {
  /** Number of counts that were brought up to date. */
  readonly counted: number
  /** Whether there are any counts. If not, no worker needs to count. */
  readonly isWanted: boolean
}

/**
 * Brings up to `waitingCountBatchMax` counts up to date that are at least `olderThanMs` old, the oldest first. Counts
 * that another worker has locked are skipped.
 */
export async function countWaiting(
  { names, schema, run }: QueueDatabase,
  olderThanMs: number,
): Promise<WaitingCounted> {
  const [row] = await run(sql<{ counted: number; is_wanted: boolean }>`
    WITH due AS MATERIALIZED (
      SELECT w.queue, w.tenant_id, l.max_waiting FROM ${names.waitingCounts} AS w JOIN ${names.limits} AS l ON ${sql.raw(isCountOf)}
       WHERE w.counted_at <= clock_timestamp() - ${olderThanMs}::float8 * interval '1 millisecond'
       ORDER BY w.counted_at LIMIT ${sql.lit(waitingCountBatchMax)} FOR NO KEY UPDATE OF w SKIP LOCKED
    ), counted AS (
      UPDATE ${names.waitingCounts} AS c SET waiting = n.waiting, counted_at = clock_timestamp()
        FROM (SELECT w.queue, w.tenant_id, ${sql.raw(waitingUpTo(`"${schema}"`, 'w.max_waiting'))} AS waiting FROM due AS w) AS n
       WHERE c.queue = n.queue AND c.tenant_id = n.tenant_id
      RETURNING 1
    )
    SELECT (SELECT count(*)::integer FROM counted) AS counted, EXISTS (SELECT FROM ${names.waitingCounts}) AS is_wanted`)
  return { counted: row?.counted ?? 0, isWanted: row?.is_wanted ?? false }
}

/** Creates the count that a limit needs, with the jobs that wait now; deletes it where the limit needs none. */
export async function keepCount(
  { names, schema, run }: QueueDatabase,
  limit: { readonly queue: string; readonly name: string; readonly maxWaiting: number | null },
): Promise<void> {
  const { queue, name, maxWaiting } = limit
  if (maxWaiting === null) {
    await run(sql`
      DELETE FROM ${names.waitingCounts} AS w WHERE w.queue = ${queue} AND w.tenant_id = ${name}`)
    return
  }
  await run(sql`
    INSERT INTO ${names.waitingCounts} (queue, tenant_id, waiting, counted_at)
    SELECT w.queue, w.tenant_id, ${sql.raw(waitingUpTo(`"${schema}"`, 'w.max_waiting'))}, clock_timestamp()
      FROM (SELECT ${queue}::text AS queue, ${name}::text AS tenant_id, ${maxWaiting}::integer AS max_waiting) AS w
    ON CONFLICT ON CONSTRAINT waiting_counts_pkey DO UPDATE SET waiting = excluded.waiting, counted_at = excluded.counted_at`)
}
