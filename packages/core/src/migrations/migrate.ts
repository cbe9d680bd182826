import pg from 'pg'
import { isContention, toQueueError } from '../database/pg-error.ts'
import { assertSchemaName, schemaDefault } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import { codeVersion, migrations } from './index.ts'
import {
  ensureLedger,
  type MigrationState,
  missingLedger,
  noteApplied,
  quoted,
  readApplied,
  readVersion,
} from './ledger.ts'
import type { Migration } from './migration.ts'

export type { MigrationState } from './ledger.ts'

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

export interface MigrationStatus {
  readonly schema: string
  readonly databaseVersion: number
  readonly codeVersion: number
  readonly migrations: readonly MigrationState[]
}

/** A step gives way to the queries behind it after this long, and then tries again. */
const lockTimeoutMs = 3_000
const triesMax = 40
/** With a search path of its own, nobody else's function, operator or type can take the place of PostgreSQL's. */
const ownSearchPath = 'SET LOCAL search_path = pg_catalog, pg_temp;\n'
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

/**
 * The SQL that `migrateUp` would run now, complete with the ledger that it keeps, so that it can also be run by hand;
 * an empty string when there is nothing to do. Reads only.
 */
export async function migrationPlan(options: MigrateOptions): Promise<string> {
  return withRunner(options, (runner) => runner.plan())
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
  plan(): Promise<string>
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
    plan: () => readPlan(client, schema),
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
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${ownSearchPath}`)
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
  await client.query(`${migration.up(quoted(schema))}${noteApplied(schema, migration)}`)
}

async function readPlan(client: pg.Client, schema: string): Promise<string> {
  const { databaseVersion } = await readStatus(client, schema)
  const steps = migrations
    .filter((migration) => migration.version > databaseVersion)
    .map(
      (step) =>
        `-- ${step.version} ${step.name}\n${step.up(quoted(schema)).trim()}\n\n${noteApplied(schema, step)}`,
    )
  if (steps.length === 0) return ''
  const ledger = await missingLedger(client, schema)
  return [`BEGIN;\n${ownSearchPath}`, ...ledger, ...steps, 'COMMIT;\n'].join('\n')
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
