import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/**
 * For how many seconds the oldest transaction of this database, prepared ones included, has kept vacuum from removing
 * what was deleted after it began; 0 when there is none but this one. Of other roles' sessions it sees the age only
 * with the privileges of `pg_read_all_stats`. Vacuum itself holds nothing back.
 */
export async function oldestSnapshotSeconds(database: QueueDatabase): Promise<number> {
  const [row] = await database.run(sql<{ seconds: number }>`
    SELECT coalesce(greatest(0, extract(epoch FROM clock_timestamp() - min(held.since))), 0)::float8 AS seconds
      FROM (SELECT a.xact_start AS since FROM pg_catalog.pg_stat_activity AS a
             WHERE a.datname = current_database() AND a.pid <> pg_backend_pid()
               AND (a.backend_xmin IS NOT NULL OR a.backend_xid IS NOT NULL)
               AND a.backend_type <> 'autovacuum worker'
             UNION ALL
            SELECT p.prepared FROM pg_catalog.pg_prepared_xacts AS p WHERE p.database = current_database()
           ) AS held`)
  if (row === undefined) throw new Error('the database gave no answer about its transactions')
  return row.seconds
}
