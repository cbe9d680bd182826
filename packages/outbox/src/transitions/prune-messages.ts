// delivered → (gone). Called by any relay.
import { smallestJobIdAt } from '@queue/core/fields'
import { sql } from 'kysely'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { pruneBatchMax } from '../domain/limits.ts'

export interface PruneResult {
  readonly pruned: number
  /** Where the next call goes on; null when the walk has come to its end and begins anew. */
  readonly cursor: string | null
}

/**
 * Deletes the messages that were delivered more than `keptMs` ago among the next `pruneBatchMax` after `cursor`,
 * oldest first. The walk goes by the primary key and ends at the ids of the cutoff, because what was delivered before
 * it was published before it: no index over delivered messages is needed, and each call reads a bounded number of
 * rows. Dead letters are never pruned: somebody has to look at them.
 */
export async function pruneMessages(
  database: OutboxDatabase,
  keptMs: number,
  cursor: string | null,
): Promise<PruneResult> {
  const { names } = database
  const kept = sql`${keptMs}::float8 * interval '1 millisecond'`
  const [row] = await database.run(sql<{ pruned: number; seen: number; cursor: string | null }>`
    WITH seen AS MATERIALIZED (
      SELECT m.id FROM ${names.messages} AS m
       WHERE m.id > ${cursor ?? smallestJobIdAt(0)}::uuid
         AND m.id < (lpad(to_hex(greatest(0, (extract(epoch FROM now() - ${kept}) * 1000)::bigint)), 12, '0')
                     || '70008000000000000000')::uuid
       ORDER BY m.id LIMIT ${sql.lit(pruneBatchMax)}
    ), doomed AS MATERIALIZED (
      SELECT m.id FROM seen
       CROSS JOIN LATERAL (
         SELECT m.id FROM ${names.messages} AS m WHERE m.id = seen.id AND m.delivered_at < now() - ${kept}
            FOR UPDATE SKIP LOCKED
       ) AS m
    ), gone AS (
      DELETE FROM ${names.messages} AS m WHERE m.id = ANY(ARRAY(SELECT doomed.id FROM doomed)) RETURNING m.id
    )
    SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM seen)::int AS seen,
           (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor`)
  if (row === undefined) throw new Error('a prune gave no answer')
  return { pruned: row.pruned, cursor: row.seen === pruneBatchMax ? row.cursor : null }
}
