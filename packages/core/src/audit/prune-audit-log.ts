// Removes entries of the audit log past their retention. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { pruneBatchMax } from '../domain/limits.ts'

/**
 * Deletes the oldest entries that are older than `keptMs`, at most `pruneBatchMax`. Returns their number. Concurrent
 * calls delete each entry once.
 */
export async function pruneAuditLog(database: QueueDatabase, keptMs: number): Promise<number> {
  const table = sql.id(database.schema, 'audit_log')
  const [row] = await database.run(sql<{ pruned: number }>`
    WITH gone AS (
      DELETE FROM ${table} AS a WHERE a.ctid = ANY(ARRAY(
        SELECT o.ctid FROM ${table} AS o WHERE o.at < now() - ${keptMs}::float8 * interval '1 millisecond'
         ORDER BY o.at, o.id LIMIT ${sql.lit(pruneBatchMax)}))
      RETURNING 1
    )
    SELECT count(*)::int AS pruned FROM gone`)
  return row?.pruned ?? 0
}
