import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'

/** One table of the queue's schema. */
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
    SELECT c.relname::text AS "table", pg_catalog.pg_total_relation_size(c.oid) AS bytes,
           coalesce(pg_catalog.pg_stat_get_dead_tuples(c.oid), 0) AS "deadRows"
      FROM pg_catalog.pg_class AS c JOIN pg_catalog.pg_namespace AS n ON n.oid = c.relnamespace
     WHERE n.nspname = ${database.schema} AND c.relkind = 'r' ORDER BY c.relname`)
}
