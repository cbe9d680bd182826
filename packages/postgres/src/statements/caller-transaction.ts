// The caller's own transaction: which values are accepted as one, and how a write makes sure that it runs inside it.
import { readable } from '@queue/loop/arguments'
import { type CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely'
import type pg from 'pg'
import { QueueError } from '../errors.ts'
import { rethrow, sqlState, sqlStateOf } from '../pg-error.ts'
import { plainValues } from './plain-values.ts'
import { compile, type Session, type Statement } from './session.ts'
import { ownTypes } from './values.ts'

/** The caller's own transaction. Everything written through it commits or rolls back with the caller's work. */
// oxlint-disable-next-line typescript/no-explicit-any -- the schema type of the caller does not matter here.
export type CallerTransaction = Transaction<any> | PgClient | TransactionClient

/** A connected node-postgres client, from a pool or not. A pool is not accepted; it is recognized by its `totalCount`. */
export type PgClient = Pick<pg.ClientBase, 'query'> & { readonly totalCount?: never }

/**
 * The client of `ctx.transaction`: a connection of node-postgres, to which libraries such as Drizzle and Kysely can be bound. Its
 * `release` does nothing.
 */
export type PgConnection = pg.PoolClient

/** Runs statements inside a transaction of another library, and returns results in the form of node-postgres. */
export interface TransactionClient {
  /** Runs one statement with its parameters, `$1` and so on, inside the transaction. Rejects with PostgreSQL's own error. */
  query(statement: { readonly text: string; readonly values: readonly unknown[] }): Promise<{
    readonly rows: readonly object[]
  }>
  /** Excludes pools, which have this member. */
  readonly totalCount?: never
}

/** A session inside the caller's transaction. Its writes are part of that transaction, or do not happen. */
export interface CallerSession extends Session {
  /**
   * Runs a write that returns at least one row. Outside of the transaction with the given id the write returns no rows and has no
   * effect (see `callerIsInside`), and this throws `invalid_options`.
   */
  write<Row>(statement: (transactionId: TransactionId) => Statement<Row>): Promise<Row[]>
}

/** PostgreSQL's id of the transaction in which a write must run; null if the client itself knows that it is in a transaction. */
export type TransactionId = string | null

/**
 * A session in the caller's transaction. Throws `invalid_options` at once if the value cannot be a transaction, and at the first
 * write if it turns out not to be one.
 *
 * An idle node-postgres client knows whether it is in a transaction, and the next statement passed to it is the next one that the
 * server runs. In other cases (Kysely, a statement or a COMMIT in flight, another kind of client) a statement before the write
 * reads the transaction's id, and the write takes effect only in that transaction. Outside of a transaction each statement has an
 * id of its own, so the write has no effect.
 */
export function callerSession(transaction: unknown): CallerSession {
  assertTransaction(transaction)
  const inside = transactionSession(transaction)
  const session: Session = {
    run: (statement) => inside.run(statement).catch(toRefusal),
  }
  return {
    ...session,
    write: async (statement) => {
      const transactionState = transactionStateOf(transaction)
      if (transactionState === 'outside') throw notInside()
      // Do not await between `transactionStateOf` and this line: the state holds for the next statement only.
      if (transactionState === 'inside') return session.run(statement(null))
      const rows = await session.run(statement(await readTransactionId(session)))
      if (rows.length === 0) throw notInside()
      return rows
    },
  }
}

/**
 * A common table expression with one row, `caller (is_inside)`: whether the statement runs in the transaction with this id. A
 * write selects its rows from it, so that outside of that transaction it writes and returns nothing.
 */
export function callerIsInside(transactionId: RawBuilder<unknown>): RawBuilder<unknown> {
  const id = sql`${transactionId}::text`
  return sql`caller AS MATERIALIZED (
      SELECT ${id} IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = ${id}, false) AS is_inside
    )`
}

async function readTransactionId(session: Session): Promise<string> {
  const [row] = await session.run(
    sql<{ transaction_id: string }>`SELECT pg_current_xact_id()::text AS transaction_id`,
  )
  if (row === undefined) throw new Error('the database returned no transaction id')
  return row.transaction_id
}

/** The rows of a result. An object with a query method need not be a node-postgres client, so the result is checked. */
function rowsOf<Row>(answer: unknown): Row[] {
  const isAnswer = typeof answer === 'object' && answer !== null && 'rows' in answer
  if (isAnswer && Array.isArray(answer.rows)) return namedAsSent(answer.rows as Row[])
  throw refused('a client whose results do not have the form of node-postgres')
}

/** Members of a node-postgres client that other releases and libraries may lack. */
interface PossiblePgClient {
  /** False while a statement is in flight. */
  readonly readyForQuery?: unknown
  /** `I` outside of any transaction, `T` inside of one, `E` in one that has failed. */
  readonly getTransactionStatus?: () => unknown
}

function transactionStateOf(transaction: CallerTransaction): 'inside' | 'outside' | 'unknown' {
  const { readyForQuery, getTransactionStatus } = transaction as PossiblePgClient
  if (readyForQuery !== true || typeof getTransactionStatus !== 'function') return 'unknown'
  const status = getTransactionStatus.call(transaction)
  if (status === 'I') return 'outside'
  return status === 'T' || status === 'E' ? 'inside' : 'unknown'
}

/** Refuses values that cannot run statements, and values that may run each statement on another connection. */
function assertTransaction(value: unknown): asserts value is CallerTransaction {
  const fault = readable('transaction', () => transactionFault(value))
  if (fault !== undefined) throw refused(fault)
}

function transactionFault(value: unknown): string | undefined {
  if (value === undefined || value === null) return String(value)
  if (typeof value !== 'object') return `a ${typeof value}`
  if ('executeQuery' in value) {
    return 'isTransaction' in value && value.isTransaction === true ? undefined : 'a Kysely instance'
  }
  if (!('query' in value) || typeof value.query !== 'function') return 'an object without a query method'
  return 'totalCount' in value ? 'a pool, whose statements go over any of its connections' : undefined
}

function notInside(): QueueError {
  return refused('a client that is not inside a transaction')
}

function refused(description: string): QueueError {
  return new QueueError(
    'invalid_options',
    'the option transaction takes a Kysely transaction, or a node-postgres client after its BEGIN and before its COMMIT or ROLLBACK ' +
      `(for Drizzle, Prisma and postgres.js see docs/recipes.md), but this is ${description}; await every enqueue before the transaction ends`,
  )
}

/** Converts PostgreSQL's own error for a statement that is only allowed inside a transaction. */
function toRefusal(error: unknown): never {
  if (sqlStateOf(error) === sqlState.noActiveTransaction) throw notInside()
  if (error instanceof QueueError && sqlStateOf(error.cause) === sqlState.readOnlyTransaction) {
    throw new QueueError(
      'invalid_options',
      'the transaction is READ ONLY: begin one that may write, on a server that takes writes',
      { cause: error.cause },
    )
  }
  throw error
}

/** A session inside the caller's transaction. It never commits, rolls back or releases. */
export function transactionSession(transaction: CallerTransaction): Session {
  return {
    async run<Row>(statement: Statement<Row>): Promise<Row[]> {
      const query = compile(statement)
      try {
        if ('executeQuery' in transaction) return await runOnKysely(transaction, query)
        const values = [...query.parameters]
        return rowsOf<Row>(await transaction.query({ text: query.sql, values, types: ownTypes }))
      } catch (error) {
        return rethrow(error)
      }
    },
  }
}

/** Runs the query without the caller's plugins, because a plugin that renames columns would make our rows unreadable. */
async function runOnKysely<Row>(
  // oxlint-disable-next-line typescript/no-explicit-any -- the schema type of the caller does not matter here.
  transaction: Transaction<any>,
  query: CompiledQuery<Row>,
): Promise<Row[]> {
  // A dialect on another driver than node-postgres may write arrays in its own way.
  const parameters = plainValues(query.parameters)
  const sent: CompiledQuery<Row> = { ...query, parameters }
  const { rows } = await transaction.withoutPlugins().executeQuery(sent)
  return namedAsSent(rows)
}

/**
 * The rows with the names that the statement gave to their columns, which are in snake_case. A driver may rename them: `transform` of
 * postgres.js makes `runAt`, `RunAt` or `run-at` of `run_at`.
 */
function namedAsSent<Row>(rows: Row[]): Row[] {
  const [first] = rows
  if (first === undefined || !Object.keys(first as object).some((name) => /[A-Z-]/.test(name))) return rows
  return rows.map(
    (row) =>
      Object.fromEntries(
        Object.entries(row as object).map(([name, value]) => [snakeCased(name), value]),
      ) as Row,
  )
}

function snakeCased(name: string): string {
  return name
    .replaceAll('-', '_')
    .replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
    .replace(/^_/, '')
}
