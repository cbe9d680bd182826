// Removes error groups and their days past their retention. Called by any worker.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { errorDaysPruneBatchMax, errorGroupsMax, errorHoursKeptMs } from '../domain/limits.ts'

/**
 * Deletes the groups that were last seen more than `keptMs` ago (null: none for that reason), the groups beyond the
 * `errorGroupsMax` that were seen last, and the days of these groups. Also deletes up to `errorDaysPruneBatchMax` days
 * of other groups that ended more than `errorHoursKeptMs` ago. Returns the number of groups. A locked group is left for
 * the next call. No failure is counted in a day that has ended, so no statement waits for this one.
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
      DELETE FROM ${names.errors} AS e WHERE e.ctid = ANY(ARRAY(SELECT doomed.ctid FROM doomed)) RETURNING e.id
    ), days_of_groups AS (
      DELETE FROM ${names.errorDays} AS d USING gone WHERE d.error_id = gone.id
    ), past_days AS (
      DELETE FROM ${names.errorDays} AS d WHERE d.ctid = ANY(ARRAY(
        SELECT p.ctid FROM ${names.errorDays} AS p
         WHERE p.day < now() - ${sql.lit(errorHoursKeptMs)}::float8 * interval '1 millisecond' - interval '24 hours'
         ORDER BY p.day LIMIT ${sql.lit(errorDaysPruneBatchMax)} FOR UPDATE SKIP LOCKED))
    )
    SELECT count(*)::int AS pruned FROM gone`)
  return row?.pruned ?? 0
}
