import type pg from 'pg'
import type { Lineage, Migration } from './migration.ts'

/** A step that has been applied, or that could be. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** Null while the step has not been applied. */
  readonly appliedAt: Date | null
}

/** Where a ledger is kept. */
interface LedgerPlace {
  readonly client: pg.Client
  readonly schema: string
  readonly lineage: Lineage
}

/** The entry of a step in the ledger. All of it is our own text. */
export function noteApplied(
  place: Omit<LedgerPlace, 'client'>,
  { version, name, minCode }: Migration,
): string {
  return `INSERT INTO ${ledgerName(place)} (version, name, min_code) VALUES (${version}, '${name}', ${minCode});\n`
}

/** Makes what is missing of the schema and of the table of applied steps. */
export async function ensureLedger(place: LedgerPlace): Promise<void> {
  for (const statement of await missingLedger(place)) await place.client.query(statement)
}

/** A role that may not create schemas can use one that is there. */
export async function missingLedger(place: LedgerPlace): Promise<string[]> {
  const { client, schema } = place
  if (await ledgerExists(place)) return []
  const { rows } = await client.query(`SELECT to_regnamespace($1) IS NULL AS missing`, [quoted(schema)])
  const { missing } = rows[0] as { missing: boolean }
  return [...(missing ? [`CREATE SCHEMA ${quoted(schema)};\n`] : []), ledgerTable(place)]
}

function ledgerTable(place: LedgerPlace): string {
  return `
CREATE TABLE ${ledgerName(place)} (
  version integer NOT NULL CONSTRAINT ${place.lineage.ledger}_pkey PRIMARY KEY,
  name text NOT NULL,
  min_code integer NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
);
`
}

async function ledgerExists(place: LedgerPlace): Promise<boolean> {
  const { rows } = await place.client.query(`SELECT to_regclass($1) IS NOT NULL AS found`, [
    ledgerName(place),
  ])
  return (rows[0] as { found: boolean }).found
}

export async function readVersion(place: LedgerPlace): Promise<number> {
  const { rows } = await place.client.query(
    `SELECT coalesce(max(version), 0) AS version FROM ${ledgerName(place)}`,
  )
  return (rows[0] as { version: number }).version
}

export async function readApplied(place: LedgerPlace): Promise<MigrationState[]> {
  if (!(await ledgerExists(place))) return []
  const { rows } = await place.client.query(
    `SELECT version, name, extract(epoch FROM applied_at)::float8 * 1000 AS applied_at_ms
       FROM ${ledgerName(place)} ORDER BY version`,
  )
  return (rows as { version: number; name: string; applied_at_ms: number }[]).map((row) => ({
    version: row.version,
    name: row.name,
    appliedAt: new Date(row.applied_at_ms),
  }))
}

function ledgerName({ schema, lineage }: Omit<LedgerPlace, 'client'>): string {
  return `${quoted(schema)}.${lineage.ledger}`
}

/** The schema name was checked to need no escaping. */
export function quoted(schema: string): string {
  return `"${schema}"`
}
