import type pg from 'pg'
import type { MigrationSet, Migration } from './migration.ts'

/** A step that has been applied, or that could be. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** Null while the step has not been applied. */
  readonly appliedAt: Date | null
}

/** Where a migration history is kept. */
interface MigrationHistoryLocation {
  readonly client: pg.ClientBase
  readonly schema: string
  readonly migrationSet: MigrationSet
}

/** The entry of a step in the migration history. All of it is our own text. */
export function noteApplied(
  location: Omit<MigrationHistoryLocation, 'client'>,
  { version, name, minCode }: Migration,
): string {
  return `INSERT INTO ${migrationHistoryName(location)} (version, name, min_code) VALUES (${version}, '${name}', ${minCode})`
}

/** Makes what is missing of the schema and of the table of applied steps. */
export async function ensureMigrationHistory(location: MigrationHistoryLocation): Promise<void> {
  for (const statement of await missingMigrationHistory(location)) await location.client.query(statement)
}

/** A role that may not create schemas can use one that is there. */
export async function missingMigrationHistory(location: MigrationHistoryLocation): Promise<string[]> {
  const { client, schema, migrationSet } = location
  if (await exists(location, migrationSet.historyTable)) return []
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  return [...(rowCount === 0 ? [`CREATE SCHEMA ${quoted(schema)}`] : []), migrationHistoryTable(location)]
}

function migrationHistoryTable(location: MigrationHistoryLocation): string {
  return `CREATE TABLE ${migrationHistoryName(location)} (
  version integer NOT NULL CONSTRAINT ${location.migrationSet.historyTable}_pkey PRIMARY KEY,
  name text NOT NULL,
  min_code integer NOT NULL,
  applied_at timestamptz NOT NULL DEFAULT now()
)`
}

/**
 * Asks the catalog itself: `to_regclass` answers from a cache of the session, which hears of what another runner has
 * committed only after it has begun to use some table.
 */
async function exists({ client, schema }: MigrationHistoryLocation, table: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, table],
  )
  return rowCount !== 0
}

/** The schema version, and the oldest code that can run on it; both are 0 where nothing has been applied. */
export interface AppliedVersion {
  readonly version: number
  readonly minCode: number
}

export async function readVersion(location: MigrationHistoryLocation): Promise<AppliedVersion> {
  const nothing = { version: 0, minCode: 0 }
  if (!(await exists(location, location.migrationSet.historyTable))) return nothing
  const { rows } = await location.client.query(
    `SELECT version, min_code AS "minCode" FROM ${migrationHistoryName(location)} ORDER BY version DESC LIMIT 1`,
  )
  return (rows[0] as AppliedVersion | undefined) ?? nothing
}

export async function readApplied(location: MigrationHistoryLocation): Promise<MigrationState[]> {
  if (!(await exists(location, location.migrationSet.historyTable))) return []
  const { rows } = await location.client.query(
    `SELECT version, name, extract(epoch FROM applied_at)::float8 * 1000 AS applied_at_ms
       FROM ${migrationHistoryName(location)} ORDER BY version`,
  )
  return (rows as { version: number; name: string; applied_at_ms: number }[]).map((row) => ({
    version: row.version,
    name: row.name,
    appliedAt: new Date(row.applied_at_ms),
  }))
}

/** How far a batched step has come. */
export interface StepProgress {
  /** What the next batch begins behind; null at the beginning. */
  readonly cursor: string | null
  /** Rows that its batches have gone over. */
  readonly rows: number
}

/**
 * How far this step has come. Its table is there while a batched step is under way, and at no other time: with the last
 * batch it goes.
 */
export async function readProgress(
  location: MigrationHistoryLocation,
  version: number,
): Promise<StepProgress> {
  const table = progressName(location)
  if (!(await exists(location, progressTable(location)))) {
    await location.client.query(
      `CREATE TABLE ${table} (version integer NOT NULL, cursor text NOT NULL, rows bigint NOT NULL)`,
    )
  }
  const { rows } = await location.client.query(
    `SELECT cursor, rows::float8 AS rows FROM ${table} WHERE version = $1`,
    [version],
  )
  return (rows[0] as StepProgress | undefined) ?? { cursor: null, rows: 0 }
}

export async function writeProgress(
  location: MigrationHistoryLocation,
  version: number,
  { cursor, rows }: StepProgress,
): Promise<void> {
  const table = progressName(location)
  await location.client.query(`DELETE FROM ${table}`)
  await location.client.query(`INSERT INTO ${table} (version, cursor, rows) VALUES ($1, $2, $3)`, [
    version,
    cursor,
    rows,
  ])
}

/** What is to be run when nothing more is under way. */
export function dropProgress(location: Omit<MigrationHistoryLocation, 'client'>): string {
  return `DROP TABLE IF EXISTS ${progressName(location)}`
}

export function migrationHistoryName({
  schema,
  migrationSet,
}: Omit<MigrationHistoryLocation, 'client'>): string {
  return `${quoted(schema)}.${migrationSet.historyTable}`
}

function progressName(location: Omit<MigrationHistoryLocation, 'client'>): string {
  return `${quoted(location.schema)}.${progressTable(location)}`
}

function progressTable({ migrationSet }: Omit<MigrationHistoryLocation, 'client'>): string {
  return `${migrationSet.historyTable}_progress`
}

/** The schema name was checked to need no escaping. */
export function quoted(schema: string): string {
  return `"${schema}"`
}
