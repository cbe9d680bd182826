import {
  assertOptions,
  callback,
  number as numberRule,
  object,
  optional,
  type Parameters,
  text,
} from '@queue/loop/arguments'
import { QueueError } from '../errors.ts'
import { assertSame, readSchemaVersion } from './assert-current.ts'
import { applyBatched } from './batched-step.ts'
import { applyConcurrent, dropIndex } from './concurrent-step.ts'
import {
  dropProgress,
  migrationHistoryName,
  type MigrationState,
  quoted,
  readApplied,
  readVersion,
} from './migration-history.ts'
import { lockedTransaction, readTransaction } from './locked-transaction.ts'
import type { MigrationSet, Migration, StepStatement } from './migration.ts'
import { readPlan } from './plan.ts'
import type { MigrationPlan } from './render-plan.ts'
import { differentCure, differentReason, type SchemaVersion, schemaVersionOf } from './schema-version.ts'
import { type RunnerOptions, withRunnerClient } from './runner-client.ts'
import { lockedOut, stepFailure } from './statement-failure.ts'
import { type Grants, type MigrationEvent, type Outcome, type StepContext, stepTransaction } from './step.ts'
import { applyTransactional, runStatements } from './transactional-step.ts'

export interface MigrateOptions extends RunnerOptions {
  /** Receives the events of the run. */
  readonly onProgress?: (event: MigrationEvent) => void
}

export interface MigrationReport {
  readonly schema: string
  /** The schema version before and after; 0 means that there is no schema. */
  readonly from: number
  readonly to: number
  /**
   * The version to which this code brings a schema. Below `to` if the schema is of a newer release on which this code can run.
   */
  readonly codeVersion: number
}

export interface MigrationStatus {
  readonly schema: string
  readonly databaseVersion: number
  readonly codeVersion: number
  /** What the schema is for this code, which can run on it only if this is `compatible`. */
  readonly status: SchemaVersion['status']
  /** What to do about a schema that is `different`; otherwise null. */
  readonly remedy: string | null
  readonly migrations: readonly MigrationState[]
}

/** Applies and reverts the steps of a migration set. Every call opens a connection of its own, and closes it. */
export interface Migrator<Options extends MigrateOptions = MigrateOptions> {
  /**
   * Brings the schema to this code's version, step by step. Any number of runners may do so at once: each step is applied once,
   * completely or not at all, even if a run is interrupted; a batched step is continued. It also grants the privileges that the
   * existing roles need. A newer schema on which this code can run is left unchanged.
   *
   * Throws `schema_mismatch` if the schema is newer and this code cannot run on it, `migration_failed`, with the step and its
   * statement, if PostgreSQL refuses a statement or a lock could not be taken, and `database_unavailable` if there is no
   * connection.
   */
  up(options: Options): Promise<MigrationReport>
  /** Reverts the schema to version `to`, by default by one step. The data of the reverted steps is lost. */
  down(options: Options & { readonly to?: number }): Promise<MigrationReport>
  /** Which steps have been applied, and when. Reads only. */
  status(options: Options): Promise<MigrationStatus>
  /** The statements that `up` would run now, to read or to run by hand. Reads only. */
  plan(options: Options): Promise<MigrationPlan>
}

const optionRules = {
  connectionString: optional(text),
  schema: optional(text),
  roles: optional(object),
  onProgress: optional(callback),
  // Callers may pass the options that they pass to the setter of roles too.
  passwordVerifiers: optional(object),
}
const downRules = { ...optionRules, to: optional(numberRule) }

/** `grants` returns the privileges that roles need on the tables of the migration set, for the options of a call. */
export function createMigrator<Options extends MigrateOptions>(
  migrationSet: MigrationSet,
  grants: (options: Options) => Grants,
): Migrator<Options> {
  const run = async <Result>(
    options: Options,
    body: (context: StepContext) => Promise<Result>,
    rules: Parameters = optionRules,
  ): Promise<Result> => {
    assertOptions('migrate', options, rules)
    return withRunnerClient(migrationSet, options, (runner) => {
      const { onProgress = () => undefined } = options
      return body({ ...runner, grants: grants(options), onProgress })
    })
  }
  return {
    up: (options) => run(options, goUp),
    down: (options) => run(options, (context) => goDown(context, options.to), downRules),
    status: (options) => run(options, (context) => readTransaction(context, () => readStatus(context))),
    plan: (options) => run(options, (context) => readTransaction(context, () => readPlan(context))),
  }
}

async function goUp(context: StepContext): Promise<MigrationReport> {
  const { schema, migrationSet } = context
  const codeVersion = migrationSet.steps.length
  const from = await acceptedVersion(context)
  let to = from
  for (let step = migrationSet.steps[to]; step !== undefined; step = migrationSet.steps[to]) {
    await applyStep(context, step)
    // Another runner may have applied or reverted steps meanwhile.
    to = await acceptedVersion(context)
  }
  // A release may need more privileges on tables that it does not change.
  if (to === codeVersion) await applyGrants(context)
  return { schema, from, to, codeVersion }
}

/** The version of the schema. Throws `schema_mismatch` if this code can neither run on it nor bring it up. */
async function acceptedVersion(context: StepContext): Promise<number> {
  const version = await readTransaction(context, () => readSchemaVersion(context))
  assertSame(version, context.migrationSet.upCommand)
  if (version.status === 'newer') throw newerThanCode(version.databaseVersion, context.migrationSet)
  return version.databaseVersion
}

async function applyStep(context: StepContext, step: Migration): Promise<void> {
  const outcome = await applyByType(context, step).catch((error: unknown) => {
    throw stepFailure(step, error)
  })
  const { version, name } = step
  if (outcome === 'done') context.onProgress({ type: 'applied', version, name })
}

function applyByType(context: StepContext, step: Migration): Promise<Outcome> {
  switch (step.type) {
    case 'transactional':
      return applyTransactional(context, step)
    case 'concurrent':
      return applyConcurrent(context, step)
    case 'batched':
      return applyBatched(context, step)
  }
}

function applyGrants(context: StepContext): Promise<void> {
  const version = context.migrationSet.steps.length
  return lockedTransaction(context, {
    body: () => context.grants.apply(context),
    onWait: (tries, waitsFor) => context.onProgress({ type: 'waiting', version, tries, waitsFor }),
    lockedOut: (error) => lockedOut('the grants', error),
  })
}

async function goDown(context: StepContext, target: number | undefined): Promise<MigrationReport> {
  const { schema, migrationSet } = context
  const codeVersion = migrationSet.steps.length
  const from = (await readTransaction(context, () => readVersion(context))).version
  const to = target ?? Math.max(0, from - 1)
  if (!Number.isInteger(to) || to < 0 || to > from) {
    throw new QueueError(
      'invalid_options',
      `cannot go down to version ${to}: the database is at version ${from}`,
    )
  }
  for (let version = from; version > to; version -= 1) {
    const step = migrationSet.steps[version - 1]
    if (step === undefined) throw newerThanCode(version, migrationSet)
    await revertStep(context, step)
  }
  return { schema, from, to, codeVersion }
}

/** Reverts a step, unless another runner has done so first. */
async function revertStep(context: StepContext, step: Migration): Promise<void> {
  const { version, name } = step
  const outcome = await stepTransaction<Outcome>(context, step, {
    from: version,
    body: async () => {
      await runStatements(context, downStatements(step, context.schema))
      // The step after this one may be a batched step in progress.
      await context.client.query(dropProgress(context))
      await context.client.query(`DELETE FROM ${migrationHistoryName(context)} WHERE version = $1`, [version])
      return 'done'
    },
  }).catch((error: unknown) => {
    throw stepFailure(step, error)
  })
  if (outcome === 'done') context.onProgress({ type: 'reverted', version, name })
}

function downStatements(step: Migration, schema: string): readonly StepStatement[] {
  return step.type === 'concurrent' ? dropIndex(schema, step.index) : step.down(quoted(schema))
}

function newerThanCode(version: number, { steps }: MigrationSet): QueueError {
  return new QueueError(
    'schema_mismatch',
    `the database is at schema version ${version}, newer than this code (${steps.length}): run a newer release`,
  )
}

async function readStatus(context: StepContext): Promise<MigrationStatus> {
  const { schema, migrationSet } = context
  const applied = await readApplied(context)
  const version = schemaVersionOf(applied, migrationSet)
  const { status, databaseVersion, codeVersion } = version
  const known = migrationSet.steps.map(({ version: number, name }) => ({
    version: number,
    name,
    appliedAt: applied.find((state) => state.version === number)?.appliedAt ?? null,
  }))
  const unknown = applied
    .filter((state) => state.version > codeVersion)
    .map(({ version: number, name, appliedAt }) => ({ version: number, name, appliedAt }))
  return {
    schema,
    databaseVersion,
    codeVersion,
    status,
    remedy:
      status === 'different' ? `${differentReason(version)}: ${differentCure(migrationSet.upCommand)}` : null,
    migrations: [...known, ...unknown],
  }
}
