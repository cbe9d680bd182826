// Statements that run with settings of their own. A setting ends with the transaction that makes it, so that the next user of the
// connection does not inherit it, not even behind a pooler in transaction mode.
import { type CompiledQuery, sql } from 'kysely'
import pg from 'pg'
import { borrow, outcomeOfUse, type Use } from '../connections/connections.ts'
import { sqlState, sqlStateOf } from '../pg-error.ts'
import { createStatementNames, prepareAnew } from './prepared-statements.ts'
import {
  compile,
  type PoolSession,
  type PoolSessionOptions,
  readCommitted,
  send,
  type Session,
  type Statement,
  type TransactionOptions,
} from './session.ts'

/** The values of custom settings by name: `{ 'shop.customer': '7' }`. */
export type Settings = Readonly<Record<string, string>>

/** A session in which each statement runs in a transaction of its own with the same settings. */
export interface SettingSession extends PoolSession {
  /** Runs `work` in one transaction with these settings, as `Database.transaction` does. */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>
}

/**
 * A session on a pool whose statements all run with `settings`. On a connection that pipelines, BEGIN, the settings, the
 * statement and COMMIT are sent at once and answered in one round trip; on any other connection, one after the other. Its
 * transactions are READ COMMITTED. Throws as `PoolSession` does; a COMMIT without a reply is `database_unavailable`.
 */
export function settingSession(
  pool: pg.Pool,
  { queryTimeoutMs, prepare }: PoolSessionOptions,
  settings: Settings,
): SettingSession {
  const framing = { queryTimeoutMs, settings: settingsText(settings) }
  const transaction = <Result>(work: (session: Session) => Promise<Result>) =>
    borrow(pool, queryTimeoutMs, (client) => readCommitted(client, framing, work))
  if (prepare !== 'by index') return { transaction, ...sequentialSession(pool, framing) }
  return {
    transaction,
    run: (statement, frequency = 'rare') =>
      borrow(pool, queryTimeoutMs, (client) =>
        deliverFramed(client, statement, { ...framing, prepared: frequency !== 'rare' }),
      ),
    runFollowed: (statement, follower) =>
      borrow(pool, queryTimeoutMs, async (client) => {
        let repeated = false
        const onRepeat = (): void => void (repeated = true)
        const first = deliverFramed(client, statement, { ...framing, prepared: true, onRepeat })
        const second = follow(client, follower, framing)
        const use = await first
        // A statement that was sent again ran after its follower, so the follower is sent again too.
        const last = repeated ? second.then(() => follow(client, follower, framing)) : second
        return { ...use, later: last }
      }),
  }
}

/** The session for connections that do not pipeline: it sends one statement after the other. */
function sequentialSession(pool: pg.Pool, framing: TransactionOptions): PoolSession {
  const deliver = <Row>(client: pg.PoolClient, statement: Statement<Row>) =>
    readCommitted(client, framing, (session) => session.run(statement))
  return {
    run: (statement) => borrow(pool, framing.queryTimeoutMs, (client) => deliver(client, statement)),
    runFollowed: (statement, follower) =>
      borrow(pool, framing.queryTimeoutMs, async (client) => {
        const use = await deliver(client, statement)
        return 'error' in use ? use : { ...use, later: follow(client, follower, framing) }
      }),
  }
}

/** Sends the statement that follows a write; it needs no settings. Resolves with whether the connection may be used again. */
async function follow(
  client: pg.PoolClient,
  follower: Statement<unknown>,
  { queryTimeoutMs }: TransactionOptions,
): Promise<boolean> {
  const { usable } = await outcomeOfUse(send(client, compile(follower), { queryTimeoutMs }))
  return usable
}

/** The statements that make the settings, without parameters. */
function settingsText(settings: Settings): string {
  return Object.entries(settings)
    .map(([name, value]) => settingText(name, value))
    .join('; ')
}

/** The statement that makes a setting for the rest of its transaction, without parameters. */
export function settingText(name: string, value: string): string {
  return `SELECT set_config(${pg.escapeLiteral(name)}, ${pg.escapeLiteral(value)}, true)`
}

interface Framing extends TransactionOptions {
  readonly prepared: boolean
  /** Called before the statement is sent once more. */
  readonly onRepeat?: () => void
}

/** Shared by all sessions: a text has one name on a connection, whatever its settings are. */
const nameOf = createStatementNames()

/**
 * Sends a statement between BEGIN and COMMIT. Sends it again if it had no effect because its prepared statement was discarded.
 */
async function deliverFramed<Row>(
  client: pg.PoolClient,
  statement: Statement<Row>,
  framing: Framing,
): Promise<Use<Row[]>> {
  const query = compile(statement)
  const name = framing.prepared ? nameOf(query.sql) : undefined
  const use = await sendFramed(client, query, { ...framing, name })
  if (name === undefined || !('error' in use) || sqlStateOf(use.error) !== sqlState.invalidStatementName) {
    return use
  }
  framing.onRepeat?.()
  prepareAnew(client, name)
  return sendFramed(client, query, { ...framing, name })
}

/**
 * Passes BEGIN, the statement and COMMIT to the connection at once. If BEGIN fails, the statement fails as well, or runs without
 * the settings; in both cases the error of BEGIN is returned. If the statement fails, COMMIT rolls back.
 */
async function sendFramed<Row>(
  client: pg.PoolClient,
  query: CompiledQuery<Row>,
  { queryTimeoutMs, settings, name }: Framing & { readonly name: string | undefined },
): Promise<Use<Row[]>> {
  const simple = (text: string) => outcomeOfUse(send(client, compile(sql.raw(text)), { queryTimeoutMs }))
  const [begun, use, ended] = await Promise.all([
    // Without the idle timeout of our other transactions, because the COMMIT follows at once.
    simple(`BEGIN ISOLATION LEVEL READ COMMITTED; ${settings}`),
    outcomeOfUse(send(client, query, { queryTimeoutMs, name })),
    simple('COMMIT'),
  ])
  const usable = begun.usable && use.usable && ended.usable
  if ('error' in begun) return { error: begun.error, usable }
  if ('error' in use) return { error: use.error, usable }
  return 'error' in ended ? { error: ended.error, usable } : { result: use.result, usable }
}
