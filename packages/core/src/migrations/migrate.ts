import pg from 'pg'
import { isContention, toQueueError } from '../database/pg-error.ts'
import { assertSchemaName, schemaDefault } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import { codeVersion, migrations } from './index.ts'
import type { Migration } from './migration.ts'

export interface MigrateOptions {
  readonly connectionString: string
  /** Default `queue`. */
  readonly schema?: string
  readonly onProgress?: (event: MigrationEvent) => void
}

/** What a migration run tells while it goes on. */
export type MigrationEvent =
  | { readonly type: 'applied' | 'reverted'; readonly version: number; readonly name: string }
  | { readonly type: 'waiting'; readonly version: number; readonly tries: number }

export interface MigrationReport {
  readonly schema: string
  /** The schema version before and after; 0 means that nothing is there. */
  readonly from: number
  readonly to: number
}

export interface MigrationState {
  readonly version: number
  readonly name: string
  /** Null while the step has not been applied. */
  readonly appliedAt: Date | null
}

export interface MigrationStatus {
  readonly schema: string
  readonly databaseVersion: number
  readonly codeVersion: number
  readonly migrations: readonly MigrationState[]
}

/** A step gives way to the queries behind it after this long, and then tries again. */
const lockTimeoutMs = 3_000
const triesMax = 40
const connectTimeoutMs = 5_000

/**
 * Brings the schema up to this code's version. Each step is one transaction under an advisory lock, so that any
 * number of runners may start at once and each step is applied once. Throws `schema_mismatch` when the database is
 * newer than this code, `migration_failed` when a lock could not be had, `database_unavailable` when there is no
 * connection.
 */
export async function migrateUp(options: MigrateOptions): Promise<MigrationReport> {
  return withRunner(options, async (runner) => {
    const first = await runner.stepUp()
    let to = first.to
    for (let step = first; step.from !== step.to; step = await runner.stepUp()) to = step.to
    return { schema: runner.schema, from: first.from, to }
  })
}

/** Takes the schema back to version `to`, by default one step. The data that the undone steps held is lost. */
export async function migrateDown(
  options: MigrateOptions & { readonly to?: number },
): Promise<MigrationReport> {
  return withRunner(options, async (runner) => {
    const from = (await runner.status()).databaseVersion
    const to = options.to ?? Math.max(0, from - 1)
    if (!Number.isInteger(to) || to < 0 || to > from) {
      throw new QueueError(
        'invalid_options',
        `cannot go down to version ${to}: the database is at version ${from}`,
      )
    }
    for (let version = from; version > to; version -= 1) await runner.stepDown(version)
    return { schema: runner.schema, from, to }
  })
}

/** Which steps have been applied, and when. Reads only. */
export async function migrationStatus(options: MigrateOptions): Promise<MigrationStatus> {
  return withRunner(options, (runner) => runner.status())
}

/** The SQL that `migrateUp` would run now, or an empty string when there is nothing to do. Reads only. */
export async function migrationPlan(options: MigrateOptions): Promise<string> {
  return withRunner(options, async (runner) => {
    const { databaseVersion } = await runner.status()
    return migrations
      .filter((migration) => migration.version > databaseVersion)
      .map(
        (migration) =>
          `-- ${migration.version} ${migration.name}\n${migration.up(quoted(runner.schema)).trim()}\n`,
      )
      .join('\n')
  })
}

interface Step {
  readonly from: number
  readonly to: number
}

interface Runner {
  readonly schema: string
  stepUp(): Promise<Step>
  stepDown(version: number): Promise<void>
  status(): Promise<MigrationStatus>
}

async function withRunner<Result>(
  options: MigrateOptions,
  body: (runner: Runner) => Promise<Result>,
): Promise<Result> {
  const schema = options.schema ?? schemaDefault
  assertSchemaName(schema)
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: 'queue-migrate',
    // A server that takes the connection and then says nothing must not hold a runner for ever.
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  })
  // A connection that breaks fails the statement in flight; the event itself must not end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await body(createRunner({ client, schema, onProgress: options.onProgress ?? (() => undefined) }))
  } catch (error) {
    throw toQueueError(error)
  } finally {
    await client.end().catch(() => undefined)
  }
}

/** Where the steps are run, and who hears of them. */
interface StepContext {
  readonly client: pg.Client
  readonly schema: string
  readonly onProgress: (event: MigrationEvent) => void
}

function createRunner(context: StepContext): Runner {
  const { client, schema } = context
  return {
    schema,
    status: () => readStatus(client, schema),
    stepUp: () =>
      lockedStep(context, async (version) => {
        if (version > codeVersion) throw newerThanCode(version)
        const next = migrations[version]
        if (next === undefined) return undefined
        await apply(client, schema, next)
        return { type: 'applied', version: next.version, name: next.name }
      }),
    stepDown: async (expected) => {
      await lockedStep(context, async (version) => {
        // Another runner went down first: there is nothing left of this step to undo.
        if (version !== expected) return undefined
        const last = migrations[version - 1]
        if (last === undefined) throw newerThanCode(version)
        await client.query(last.down(quoted(schema)))
        await client.query(`DELETE FROM ${quoted(schema)}.migrations WHERE version = $1`, [version])
        return { type: 'reverted', version, name: last.name }
      })
    },
  }
}

function newerThanCode(version: number): QueueError {
  return new QueueError(
    'schema_mismatch',
    `the database is at schema version ${version}, newer than this code (${codeVersion}): run a newer release`,
  )
}

/** What a step has done; undefined when there was nothing to do. */
type StepDone = Extract<MigrationEvent, { type: 'applied' | 'reverted' }> | undefined

/** One transaction under the advisory lock; `body` gets the version that holds under it. */
async function lockedStep(
  { client, schema, onProgress }: StepContext,
  body: (version: number) => Promise<StepDone>,
): Promise<Step> {
  for (let tries = 1; ; tries += 1) {
    let version = 0
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}`)
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [`queue.migrate.${schema}`])
      await ensureLedger(client, schema)
      version = await readVersion(client, schema)
      const done = await body(version)
      await client.query('COMMIT')
      if (done !== undefined) onProgress(done)
      return { from: version, to: versionAfter(version, done) }
    } catch (error) {
      await client.query('ROLLBACK')
      if (!isContention(error)) throw error
      if (tries === triesMax) throw lockedOut(version, error)
      onProgress({ type: 'waiting', version: version + 1, tries })
      // The pause lets the queries that queued up behind the refused lock go first.
      await client.query('SELECT pg_sleep(0.2 + 0.3 * random())')
    }
  }
}

function versionAfter(version: number, done: StepDone): number {
  if (done === undefined) return version
  return done.type === 'applied' ? done.version : done.version - 1
}

function lockedOut(version: number, cause: unknown): QueueError {
  return new QueueError(
    'migration_failed',
    `no lock for the step after version ${version} in ${triesMax} tries: end the long transactions and run it again`,
    { cause },
  )
}

async function apply(client: pg.Client, schema: string, migration: Migration): Promise<void> {
  await client.query(migration.up(quoted(schema)))
  await client.query(
    `INSERT INTO ${quoted(schema)}.migrations (version, name, min_code) VALUES ($1, $2, $3)`,
    [migration.version, migration.name, migration.minCode],
  )
}

/** The schema and the table of applied steps. A role that may not create schemas can use one that is there. */
async function ensureLedger(client: pg.Client, schema: string): Promise<void> {
  const { rows } = await client.query(`SELECT to_regnamespace($1) IS NULL AS missing`, [quoted(schema)])
  if ((rows[0] as { missing: boolean }).missing) await client.query(`CREATE SCHEMA ${quoted(schema)}`)
  if (await ledgerExists(client, schema)) return
  await client.query(`
    CREATE TABLE ${quoted(schema)}.migrations (
      version integer NOT NULL CONSTRAINT migrations_pkey PRIMARY KEY,
      name text NOT NULL,
      min_code integer NOT NULL,
      applied_at timestamptz NOT NULL DEFAULT now()
    )`)
}

async function ledgerExists(client: pg.Client, schema: string): Promise<boolean> {
  const { rows } = await client.query(`SELECT to_regclass($1) IS NOT NULL AS found`, [
    `${quoted(schema)}.migrations`,
  ])
  return (rows[0] as { found: boolean }).found
}

async function readVersion(client: pg.Client, schema: string): Promise<number> {
  const { rows } = await client.query(
    `SELECT coalesce(max(version), 0) AS version FROM ${quoted(schema)}.migrations`,
  )
  return (rows[0] as { version: number }).version
}

async function readStatus(client: pg.Client, schema: string): Promise<MigrationStatus> {
  const applied = await readApplied(client, schema)
  const known = migrations.map(({ version, name }) => ({
    version,
    name,
    appliedAt: applied.find((one) => one.version === version)?.appliedAt ?? null,
  }))
  const unknown = applied.filter((one) => one.version > codeVersion)
  return {
    schema,
    databaseVersion: applied.at(-1)?.version ?? 0,
    codeVersion,
    migrations: [...known, ...unknown],
  }
}

async function readApplied(client: pg.Client, schema: string): Promise<MigrationState[]> {
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
function quoted(schema: string): string {
  return `"${schema}"`
}
