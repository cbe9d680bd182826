import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/**
 * For how many seconds the oldest transaction of this database, prepared ones included, has kept vacuum from removing
 * what was deleted after it began; 0 when there is none but this one. Null where a session of another role cannot be seen
 * into, which takes the privileges of `pg_read_all_stats`: it may hold more than all that are seen. Vacuum itself holds
 * nothing back.
 */
export async function oldestSnapshotSeconds(database: QueueDatabase): Promise<number | null> {
  const [row] = await database.run(sql<{ seconds: number | null }>`
    SELECT CASE WHEN bool_or(held.hidden) THEN NULL
                ELSE coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(held.since))), 0)::float8
           END AS seconds
      FROM (SELECT a.xact_start AS since, a.query = '<insufficient privilege>' AS hidden
              FROM pg_catalog.pg_stat_activity AS a
             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
               -- A vacuum has no user, and is hidden like a session.
               AND a.usesysid IS NOT NULL
               AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL OR a.query = '<insufficient privilege>')
             UNION ALL
            SELECT p.prepared, false FROM pg_catalog.pg_prepared_xacts AS p WHERE p.database = current_database()
           ) AS held`)
  if (row === undefined) throw new Error('the database gave no answer about its transactions')
  return row.seconds
}
