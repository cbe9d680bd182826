import { quoted } from './migration-history.ts'
import type { TableWork } from './migration.ts'
import type { RunnerClient } from './runner-client.ts'

/** The size of a table according to PostgreSQL's catalog. */
export interface TableSize {
  /** The estimate of the last vacuum or analyze; null if there was none. */
  readonly rows: number | null
  /** Without its indexes. */
  readonly bytes: number
}

/** The tables of the schema, by name. */
export async function readTableSizes({
  client,
  schema,
}: RunnerClient): Promise<ReadonlyMap<string, TableSize>> {
  const { rows } = await client.query<{ name: string; rows: string; bytes: string }>(
    `SELECT relname::text AS name, reltuples::bigint AS rows, pg_table_size(oid) AS bytes
       FROM pg_class WHERE relnamespace = to_regnamespace($1) AND relkind IN ('r', 'p')`,
    [quoted(schema)],
  )
  return new Map(
    rows.map(({ name, rows: count, bytes }) => [
      name,
      { rows: Number(count) < 0 ? null : Number(count), bytes: Number(bytes) },
    ]),
  )
}

/**
 * Milliseconds for a million rows, measured on two cores with jobs of 300 bytes (docs/decisions/0049). On other machines the time
 * is of the same order of magnitude.
 */
const msPerMillionRows: Readonly<Record<Exclude<TableWork, 'catalog'> | 'batches', number>> = {
  scan: 300,
  index: 1_500,
  'concurrent index': 3_000,
  rewrite: 5_000,
  batches: 60_000,
}

/** How long the work takes on this many rows; null if the number is unknown or the work does not depend on it. */
export function estimateMs(work: TableWork | 'batches', rows: number | null): number | null {
  if (rows === null || work === 'catalog') return null
  return Math.round((rows / 1_000_000) * msPerMillionRows[work])
}
