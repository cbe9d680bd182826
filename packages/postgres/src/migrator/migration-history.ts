import type pg from 'pg'
import type { MigrationSet, Migration } from './migration.ts'
import { checksumOf } from './step-checksum.ts'

/** A step of a migration set, and when it was applied. */
export interface MigrationState {
  readonly version: number
  readonly name: string
  /** Null if the step has not been applied. */
  readonly appliedAt: Date | null
}

/** The location of a migration history. */
interface MigrationHistoryLocation {
  readonly client: pg.ClientBase
  readonly schema: string
  readonly migrationSet: MigrationSet
}

/** The statement that records a step in the migration history. All values come from this code and need no escaping. */
export function noteApplied(location: Omit<MigrationHistoryLocation, 'client'>, step: Migration): string {
  const { version, name, minCode } = step
  return `INSERT INTO ${migrationHistoryName(location)} (version, name, min_code, checksum)
  VALUES (${version}, '${name}', ${minCode}, '${checksumOf(step)}')`
}

/** Creates the schema and the table of applied steps, if they do not exist. */
export async function ensureMigrationHistory(location: MigrationHistoryLocation): Promise<void> {
  for (const statement of await missingMigrationHistory(location)) await location.client.query(statement)
}

/** The statements of `ensureMigrationHistory`. An existing schema is used, because the role may not be allowed to create one. */
export async function missingMigrationHistory(location: MigrationHistoryLocation): Promise<string[]> {
  const { client, schema, migrationSet } = location
  if (await exists(location, migrationSet.historyTable)) return missingColumns(location)
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  return [...(rowCount === 0 ? [`CREATE SCHEMA ${quoted(schema)}`] : []), migrationHistoryTable(location)]
}

/** A history that an unreleased build has left behind has no checksums. */
async function missingColumns(location: MigrationHistoryLocation): Promise<string[]> {
  const { rowCount } = await location.client.query(
    `SELECT FROM pg_attribute AS a JOIN pg_class AS c ON c.oid = a.attrelid JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2 AND a.attname = 'checksum'`,
    [location.schema, location.migrationSet.historyTable],
  )
  return rowCount === 0 ? [`ALTER TABLE ${migrationHistoryName(location)} ADD COLUMN checksum text`] : []
}

function migrationHistoryTable(location: MigrationHistoryLocation): string {
  return `CREATE TABLE ${migrationHistoryName(location)} (
  version integer NOT NULL CONSTRAINT ${location.migrationSet.historyTable}_pkey PRIMARY KEY,
  name text NOT NULL,
  min_code integer NOT NULL,
  checksum text,
  applied_at timestamptz NOT NULL DEFAULT now()
)`
}

/**
 * Whether a table exists. This reads the catalog tables, because `to_regclass` uses a cache of the session, which does not
 * include the latest commits of another runner.
 */
async function exists({ client, schema }: MigrationHistoryLocation, table: string): Promise<boolean> {
  const { rowCount } = await client.query(
    `SELECT FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
      WHERE n.nspname = $1 AND c.relname = $2`,
    [schema, table],
  )
  return rowCount !== 0
}

/** The schema version, and the oldest code that can run on it. Both are 0 if no step has been applied. */
export interface AppliedVersion {
  readonly version: number
  readonly minCode: number
}

export async function readVersion(location: MigrationHistoryLocation): Promise<AppliedVersion> {
  const unmigrated = { version: 0, minCode: 0 }
  if (!(await exists(location, location.migrationSet.historyTable))) return unmigrated
  const { rows } = await location.client.query(
    `SELECT version, min_code AS "minCode" FROM ${migrationHistoryName(location)} ORDER BY version DESC LIMIT 1`,
  )
  return (rows[0] as AppliedVersion | undefined) ?? unmigrated
}

/** An applied step, as the history has it. */
export interface AppliedStep {
  readonly version: number
  readonly name: string
  /** The oldest code that can run on the schema after this step. */
  readonly minCode: number
  /** That of the text with which it was applied; null in the history of an unreleased build. */
  readonly checksum: string | null
}

/** The applied steps, in order; none if there is no history. */
export async function readApplied(
  location: MigrationHistoryLocation,
): Promise<(AppliedStep & { readonly appliedAt: Date })[]> {
  if (!(await exists(location, location.migrationSet.historyTable))) return []
  const { rows } = await location.client.query(
    `SELECT m.version, m.name, m.min_code AS "minCode", to_jsonb(m) ->> 'checksum' AS checksum,
            floor(extract(epoch FROM m.applied_at) * 1000)::bigint AS "appliedAtMs"
       FROM ${migrationHistoryName(location)} AS m ORDER BY m.version`,
  )
  return (rows as (AppliedStep & { readonly appliedAtMs: string })[]).map(({ appliedAtMs, ...step }) => ({
    ...step,
    appliedAt: new Date(Number(appliedAtMs)),
  }))
}

/** The progress of a batched step. */
export interface StepProgress {
  /** The cursor after which the next batch starts; null at the beginning. */
  readonly cursor: string | null
  /** The number of rows that its batches have processed. */
  readonly rows: number
}

/**
 * Reads the progress of this step. The table of the progress exists only while a batched step is in progress. The last batch
 * drops it.
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
  const { rows } = await location.client.query(`SELECT cursor, rows FROM ${table} WHERE version = $1`, [
    version,
  ])
  const [progress] = rows as { readonly cursor: string; readonly rows: string }[]
  return progress === undefined
    ? { cursor: null, rows: 0 }
    : { cursor: progress.cursor, rows: Number(progress.rows) }
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

/** The statement that drops the table of the progress. */
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

/** Quotes a schema name. Valid names need no escaping. */
export function quoted(schema: string): string {
  return `"${schema}"`
}
