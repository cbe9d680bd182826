import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** One table of the queue's schema, with its leaves. */
export interface TableSize {
  readonly table: string
  /** Including its indexes and its TOAST table. */
  readonly bytes: number
  /** PostgreSQL's estimate of rows that vacuum has not removed yet. */
  readonly deadRows: number
}

/** The sizes of the schema's tables. Reads only the catalog and the sizes of files. */
export async function tableSizes(database: QueueDatabase): Promise<TableSize[]> {
  return database.run(sql<TableSize>`
    SELECT coalesce(p.relname, c.relname)::text AS "table", sum(pg_catalog.pg_total_relation_size(c.oid))::bigint AS bytes,
           coalesce(sum(pg_catalog.pg_stat_get_dead_tuples(c.oid)), 0)::bigint AS "deadRows"
      FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
      LEFT JOIN (pg_catalog.pg_inherits AS i JOIN pg_catalog.pg_class AS p ON p.oid = i.inhparent) ON i.inhrelid = c.oid
     WHERE n.nspname = ${database.schema} AND c.relkind = 'r' GROUP BY coalesce(p.relname, c.relname) ORDER BY 1`)
}
