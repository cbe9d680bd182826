// The caller's own transaction: what is accepted as one, and how a write makes sure that it runs inside it.
import { type CompiledQuery, type RawBuilder, sql, type Transaction } from 'kysely'
import type pg from 'pg'
import { QueueError } from '../errors.ts'
import { rethrow, sqlState, sqlStateOf } from '../pg-error.ts'
import { compile, type Session, type Statement } from './session.ts'
import { ownTypes } from './values.ts'

/** The caller's own transaction: whatever is written through it commits or rolls back with the caller's work. */
// oxlint-disable-next-line typescript/no-explicit-any -- the caller's schema type is the caller's business.
export type CallerTransaction = Transaction<any> | PgClient | TransactionClient

/** A connected node-postgres client, checked out of a pool or not. A pool, which has a `totalCount`, is not accepted. */
export type PgClient = Pick<pg.ClientBase, 'query'> & { readonly totalCount?: never }

/** Runs statements inside a transaction of another library, and answers as node-postgres does. */
export interface TransactionClient {
  /** Runs one statement with its parameters, `$1` and so on, inside the transaction. Rejects with PostgreSQL's own error. */
  query(statement: { readonly text: string; readonly values: readonly unknown[] }): Promise<{
    readonly rows: readonly object[]
  }>
  /** A pool, which has this member, is not accepted. */
  readonly totalCount?: never
}

/** A session inside the caller's transaction, whose writes are part of it or do not happen. */
export interface CallerSession extends Session {
  /**
   * Runs a write, which returns at least one row. Outside of the transaction with the given id it returns none and has no
   * effect (see `callerIsInside`); then this throws `invalid_options`.
   */
  write<Row>(statement: (transactionId: TransactionId) => Statement<Row>): Promise<Row[]>
}

/** PostgreSQL's id of the transaction in which a write must run; null where that is known without asking. */
export type TransactionId = string | null

/**
 * A session in the caller's transaction. Throws `invalid_options` at once when the value cannot be a transaction, and at
 * the first write when it turns out to be none.
 *
 * An idle node-postgres client knows whether it is in a transaction, and the next statement passed to it is the next that
 * the server runs. Where that is not available (Kysely, a statement or a COMMIT under way, another kind of client), a
 * statement before the write reads the transaction's id, and the write takes effect in that transaction alone: outside of
 * any, each statement has its own.
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
      // Nothing may be awaited on the way from `transactionStateOf` to here: it holds for the next statement only.
      if (transactionState === 'inside') return session.run(statement(null))
      const rows = await session.run(statement(await readTransactionId(session)))
      if (rows.length === 0) throw notInside()
      return rows
    },
  }
}

/**
 * A common table expression of one row, `caller (is_inside)`: whether the statement runs in the transaction of this id.
 * A write selects its rows from there, so that it writes and returns nothing outside of that transaction.
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
  if (row === undefined) throw new Error('the database gave no transaction id')
  return row.transaction_id
}

/** The rows of an answer. An object with a query method need not be a node-postgres client, so the answer is checked. */
function rowsOf<Row>(answer: unknown): Row[] {
  const isAnswer = typeof answer === 'object' && answer !== null && 'rows' in answer
  if (isAnswer && Array.isArray(answer.rows)) return answer.rows
  throw refused('a client whose answers are not those of node-postgres')
}

/** Members of a node-postgres client that clients of other releases and libraries may lack. */
interface PossiblePgClient {
  /** False while a statement is under way. */
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

/** Refuses values that cannot run statements, and those that may run each on another connection. */
function assertTransaction(given: unknown): asserts given is CallerTransaction {
  if (given === undefined || given === null) throw refused(String(given))
  if (typeof given !== 'object') throw refused(`a ${typeof given}`)
  if ('executeQuery' in given) {
    if (!('isTransaction' in given) || given.isTransaction !== true) throw refused('a Kysely instance')
    return
  }
  if (!('query' in given) || typeof given.query !== 'function')
    throw refused('an object without a query method')
  if ('totalCount' in given) throw refused('a pool, whose statements go over any of its connections')
}

function notInside(): QueueError {
  return refused('a client that is not inside a transaction')
}

function refused(what: string): QueueError {
  return new QueueError(
    'invalid_options',
    'the option transaction takes a Kysely transaction, or a node-postgres client after its BEGIN and before its end ' +
      `(for Drizzle, Prisma and postgres.js see docs/recipes.md), and this is ${what}; await every enqueue before the transaction ends`,
  )
}

/** PostgreSQL itself refuses some statements outside of a transaction. */
function toRefusal(error: unknown): never {
  throw sqlStateOf(error) === sqlState.noActiveTransaction ? notInside() : error
}

/** A session inside the caller's transaction. It never commits, rolls back or releases anything. */
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

/** Without the caller's plugins: one that renames columns would make our rows unreadable. */
async function runOnKysely<Row>(
  // oxlint-disable-next-line typescript/no-explicit-any -- the caller's schema type is the caller's business.
  transaction: Transaction<any>,
  query: CompiledQuery<Row>,
): Promise<Row[]> {
  const { rows } = await transaction.withoutPlugins().executeQuery(query)
  return rows
}
