import type pg from 'pg'
import type { Migration } from './migration.ts'

/** A step that has been applied, or that could be. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** Null while the step has not been applied. */
  readonly appliedAt: Date | null
}

/** The entry of a step in the ledger. All of it is our own text. */
export function noteApplied(schema: string, { version, name, minCode }: Migration): string {
  return `INSERT INTO ${quoted(schema)}.migrations (version, name, min_code) VALUES (${version}, '${name}', ${minCode});\n`
}

/** Makes what is missing of the schema and of the table of applied steps. */
export async function ensureLedger(client: pg.Client, schema: string): Promise<void> {
  for (const statement of await missingLedger(client, schema)) await client.query(statement)
}

/** A role that may not create schemas can use one that is there. */
export async function missingLedger(client: pg.Client, schema: string): Promise<string[]> {
  if (await ledgerExists(client, schema)) return []
  const { rows } = await client.query(`SELECT to_regnamespace($1) IS NULL AS missing`, [quoted(schema)])
  const { missing } = rows[0] as { missing: boolean }
  return [...(missing ? [`CREATE SCHEMA ${quoted(schema)};\n`] : []), ledgerTable(schema)]
}

function ledgerTable(schema: string): string {
  return `
CREATE TABLE ${quoted(schema)}.migrations (
  version integer NOT NULL CONSTRAINT migrations_pkey PRIMARY KEY,
  name text NOT NULL,
  min_code integer NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`
}

async function ledgerExists(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass($1) IS NOT NULL AS found`, [
    `${quoted(schema)}.migrations`,
  ])
  return (rows[0] as { found: boolean }).found
}

export async function readVersion(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query(
    `SELECT coalesce(max(version), 0) AS version FROM ${quoted(schema)}.migrations`,
  )
  return (rows[0] as { version: number }).version
}

export async function readApplied(client: pg.Client, schema: string): Promise<MigrationState[]> {
  if (!(await ledgerExists(client, schema))) return []
  const { rows } = await client.query(
    `SELECT version, name, extract(epoch FROM applied_at)::float8 * 1000 AS applied_at_ms
       FROM ${quoted(schema)}.migrations ORDER BY version`,
  )
  return (rows as { version: number; name: string; applied_at_ms: number }[]).map((row) => ({
    version: row.version,
    name: row.name,
    appliedAt: new Date(row.applied_at_ms),
  }))
}

/** The schema name was checked to need no escaping. */
export function quoted(schema: string): string {
  return `"${schema}"`
}
