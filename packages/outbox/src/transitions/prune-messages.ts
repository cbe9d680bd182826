// delivered → (gone). Called by any relay.
import { smallestJobIdAt } from '@queue/core/internal'
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { pruneBatchMax } from '../domain/limits.ts'

export interface PruneResult {
  readonly pruned: number
  /** The position from which the next call continues; null if the walk has reached its end and starts again. */
  readonly cursor: string | null
}

/**
 * Examines the next `pruneBatchMax` messages after `cursor`, oldest first, and deletes those that were delivered more than
 * `retentionMs` ago. The walk follows the primary key up to the ids of the cutoff, because a message that was delivered before
 * the cutoff was also published before it. So it needs no index over delivered messages, and each call reads a bounded number of
 * rows. Dead letters are never pruned, because an operator must look at them.
 */
export async function pruneMessages(
  database: OutboxDatabase,
  retentionMs: number,
  cursor: string | null,
): Promise<PruneResult> {
  const { names } = database
  const retention = sql`${retentionMs}::float8 * interval '1 millisecond'`
  const [row] = await database.run(sql<{ pruned: number; seen: number; cursor: string | null }>`
    WITH seen AS MATERIALIZED (
      SELECT m.id FROM ${names.messages} AS m
       WHERE m.id > ${cursor ?? smallestJobIdAt(0)}::uuid
         AND m.id < (lpad(to_hex(greatest(0, (extract(epoch FROM now() - ${retention}) * 1000::numeric)::bigint)), 12, '0')
                     || '70008000000000000000')::uuid
       ORDER BY m.id LIMIT ${sql.lit(pruneBatchMax)}
    ), doomed AS MATERIALIZED (
      SELECT m.id FROM seen
       CROSS JOIN LATERAL (
         SELECT m.id FROM ${names.messages} AS m WHERE m.id = seen.id AND m.delivered_at < now() - ${retention}
            FOR UPDATE SKIP LOCKED
       ) AS m
    ), gone AS (
      DELETE FROM ${names.messages} AS m WHERE m.id = ANY(ARRAY(SELECT doomed.id FROM doomed)) RETURNING m.id
    )
    SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM seen)::int AS seen,
           (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor`)
  if (row === undefined) throw new Error('a prune returned no row')
  return { pruned: row.pruned, cursor: row.seen === pruneBatchMax ? row.cursor : null }
}
