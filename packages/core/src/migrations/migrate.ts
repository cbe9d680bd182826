import type { Access } from '../access/access.ts'
import { type GrantContext, grantToSetUpRoles, plannedGrants } from '../access/grant-to-set-up-roles.ts'
import { queueAccess } from '../access/privilege-matrix.ts'
import type { Process } from '../access/process-roles.ts'
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
import { lockedTransaction, lockTriesMax, ownSearchPath, readTransaction } from './locked-transaction.ts'
import type { Lineage } from './migration.ts'
import { type RunnerOptions, withRunnerClient } from './runner-client.ts'

export type { MigrationState } from './ledger.ts'

export interface MigrateOptions<Role extends string = Process> extends RunnerOptions {
  /** The roles of the processes, where they are not called `<schema>_<process>`. */
  readonly roles?: Partial<Readonly<Record<Role, string>>>
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

/** Brings one lineage of schemas up and down. Every call makes a connection of its own, and closes it. */
export interface Migrator<Role extends string = Process> {
  /**
   * Brings the schema up to this code's version. Each step is one transaction under an advisory lock, so that any
   * number of runners may start at once and each step is applied once; what the roles that were set up need of its
   * tables is part of it. Throws `schema_mismatch` when the database is newer than this code, `migration_failed` when
   * a lock could not be had, `database_unavailable` when there is no connection.
   */
  up(options: MigrateOptions<Role>): Promise<MigrationReport>
  /** Takes the schema back to version `to`, by default one step. The data that the undone steps held is lost. */
  down(options: MigrateOptions<Role> & { readonly to?: number }): Promise<MigrationReport>
  /** Which steps have been applied, and when. Reads only. */
  status(options: MigrateOptions<Role>): Promise<MigrationStatus>
  /**
   * The SQL that `up` would run now, complete with the ledger that it keeps, so that it can also be run by hand; an
   * empty string when there is nothing to do. Reads only.
   */
  plan(options: MigrateOptions<Role>): Promise<string>
}

export function createMigrator<Role extends string>(lineage: Lineage, access: Access<Role>): Migrator<Role> {
  const withRunner = <Result>(options: MigrateOptions<Role>, body: (runner: Runner) => Promise<Result>) =>
    withRunnerClient(lineage, options, (runner) => {
      const { roles = {}, onProgress = () => undefined } = options
      return body(createRunner({ ...runner, access, roles, onProgress }))
    })
  return {
    up: (options) => withRunner(options, goUp),
    down: (options) => withRunner(options, (runner) => goDown(runner, options.to)),
    status: (options) => withRunner(options, (runner) => runner.status()),
    plan: (options) => withRunner(options, (runner) => runner.plan()),
  }
}

/** The migrator of the queue's own schema. The roles that `applyRoles` has set up get what they need of each table. */
export const {
  up: migrateUp,
  down: migrateDown,
  status: migrationStatus,
  plan: migrationPlan,
} = createMigrator(queueLineage, queueAccess)

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

/** Where the steps are run, and who hears of them. */
interface StepContext extends GrantContext {
  readonly onProgress: (event: MigrationEvent) => void
}

function createRunner(context: StepContext): Runner {
  const { client, schema, lineage } = context
  return {
    schema,
    status: () => readStatus(context),
    plan: () => readTransaction(context, () => readPlan(context)),
    stepUp: () =>
      lockedStep(context, async (version) => {
        if (version > lineage.steps.length) throw newerThanCode(version, lineage)
        const next = lineage.steps[version]
        if (next !== undefined) await client.query(`${next.up(quoted(schema))}${noteApplied(context, next)}`)
        // A release may need more of a table that it does not change.
        await grantToSetUpRoles(context)
        return next && { type: 'applied', version: next.version, name: next.name }
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
  let version = 0
  const { done, from } = await lockedTransaction(context, {
    body: async () => {
      await ensureLedger(context)
      version = await readVersion(context)
      return { from: version, done: await body(version) }
    },
    onWait: (tries) => context.onProgress({ type: 'waiting', version: version + 1, tries }),
    lockedOut: (cause) => lockedOut(version, cause),
  })
  if (done !== undefined) context.onProgress(done)
  return { from, to: versionAfter(from, done) }
}

function versionAfter(version: number, done: StepDone): number {
  if (done === undefined) return version
  return done.type === 'applied' ? done.version : done.version - 1
}

function lockedOut(version: number, cause: unknown): QueueError {
  return new QueueError(
    'migration_failed',
    `no lock for the step after version ${version} in ${lockTriesMax} tries: end the long transactions and run it again`,
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
  const granted = await plannedGrants(context)
  if (steps.length + granted.length === 0) return ''
  const ledger = await missingLedger(context)
  return [`BEGIN;\n${ownSearchPath}`, ...ledger, ...steps, ...granted, 'COMMIT;\n'].join('\n')
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
