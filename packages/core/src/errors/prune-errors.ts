// Groups of failures past their retention go. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { errorGroupsMax } from '../domain/limits.ts'

/**
 * Deletes the groups that were last seen longer than `keptMs` ago (null: none for that), and beyond the `errorGroupsMax` that
 * were seen last. Gives their number. A group that is locked is left for the next time.
 */
export async function pruneErrors(database: QueueDatabase, keptMs: number | null): Promise<number> {
  const { names } = database
  const [row] = await database.run(sql<{ pruned: number }>`
    WITH doomed AS MATERIALIZED (
      SELECT e.ctid FROM ${names.errors} AS e
       WHERE e.last_seen_at < greatest(now() - ${keptMs}::float8 * interval '1 millisecond',
               (SELECT n.last_seen_at FROM ${names.errors} AS n
                 ORDER BY n.last_seen_at DESC OFFSET ${sql.lit(errorGroupsMax - 1)} LIMIT 1))
         FOR UPDATE SKIP LOCKED
    ), gone AS (
      DELETE FROM ${names.errors} AS e WHERE e.ctid = ANY(ARRAY(SELECT doomed.ctid FROM doomed)) RETURNING 1
    )
    SELECT count(*)::int AS pruned FROM gone`)
  return row?.pruned ?? 0
}
