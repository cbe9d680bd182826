import pg from 'pg'
import { isContention, toQueueError } from '../database/pg-error.ts'
import { assertSchemaName } from '../database/schema-names.ts'
import { QueueError } from '../domain/errors.ts'
import { queueLineage } from './index.ts'
import {
  ensureLedger,
  type MigrationState,
  missingLedger,
  noteApplied,
  quoted,
  readApplied,
  readVersion,
} from './ledger.ts'
import type { Lineage } from './migration.ts'

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

/** Brings one lineage of schemas up and down. Every call makes a connection of its own, and closes it. */
export interface Migrator {
  /**
   * Brings the schema up to this code's version. Each step is one transaction under an advisory lock, so that any
   * number of runners may start at once and each step is applied once. Throws `schema_mismatch` when the database is
   * newer than this code, `migration_failed` when a lock could not be had, `database_unavailable` when there is no
   * connection.
   */
  up(options: MigrateOptions): Promise<MigrationReport>
  /** Takes the schema back to version `to`, by default one step. The data that the undone steps held is lost. */
  down(options: MigrateOptions & { readonly to?: number }): Promise<MigrationReport>
  /** Which steps have been applied, and when. Reads only. */
  status(options: MigrateOptions): Promise<MigrationStatus>
  /**
   * The SQL that `up` would run now, complete with the ledger that it keeps, so that it can also be run by hand; an
   * empty string when there is nothing to do. Reads only.
   */
  plan(options: MigrateOptions): Promise<string>
}

export function createMigrator(lineage: Lineage): Migrator {
  const withRunner = <Result>(options: MigrateOptions, body: (runner: Runner) => Promise<Result>) =>
    runOn(lineage, options, body)
  return {
    up: (options) => withRunner(options, goUp),
    down: (options) => withRunner(options, (runner) => goDown(runner, options.to)),
    status: (options) => withRunner(options, (runner) => runner.status()),
    plan: (options) => withRunner(options, (runner) => runner.plan()),
  }
}

/** The migrator of the queue's own schema. */
export const {
  up: migrateUp,
  down: migrateDown,
  status: migrationStatus,
  plan: migrationPlan,
} = createMigrator(queueLineage)

async function goUp(runner: Runner): Promise<MigrationReport> {
  const first = await runner.stepUp()
  let to = first.to
  for (let step = first; step.from !== step.to; step = await runner.stepUp()) to = step.to
  return { schema: runner.schema, from: first.from, to }
}

async function goDown(runner: Runner, wanted: number | undefined): Promise<MigrationReport> {
  const from = (await runner.status()).databaseVersion
  const to = wanted ?? Math.max(0, from - 1)
  if (!Number.isInteger(to) || to < 0 || to > from) {
    throw new QueueError(
      'invalid_options',
      `cannot go down to version ${to}: the database is at version ${from}`,
    )
  }
  for (let version = from; version > to; version -= 1) await runner.stepDown(version)
  return { schema: runner.schema, from, to }
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

async function runOn<Result>(
  lineage: Lineage,
  options: MigrateOptions,
  body: (runner: Runner) => Promise<Result>,
): Promise<Result> {
  const schema = options.schema ?? lineage.schemaDefault
  assertSchemaName(schema)
  const client = new pg.Client({
    connectionString: options.connectionString,
    application_name: `${lineage.name}-migrate`,
    // A server that takes the connection and then says nothing must not hold a runner for ever.
    connectionTimeoutMillis: connectTimeoutMs,
    keepAlive: true,
  })
  // A connection that breaks fails the statement in flight; the event itself must not end the process.
  client.on('error', () => undefined)
  try {
    await client.connect()
    return await body(
      createRunner({ client, schema, lineage, onProgress: options.onProgress ?? (() => undefined) }),
    )
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
  readonly lineage: Lineage
  readonly onProgress: (event: MigrationEvent) => void
}

function createRunner(context: StepContext): Runner {
  const { client, schema, lineage } = context
  return {
    schema,
    status: () => readStatus(context),
    plan: () => readPlan(context),
    stepUp: () =>
      lockedStep(context, async (version) => {
        if (version > lineage.steps.length) throw newerThanCode(version, lineage)
        const next = lineage.steps[version]
        if (next === undefined) return undefined
        await client.query(`${next.up(quoted(schema))}${noteApplied(context, next)}`)
        return { type: 'applied', version: next.version, name: next.name }
      }),
    stepDown: async (expected) => {
      await lockedStep(context, async (version) => {
        // Another runner went down first: there is nothing left of this step to undo.
        if (version !== expected) return undefined
        const last = lineage.steps[version - 1]
        if (last === undefined) throw newerThanCode(version, lineage)
        await client.query(last.down(quoted(schema)))
        await client.query(`DELETE FROM ${quoted(schema)}.${lineage.ledger} WHERE version = $1`, [version])
        return { type: 'reverted', version, name: last.name }
      })
    },
  }
}

function newerThanCode(version: number, { steps }: Lineage): QueueError {
  return new QueueError(
    'schema_mismatch',
    `the database is at schema version ${version}, newer than this code (${steps.length}): run a newer release`,
  )
}

/** What a step has done; undefined when there was nothing to do. */
type StepDone = Extract<MigrationEvent, { type: 'applied' | 'reverted' }> | undefined

/** One transaction under the advisory lock; `body` gets the version that holds under it. */
async function lockedStep(context: StepContext, body: (version: number) => Promise<StepDone>): Promise<Step> {
  const { client, schema, lineage, onProgress } = context
  for (let tries = 1; ; tries += 1) {
    let version = 0
    try {
      await client.query(`BEGIN; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${ownSearchPath}`)
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `${lineage.name}.migrate.${schema}`,
      ])
      await ensureLedger(context)
      version = await readVersion(context)
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

async function readPlan(context: StepContext): Promise<string> {
  const { schema, lineage } = context
  const { databaseVersion } = await readStatus(context)
  const steps = lineage.steps
    .filter((migration) => migration.version > databaseVersion)
    .map(
      (step) =>
        `-- ${step.version} ${step.name}\n${step.up(quoted(schema)).trim()}\n\n${noteApplied(context, step)}`,
    )
  if (steps.length === 0) return ''
  const ledger = await missingLedger(context)
  return [`BEGIN;\n${ownSearchPath}`, ...ledger, ...steps, 'COMMIT;\n'].join('\n')
}

async function readStatus(context: StepContext): Promise<MigrationStatus> {
  const { steps } = context.lineage
  const applied = await readApplied(context)
  const known = steps.map(({ version, name }) => ({
    version,
    name,
    appliedAt: applied.find((one) => one.version === version)?.appliedAt ?? null,
  }))
  const unknown = applied.filter((one) => one.version > steps.length)
  return {
    schema: context.schema,
    databaseVersion: applied.at(-1)?.version ?? 0,
    codeVersion: steps.length,
    migrations: [...known, ...unknown],
  }
}
