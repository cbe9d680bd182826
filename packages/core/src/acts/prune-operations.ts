// Removes operations that ended long ago. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { pruneBatchMax } from '../domain/limits.ts'

/** Deletes up to `pruneBatchMax` operations that ended more than `keptMs` ago. Returns their number. */
export async function pruneOperations(database: QueueDatabase, keptMs: number): Promise<number> {
  const { operations } = database.names
  const rows = await database.run(sql`
    DELETE FROM ${operations} AS o WHERE o.id = ANY(ARRAY(
      SELECT e.id FROM ${operations} AS e
       WHERE e.finished_at < now() - ${keptMs}::float8 * interval '1 millisecond'
       ORDER BY e.finished_at LIMIT ${sql.lit(pruneBatchMax)}))
    RETURNING o.id`)
  return rows.length
}
