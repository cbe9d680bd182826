import {
  type Compilable,
  type CompiledQuery,
  DummyDriver,
  Kysely,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type RawBuilder,
  sql,
} from 'kysely'
import type pg from 'pg'
import { QueueError } from '../errors.ts'
import { borrow, type Use, outcomeOfUse } from '../connections/connections.ts'
import { MultiHostClient } from '../connections/multi-host-client.ts'
import { restoreOwnSession } from '../connections/own-session.ts'
import { isUnavailable, rethrow, sqlState, sqlStateOf } from '../pg-error.ts'
import { createStatementNames, forgetOldPlans, prepareAnew } from './prepared-statements.ts'
import { qualifyNames } from './qualify-names.ts'
import { queryWithin } from '../connections/timed-query.ts'
import { TextQuery } from './text-query.ts'
import { ownTypes } from './values.ts'

/** A statement before it is compiled: SQL with parameters, or a query of Kysely's builder. */
export type Statement<Row> = RawBuilder<Row> | Compilable<Row>

/**
 * `frequent` statements are parsed and planned once per connection, if its session may keep them prepared. `looping` statements
 * look up each of many rows. They are prepared only if the connection avoids sequential scans: a plan made for a nearly empty
 * table would scan all of it once for each row.
 */
export type Frequency = 'rare' | 'frequent' | 'looping'

/** Runs statements, on the pool or on the single connection of a caller's transaction. */
export interface Session {
  /**
   * Runs one statement, by default a `rare` one, and resolves with its rows. Throws `QueueError` with `database_unavailable` or
   * `schema_mismatch`, and PostgreSQL's own error otherwise.
   */
  run<Row>(statement: Statement<Row>, frequency?: Frequency): Promise<Row[]>
}

/** A session on the connections of a pool. */
export interface PoolSession extends Session {
  /**
   * Runs a frequent statement, and right after it, on the same connection, a second one in a transaction of its own. The second
   * runs after the commit or failure of the first, and does not delay its answer. The result and errors of the second are
   * dropped. Throws as `run` does.
   */
  runFollowed<Row>(statement: Statement<Row>, follower: Statement<unknown>): Promise<Row[]>
}

/** Compiles the statements of Kysely's builder and of its templates alike. */
class OwnQueryCompiler extends PostgresQueryCompiler {
  override compileQuery(...args: Parameters<PostgresQueryCompiler['compileQuery']>): CompiledQuery {
    const query = super.compileQuery(...args)
    return { ...query, sql: qualifyNames(query.sql) }
  }
}

/** Kysely only compiles statements, and node-postgres runs them. This instance is never connected. */
// oxlint-disable-next-line typescript/no-explicit-any -- it only compiles, and every statement has its own row type.
export const compiler = new Kysely<any>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new OwnQueryCompiler(),
  },
})

/** The text and the parameters of a statement. */
export function compile<Row>(statement: Statement<Row>): CompiledQuery<Row> {
  return statement.compile(compiler)
}

export interface PoolSessionOptions {
  /** A statement that gets no answer within this time fails, and its connection is destroyed. */
  readonly queryTimeoutMs: number
  /**
   * Which statements are kept prepared on each connection. `frequent`: only these. `by index`: frequent and looping statements,
   * on connections that avoid sequential scans (`beginOwnSession`).
   */
  readonly prepare: 'none' | 'frequent' | 'by index'
}

/**
 * A session on a pool: each statement uses any free connection. A statement that gets no answer within `queryTimeoutMs` fails,
 * and its connection is destroyed, because a half-open peer would never answer.
 *
 * If the default isolation is REPEATABLE READ or SERIALIZABLE, PostgreSQL refuses a statement that conflicts with another one on
 * its rows. Such a statement is sent again in a READ COMMITTED transaction, where it sees the changes of the other one
 * (docs/decisions/0044).
 */
export function poolSession(pool: pg.Pool, options: PoolSessionOptions): PoolSession {
  const { queryTimeoutMs, prepare } = options
  const isPrepared = {
    rare: false,
    frequent: prepare !== 'none',
    looping: prepare === 'by index',
  } as const satisfies Record<Frequency, boolean>
  const { makeReady, deliver } = createDelivery(options)
  return {
    run: (statement, frequency = 'rare') =>
      borrow(pool, queryTimeoutMs, async (client) => {
        const prepared = isPrepared[frequency]
        const ready = await outcomeOfUse(makeReady(client, prepared))
        return 'error' in ready ? ready : deliver(client, statement, { prepared })
      }),
    runFollowed: (statement, follower) =>
      borrow(pool, queryTimeoutMs, async (client) => {
        const prepared = isPrepared.frequent
        const ready = await outcomeOfUse(makeReady(client, prepared))
        if ('error' in ready) return ready
        // Both are passed to the connection at once. A connection that pipelines sends them without waiting in between; any
        // other connection sends the second after the answer to the first.
        let repeated = false
        const first = deliver(client, statement, { prepared, onRepeat: () => (repeated = true) })
        const second = deliver(client, follower, { prepared })
        const use = await first
        // A statement that was sent again ran after its follower, so the follower is sent again too.
        const last = repeated ? second.then(() => deliver(client, follower, { prepared })) : second
        return { ...use, later: last.then(({ usable }) => usable) }
      }),
  }
}

/** Functions that send statements over a connection, and send them again if they had no effect. */
function createDelivery({ queryTimeoutMs, prepare }: PoolSessionOptions) {
  const makeReady = async (client: pg.PoolClient, prepared: boolean): Promise<void> => {
    if (prepared && prepare === 'frequent') await forgetOldPlans(client, queryTimeoutMs)
  }
  const nameOf = createStatementNames()
  const sendAnew = async <Row>(
    client: pg.PoolClient,
    query: CompiledQuery<Row>,
    name: string,
  ): Promise<Row[]> => {
    prepareAnew(client, name)
    if (prepare === 'by index') await restoreOwnSession(client, queryTimeoutMs)
    return send(client, query, { queryTimeoutMs, name })
  }
  /**
   * Sends a statement. Sends it again if it had no effect and may succeed now: its prepared statement was discarded, or it
   * conflicted with another transaction.
   */
  const deliver = async <Row>(
    client: pg.PoolClient,
    statement: Statement<Row>,
    { prepared, onRepeat }: Delivery,
  ): Promise<Use<Row[]>> => {
    const query = compile(statement)
    const name = prepared ? nameOf(query.sql) : undefined
    let use = await outcomeOfUse(send(client, query, { queryTimeoutMs, name }))
    if (name !== undefined && hasFailedBy(use, sqlState.invalidStatementName)) {
      onRepeat?.()
      use = await outcomeOfUse(sendAnew(client, query, name))
    }
    if (hasFailedBy(use, sqlState.serializationFailure)) {
      onRepeat?.()
      use = await readCommitted(client, { queryTimeoutMs }, (session) => session.run(statement))
    }
    return use
  }
  return { makeReady, deliver }
}

interface Delivery {
  readonly prepared: boolean
  /** Called before the statement is sent once more. */
  readonly onRepeat?: () => void
}

/**
 * Runs `work` in a transaction of our own, committed when it resolves and rolled back when it rejects. Each statement sees all
 * earlier commits. Throws the errors of `work`. Throws `database_unavailable` also if the reply to the COMMIT was lost, so that
 * it is unknown whether it took effect.
 */
export function poolTransaction<Result>(
  pool: pg.Pool,
  queryTimeoutMs: number,
  work: (session: Session) => Promise<Result>,
): Promise<Result> {
  return borrow(pool, queryTimeoutMs, (client) => readCommitted(client, { queryTimeoutMs }, work))
}

export interface TransactionOptions {
  readonly queryTimeoutMs: number
  /** Statements without parameters with which it begins. */
  readonly settings?: string
}

/** Runs `work` in a READ COMMITTED transaction on this connection. Never throws. */
export async function readCommitted<Result>(
  client: pg.PoolClient,
  { queryTimeoutMs, settings }: TransactionOptions,
  work: (session: Session) => Promise<Result>,
): Promise<Use<Result>> {
  const run = (text: string) => send(client, compile(sql.raw(text)), { queryTimeoutMs })
  const session: Session = {
    run: (statement) => send(client, compile(statement), { queryTimeoutMs }).catch(rethrow),
  }
  try {
    await run(beginText(queryTimeoutMs, settings))
    const result = await work(session)
    await run('COMMIT')
    return { result, usable: true }
  } catch (error) {
    // A broken or silent connection would not answer a rollback.
    const reason = isOutage(error) ? error.cause : error
    if (isUnavailable(reason) && sqlStateOf(reason) !== sqlState.queryCanceled)
      return { error, usable: false }
    return { error, usable: await run('ROLLBACK').then(toTrue, toFalse) }
  }
}

/**
 * The statements that begin a transaction. The server ends a silent session, so that a half-open connection cannot leave our
 * locks behind.
 */
function beginText(queryTimeoutMs: number, settings = ''): string {
  const limited = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = ${queryTimeoutMs}`
  return settings === '' ? limited : `${limited}; ${settings}`
}

/** Whether a statement failed with this SQLSTATE. */
function hasFailedBy(use: Use<unknown>, state: string): boolean {
  return 'error' in use && sqlStateOf(use.error) === state
}

function toTrue(): boolean {
  return true
}

function toFalse(): boolean {
  return false
}

function isOutage(error: unknown): error is QueueError {
  return error instanceof QueueError && error.code === 'database_unavailable'
}

interface SendOptions {
  readonly queryTimeoutMs: number
  /** The name under which it is prepared; absent: it is not prepared. */
  readonly name?: string | undefined
}

/** Sends a statement. It passes the statement to the connection before it returns. */
export async function send<Row>(
  client: pg.PoolClient,
  query: CompiledQuery<Row>,
  { queryTimeoutMs, name }: SendOptions,
): Promise<Row[]> {
  const { rows } = await queryWithin(client, queryFor(client, query, name), queryTimeoutMs)
  return rows as Row[]
}

/**
 * The statement in the form that this client sends. A query of ours goes to clients of ours alone: one of a caller may be of another
 * copy of node-postgres, or its `query` may be wrapped by what expects a configuration and a promise.
 */
function queryFor(
  client: pg.PoolClient,
  { sql: text, parameters }: CompiledQuery,
  name: string | undefined,
): pg.QueryConfig | TextQuery {
  if (client instanceof MultiHostClient) return new TextQuery({ text, values: parameters, name })
  const config: pg.QueryConfig = { text, values: [...parameters], types: ownTypes }
  return name === undefined ? config : { ...config, name }
}
