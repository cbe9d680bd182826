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
import { restoreOwnSession } from '../connections/own-session.ts'
import { isUnavailable, rethrow, sqlState, sqlStateOf } from '../pg-error.ts'
import { createStatementNames, forgetOldPlans, prepareAnew } from './prepared-statements.ts'
import { queryWithin } from '../connections/timed-query.ts'
import { ownTypes } from './values.ts'

/** A statement before it is compiled: SQL with parameters, or a query of Kysely's builder. */
export type Statement<Row> = RawBuilder<Row> | Compilable<Row>

/**
 * `frequent` statements are parsed and planned once per connection, where its session may keep them prepared. `looping`
 * ones, which look up each of many rows, are kept prepared only where the connection plans by indexes alone: a plan made
 * for a nearly empty table would scan all of it once for each row.
 */
export type Frequency = 'rare' | 'frequent' | 'looping'

/** Runs statements: on the pool, or on the one connection of a caller's transaction. */
export interface Session {
  /**
   * Runs one statement, by default a `rare` one, and gives its rows. Throws `QueueError` with `database_unavailable` or
   * `schema_mismatch`, and PostgreSQL's own error otherwise.
   */
  run<Row>(statement: Statement<Row>, frequency?: Frequency): Promise<Row[]>
}

/** A session on the connections of a pool. */
export interface PoolSession extends Session {
  /**
   * Runs a frequent statement, and right after it, on the same connection, a second one in a transaction of its own. The
   * second runs after the commit or failure of the first, and does not delay its answer; its own result and errors are
   * dropped. Throws what `run` throws.
   */
  runFollowed<Row>(statement: Statement<Row>, follower: Statement<unknown>): Promise<Row[]>
}

/** Kysely compiles; node-postgres runs. This instance is never connected to anything. */
// oxlint-disable-next-line typescript/no-explicit-any -- it only compiles, and every statement states its own row type.
export const compiler = new Kysely<any>({
  dialect: {
    createAdapter: () => new PostgresAdapter(),
    createDriver: () => new DummyDriver(),
    createIntrospector: (db) => new PostgresIntrospector(db),
    createQueryCompiler: () => new PostgresQueryCompiler(),
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
   * Which statements are kept prepared on each connection: none; the frequent ones; those and the looping ones, on
   * connections that plan by indexes alone (`beginOwnSession`).
   */
  readonly prepare: 'none' | 'frequent' | 'by index'
}

/**
 * Sessions on a pool: each statement on whichever connection is free. A statement that gets no answer within
 * `queryTimeoutMs` fails and its connection is destroyed, because a half-open peer would never answer.
 *
 * Where the default isolation is REPEATABLE READ or SERIALIZABLE, PostgreSQL refuses a statement that conflicts with
 * another one on its rows. Such a statement is sent again in a READ COMMITTED transaction, where it sees the rows as the
 * other one left them (docs/decisions/0044).
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
        // Both are handed over at once: a connection that pipelines sends them one after the other without waiting, any
        // other one sends the second when the first has been answered.
        let repeated = false
        const first = deliver(client, statement, { prepared, onRepeat: () => (repeated = true) })
        const second = deliver(client, follower, { prepared })
        const use = await first
        // A statement that had to be sent again has come behind its follower.
        const last = repeated ? second.then(() => deliver(client, follower, { prepared })) : second
        return { ...use, later: last.then(({ usable }) => usable) }
      }),
  }
}

/** How a statement gets to a connection, and what is done where it has had no effect there. */
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
   * Sends a statement, and repeats it when it had no effect and may have one now: its prepared statement was discarded, or
   * it conflicted with another transaction.
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
 * Runs `work` in a transaction of our own, committed when it resolves and rolled back when it rejects. Each
 * statement sees what was committed before it. Throws what `work` throws; `database_unavailable` also when the reply
 * to the commit was lost, and it is unknown whether it took effect.
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
  /** Simple statements that it begins with. */
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
    // On a broken or silent connection nothing would answer a rollback.
    const reason = isOutage(error) ? error.cause : error
    if (isUnavailable(reason) && sqlStateOf(reason) !== sqlState.queryCanceled)
      return { error, usable: false }
    return { error, usable: await run('ROLLBACK').then(toTrue, toFalse) }
  }
}

/**
 * Begins a transaction of ours. The server ends a silent session, so that a half-open network cannot leave our locks
 * behind.
 */
function beginText(queryTimeoutMs: number, settings = ''): string {
  const limited = `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = ${queryTimeoutMs}`
  return settings === '' ? limited : `${limited}; ${settings}`
}

/** Whether PostgreSQL has refused a statement with this SQLSTATE. */
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

/** Passes the statement to the connection before it returns. */
export async function send<Row>(
  client: pg.PoolClient,
  query: CompiledQuery<Row>,
  { queryTimeoutMs, name }: SendOptions,
): Promise<Row[]> {
  const config: pg.QueryConfig = { text: query.sql, values: [...query.parameters], types: ownTypes }
  if (name !== undefined) config.name = name
  const { rows } = await queryWithin(client, config, queryTimeoutMs)
  return rows as Row[]
}
