import { createHash } from 'node:crypto'
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
  type Transaction,
} from 'kysely'
import type pg from 'pg'
import { QueueError } from '../domain/errors.ts'
import { isUnavailable, sqlStateOf, toQueueError } from './pg-error.ts'
import { ownTypes } from './type-parsers.ts'

/** A statement before it is compiled: SQL with parameters, or a query of Kysely's builder. */
export type Statement<Row> = RawBuilder<Row> | Compilable<Row>

/**
 * `frequent` statements are parsed and planned once for each connection, where its session may keep them prepared.
 * `looping` ones, which look up each of many rows, only where a connection plans by indexes alone: a plan that was made
 * while the table was next to empty would read all of it once for each row.
 */
export type Frequency = 'rare' | 'frequent' | 'looping'

/** A place where one statement can be run: the pool, or the one connection of a caller's transaction. */
export interface Session {
  /**
   * Runs one statement, by default a `rare` one, and gives its rows. Throws `QueueError` (`database_unavailable`,
   * `schema_mismatch`) where that is what happened, PostgreSQL's own error otherwise.
   */
  run<Row>(statement: Statement<Row>, frequency?: Frequency): Promise<Row[]>
}

/** Sessions on connections that are ours for as long as we like. */
export interface PoolSession extends Session {
  /**
   * Runs a frequent statement, and right behind it on the same connection, after its commit or its failure, another one
   * in a transaction of its own. The first one's answer is not held up by the second, whose own answer and failure
   * nobody hears of. Throws what `run` throws.
   */
  runFollowed<Row>(statement: Statement<Row>, follower: Statement<unknown>): Promise<Row[]>
}

/** The caller's own transaction: whatever is written through it commits or rolls back with the caller's work. */
// oxlint-disable-next-line typescript/no-explicit-any -- the caller's schema type is the caller's business.
export type CallerTransaction = Transaction<any> | PgClient

/** A connected node-postgres client, checked out of a pool or not. */
export type PgClient = Pick<pg.ClientBase, 'query'>

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

function compile<Row>(statement: Statement<Row>): CompiledQuery<Row> {
  return statement.compile(compiler)
}

/** What node-postgres reads at run time and its types leave out: a bound on one query's wait, in milliseconds. */
interface TimedQuery extends pg.QueryConfig {
  readonly query_timeout: number
}

export interface PoolSessionOptions {
  /** A statement that gets no answer within this time fails, and its connection is destroyed. */
  readonly queryTimeoutMs: number
  /**
   * Which statements are kept prepared on each connection: none; the frequent ones; those and the looping ones, on
   * connections that plan by indexes alone (`planByIndexes`).
   */
  readonly prepare: 'none' | 'frequent' | 'by index'
}

/**
 * Makes a connection plan by indexes wherever there is one: a plan that is kept must not depend on how full the tables
 * were when it was made. Before PostgreSQL 18 the scan of a table that has no index to go by counts as so dear then that
 * it would be compiled. Rejects when there is no answer within `timeoutMs`.
 */
export async function planByIndexes(client: pg.ClientBase, timeoutMs: number): Promise<void> {
  const settings: TimedQuery = {
    text: 'SET enable_seqscan = off; SET jit = off',
    query_timeout: timeoutMs,
  }
  await client.query(settings)
}

/**
 * Sessions on a pool: each statement on whichever connection is free. A statement that gets no answer within
 * `queryTimeoutMs` fails and its connection is destroyed, because a half-open peer would never answer.
 */
export function poolSession(pool: pg.Pool, options: PoolSessionOptions): PoolSession {
  const { queryTimeoutMs, prepare } = options
  const isPrepared = {
    rare: false,
    frequent: prepare !== 'none',
    looping: prepare === 'by index',
  } as const satisfies Record<Frequency, boolean>
  const makeReady = async (client: pg.PoolClient, prepared: boolean): Promise<void> => {
    if (prepared && prepare === 'frequent') await forgetOldPlans(client, queryTimeoutMs)
  }
  return {
    run: (statement, frequency = 'rare') =>
      borrow(pool, async (client) => {
        const prepared = isPrepared[frequency]
        const ready = await used(makeReady(client, prepared))
        return 'error' in ready ? ready : used(send(client, statement, { queryTimeoutMs, prepared }))
      }),
    runFollowed: (statement, follower) =>
      borrow(pool, async (client) => {
        const prepared = isPrepared.frequent
        const ready = await used(makeReady(client, prepared))
        if ('error' in ready) return ready
        // Both are handed over at once: a connection that pipelines sends them one after the other without waiting, any
        // other one sends the second when the first has been answered.
        const first = used(send(client, statement, { queryTimeoutMs, prepared }))
        const second = used(send(client, follower, { queryTimeoutMs, prepared }))
        return { ...(await first), later: second.then(({ usable }) => usable) }
      }),
  }
}

/** What became of a statement, and whether its connection may be used again. Never throws. */
async function used<Result>(answer: Promise<Result>): Promise<Use<Result>> {
  try {
    return { result: await answer, usable: true }
  } catch (error) {
    // PostgreSQL's own refusal leaves the connection usable; anything else leaves it in an unknown state, and a
    // connection to a server that takes no writes any more is of no use.
    return { error, usable: sqlStateOf(error) !== undefined && !isFatal(error) && !isUnavailable(error) }
  }
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
  return borrow(pool, async (client) => {
    const options = { queryTimeoutMs, prepared: false }
    const run = (text: string) => send(client, sql.raw(text), options)
    const session: Session = {
      run: (statement) => send(client, statement, options).catch(rethrow),
    }
    try {
      // A half-open network must not leave our locks behind: the server ends a session that has fallen silent.
      await run(
        `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL idle_in_transaction_session_timeout = ${queryTimeoutMs}`,
      )
      const result = await work(session)
      await run('COMMIT')
      return { result, usable: true }
    } catch (error) {
      // On a broken connection, or a silent one, a rollback would only be waited for in vain.
      if (isUnavailable(error) || isOutage(error)) return { error, usable: false }
      return { error, usable: await run('ROLLBACK').then(yes, no) }
    }
  })
}

function yes(): boolean {
  return true
}

function no(): boolean {
  return false
}

function isOutage(error: unknown): boolean {
  return error instanceof QueueError && error.code === 'database_unavailable'
}

/** How many connections of a pool have broken or fallen silent so far. */
const generations = new WeakMap<pg.Pool, number>()
/** The generation in which a connection was made. */
const madeIn = new WeakMap<pg.PoolClient, number>()

function generationOf(pool: pg.Pool): number {
  return generations.get(pool) ?? 0
}

/**
 * A connection from after the last one that broke: what has cut one off has likely cut off its neighbours, and each
 * of those would be waited for in turn.
 */
async function checkOut(pool: pg.Pool): Promise<pg.PoolClient> {
  for (;;) {
    const client = await pool.connect().catch(rethrow)
    const current = generationOf(pool)
    const made = madeIn.get(client) ?? current
    madeIn.set(client, made)
    if (made === current) return client
    client.release(true)
  }
}

/** The connections of a pool that a statement has now. */
const connectionsInUse = new WeakMap<pg.Pool, Set<pg.PoolClient>>()

function inUseOf(pool: pg.Pool): Set<pg.PoolClient> {
  const known = connectionsInUse.get(pool) ?? new Set()
  connectionsInUse.set(pool, known)
  return known
}

/**
 * Breaks off the connections on which a statement waits for its answer, and lets none that was made before have another:
 * what is sent from now on goes out on new ones. The statements fail as in an outage, and may have taken effect.
 */
export function renewConnections(pool: pg.Pool): void {
  generations.set(pool, generationOf(pool) + 1)
  for (const client of inUseOf(pool)) breakOff(client)
}

/** node-postgres destroys the socket of a connection that waits for an answer, and says goodbye on any other. */
export function breakOff(client: pg.PoolClient): void {
  void (client as unknown as pg.Client).end().catch(() => undefined)
}

/** How a connection was used, and whether somebody else may have it next: at once, or when `later` has resolved. */
type Use<Result> = { readonly usable: boolean; readonly later?: Promise<boolean> } & (
  | { readonly result: Result }
  | { readonly error: unknown }
)

async function borrow<Result>(
  pool: pg.Pool,
  use: (client: pg.PoolClient) => Promise<Use<Result>>,
): Promise<Result> {
  const client = await checkOut(pool)
  // An error event between two queries would otherwise end the process.
  const onError = (): void => undefined
  client.on('error', onError)
  const inUse = inUseOf(pool)
  inUse.add(client)
  const release = (usable: boolean): void => {
    inUse.delete(client)
    client.off('error', onError)
    if (!usable) generations.set(pool, generationOf(pool) + 1)
    client.release(!usable)
  }
  const made = await use(client)
  // A broken one goes at once: whoever comes next must not be given its neighbours.
  if (made.later === undefined || !made.usable) release(made.usable)
  else void made.later.then(release)
  return 'error' in made ? rethrow(made.error) : made.result
}

interface SendOptions {
  readonly queryTimeoutMs: number
  readonly prepared: boolean
}

/** Hands the statement to the connection before it returns. */
async function send<Row>(
  client: pg.PoolClient,
  statement: Statement<Row>,
  { queryTimeoutMs, prepared }: SendOptions,
): Promise<Row[]> {
  const query = compile(statement)
  const config: TimedQuery = {
    text: query.sql,
    values: [...query.parameters],
    types: ownTypes,
    query_timeout: queryTimeoutMs,
  }
  const name = prepared ? nameOf(query.sql) : undefined
  if (name !== undefined) config.name = name
  const { rows } = await client.query(config)
  return rows as Row[]
}

/** How often prepared statements have been run on a connection since their plans were last made. */
const planUses = new WeakMap<pg.PoolClient, number>()
/**
 * PostgreSQL keeps the plan of a prepared statement until the table's statistics change. One that was made while the
 * table was next to empty may read it as a whole, and on a connection of the caller's nothing but this would end that
 * before autovacuum comes by.
 */
const planUsesMax = 20

async function forgetOldPlans(client: pg.PoolClient, queryTimeoutMs: number): Promise<void> {
  const uses = planUses.get(client) ?? 0
  planUses.set(client, uses < planUsesMax ? uses + 1 : 1)
  if (uses < planUsesMax) return
  const discard: TimedQuery = { text: 'DISCARD PLANS', query_timeout: queryTimeoutMs }
  await client.query(discard)
}

/**
 * The names under which statements are prepared, by their texts: one name for one text, also where others prepare on
 * the same connection.
 */
const names = new Map<string, string>()
/** Each connection keeps a plan for each name, and who chooses the columns of an insert chooses its text. */
const namesMax = 32

/** The name of a statement; undefined when there are too many to have it prepared. */
function nameOf(text: string): string | undefined {
  const known = names.get(text)
  if (known !== undefined || names.size >= namesMax) return known
  const name = `queue_${createHash('sha256').update(text).digest('hex').slice(0, 32)}`
  names.set(text, name)
  return name
}

function isFatal(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'severity' in error && error.severity !== 'ERROR'
}

/** A session inside the caller's transaction. It never commits, rolls back or releases anything. */
export function transactionSession(transaction: CallerTransaction): Session {
  return {
    async run<Row>(statement: Statement<Row>): Promise<Row[]> {
      const query = compile(statement)
      try {
        if ('executeQuery' in transaction) return await runOnKysely(transaction, query)
        const values = [...query.parameters]
        const { rows } = await transaction.query({ text: query.sql, values, types: ownTypes })
        return rows as Row[]
      } catch (error) {
        return rethrow(error)
      }
    },
  }
}

/** The caller's plugins are for the caller's rows: one that renames columns would make ours unreadable. */
async function runOnKysely<Row>(
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller's schema type is the caller's business.
  transaction: Transaction<any>,
  query: CompiledQuery<Row>,
): Promise<Row[]> {
  const { rows } = await transaction.withoutPlugins().executeQuery(query)
  return rows
}

function rethrow(error: unknown): never {
  throw toQueueError(error)
}
