import { isContention } from '../pg-error.ts'
import { quoted } from './migration-history.ts'
import { meetsVacuum } from './lock-mode.ts'
import type { TableUse } from './migration.ts'
import type { RunnerClient } from './runner-client.ts'
import { failureOf, lockTriesMax, runStatement } from './statement-failure.ts'

/**
 * How long a step waits for a lock before it gives up, lets the queries behind it go first, and tries again. A query that needs
 * the same table waits at most this long plus the time of the step itself, together less than half a second.
 */
export const lockTimeoutMs = 300
/** How long to wait for another runner, whose transaction blocks nobody else. */
const runnerTimeoutMs = 2_000
/** Vacuum gives up a table when another session has waited for it for a `deadlock_timeout`, which is 1 s by default. */
const vacuumTimeoutMs = 3_000
/** The time after which the server ends the transaction of a runner that does nothing, so that the other runners can continue. */
const idleTimeoutMs = 60_000

/** A fixed search path, so that no function, operator or type of another schema can replace PostgreSQL's own. */
export const ownSearchPath = 'SET LOCAL search_path = pg_catalog, pg_temp'

/** Names and definitions that PostgreSQL writes are compared with our own, which have quotes only where they must. */
const ownSettings = `${ownSearchPath}; SET LOCAL quote_all_identifiers = off`

/** What a runner waits for: a lock of another session, or another runner. */
export type WaitsFor = 'lock' | 'runner'

export interface LockedTransactionOptions<Result> {
  /** The work of the transaction. It runs again with each try. */
  readonly body: () => Promise<Result>
  /** How long a statement of the body waits for a lock; default `lockTimeoutMs`. */
  readonly timeoutMs?: number
  /** Called after each try that got no lock; tries count from 1. */
  readonly onWait: (tries: number, waitsFor: WaitsFor) => void
  /** Returns the error to throw if the last try also got no lock. */
  readonly lockedOut: (cause: unknown) => Error
}

/**
 * Runs a transaction under the advisory lock of the schema's runners, so that any number of runners may start at the same time. A
 * try ends if it gets no lock in time. The next try follows after a pause, up to `lockTriesMax` tries. There is no limit while
 * another runner is working. The lock and the settings end with the transaction, so this works behind a pooler too.
 */
export async function lockedTransaction<Result>(
  runner: RunnerClient,
  options: LockedTransactionOptions<Result>,
): Promise<Result> {
  let lockRefusals = 0
  for (let tries = 1; ; tries += 1) {
    const attempt = await tryOnce(runner, options)
    if ('result' in attempt) return attempt.result
    const waitsFor = attempt.waitsFor === 'runner' || (await isBuilding(runner)) ? 'runner' : 'lock'
    if (waitsFor === 'lock') lockRefusals += 1
    if (lockRefusals === lockTriesMax) throw options.lockedOut(attempt.error)
    options.onWait(tries, waitsFor)
    await giveWay(runner)
  }
}

/** Pauses, so that queries that wait behind the refused lock run first. */
export async function giveWay({ client }: RunnerClient): Promise<void> {
  await client.query('SELECT pg_catalog.pg_sleep(0.2 + 0.3 * pg_catalog.random())')
}

type Attempt<Result> = { readonly result: Result } | { readonly waitsFor: WaitsFor; readonly error: unknown }

async function tryOnce<Result>(
  { client, schema, migrationSet }: RunnerClient,
  { body, timeoutMs = lockTimeoutMs }: LockedTransactionOptions<Result>,
): Promise<Attempt<Result>> {
  let waitsFor: WaitsFor = 'runner'
  try {
    // With READ COMMITTED, the changes of the previous runner are visible after its lock is taken, whatever the default isolation
    // is.
    await client.query(
      `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${runnerTimeoutMs}; SET LOCAL statement_timeout = 0; ` +
        `SET LOCAL idle_in_transaction_session_timeout = ${idleTimeoutMs}; ${ownSettings}`,
    )
    await client.query(`SELECT pg_advisory_xact_lock(${advisoryKey(migrationSet.name, schema)})`)
    waitsFor = 'lock'
    await client.query(`SET LOCAL lock_timeout = ${timeoutMs}`)
    const result = await body()
    await client.query('COMMIT')
    return { result }
  } catch (error) {
    // If the connection is broken, the transaction has ended too.
    await client.query('ROLLBACK').catch(() => undefined)
    if (!isContention(failureOf(error))) throw error
    return { waitsFor, error }
  }
}

/** The key of the runners' lock, as SQL. Both names need no escaping. */
export function advisoryKey(migrationSet: string, schema: string): string {
  return `hashtextextended('${migrationSet}.migrate.${schema}', 0)`
}

/** Whether an index is being built in the schema. Until it is finished, no runner can change its table. */
async function isBuilding({ client, schema }: RunnerClient): Promise<boolean> {
  const { rows } = await client.query<{ found: boolean }>(
    `SELECT EXISTS (SELECT FROM pg_catalog.pg_stat_progress_create_index AS b
                      JOIN pg_catalog.pg_class AS c ON c.oid = b.relid
                     WHERE b.datname = pg_catalog.current_database()
                       AND c.relnamespace = pg_catalog.to_regnamespace($1)) AS found`,
    [quoted(schema)],
  )
  return rows[0]?.found === true
}

/**
 * Waits until vacuum has left the tables that will be changed, and keeps it away until the transaction ends. The lock for this
 * does not block readers or writers. The statements themselves wait too briefly for their locks to make vacuum give way.
 */
export async function keepVacuumAway(runner: RunnerClient, uses: readonly TableUse[]): Promise<void> {
  const statements = vacuumStatements(runner.schema, uses)
  for (const statement of statements) await runStatement(runner, statement)
}

/** The statements of `keepVacuumAway`. */
export function vacuumStatements(schema: string, uses: readonly TableUse[]): string[] {
  const tables = new Set(uses.filter(({ lock }) => meetsVacuum(lock)).map(({ table }) => table))
  if (tables.size === 0) return []
  const names = [...tables].toSorted().map((table) => `${quoted(schema)}.${table}`)
  return [
    `SET LOCAL lock_timeout = ${vacuumTimeoutMs}`,
    `LOCK TABLE ${names.join(', ')} IN SHARE UPDATE EXCLUSIVE MODE`,
    `SET LOCAL lock_timeout = ${lockTimeoutMs}`,
  ]
}

/** Runs `body` in a read-only transaction with a single snapshot. */
export async function readTransaction<Result>(
  { client }: RunnerClient,
  body: () => Promise<Result>,
): Promise<Result> {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${ownSettings}`)
  try {
    return await body()
  } finally {
    await client.query('ROLLBACK')
  }
}
