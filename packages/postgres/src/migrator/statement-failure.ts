import type pg from 'pg'
import { isUnavailable, sqlState, sqlStateOf } from '../pg-error.ts'
import { QueueError } from '../errors.ts'
import type { Migration } from './migration.ts'

/** The failure of a statement of a step. */
class StatementFailure extends Error {
  override readonly name = 'StatementFailure'
  readonly sql: string

  constructor(sql: string, options: ErrorOptions) {
    super('a statement of a step has failed', options)
    this.sql = sql
  }
}

/** With the pauses in between these tries take about two minutes, longer than most transactions. */
export const lockTriesMax = 200

/** Runs a statement of a step. Throws a `StatementFailure`, which names the statement. */
export async function runStatement<Row extends pg.QueryResultRow>(
  { client }: { readonly client: pg.ClientBase },
  sql: string,
  values?: readonly unknown[],
): Promise<Row[]> {
  try {
    const { rows } = await client.query<Row>(sql, values === undefined ? undefined : [...values])
    return rows
  } catch (error) {
    throw new StatementFailure(sql, { cause: error })
  }
}

/** The error of PostgreSQL or the driver. */
export function failureOf(error: unknown): unknown {
  return error instanceof StatementFailure ? error.cause : error
}

/**
 * The failure of a step for an operator: `migration_failed` with the step, its statement and PostgreSQL's message. An outage is
 * returned unchanged.
 */
export function stepFailure(step: Migration, error: unknown): unknown {
  if (!(error instanceof StatementFailure)) return error
  const cause = failureOf(error)
  // A cancelled statement is not an outage: an operator cancelled it, or the role has a statement_timeout. A retry would not
  // help.
  if (isUnavailable(cause) && sqlStateOf(cause) !== sqlState.queryCanceled) return cause
  const reason = cause instanceof Error ? cause.message : String(cause)
  const state = sqlStateOf(cause)
  return new QueueError(
    'migration_failed',
    `${named(step)} has failed: ${reason}${state === undefined ? '' : ` (SQLSTATE ${state})`}, ` +
      `in: ${shortened(error.sql)}. ${leftBehind[step.type]}`,
    { cause },
  )
}

/** The name of a step in messages. */
export function named({ version, name }: Migration): string {
  return `step ${version} ${name}`
}

const leftBehind: Readonly<Record<Migration['type'], string>> = {
  transactional: 'No part of the step was applied',
  concurrent: 'The step was not applied, and the next run drops the remains of its index',
  batched: 'The changes of its earlier batches remain, and the next run continues after them',
}

/** The error for work that could not take its locks; `what` names the work. */
export function lockedOut(what: string, error: unknown): QueueError {
  const statement = error instanceof StatementFailure ? `, for: ${shortened(error.sql)}` : ''
  return new QueueError(
    'migration_failed',
    `${what} got no lock in ${lockTriesMax} tries: end the long transactions and run it again${statement}`,
    { cause: failureOf(error) },
  )
}

const shownLengthMax = 300

function shortened(sql: string): string {
  const line = sql.trim().replaceAll(/\s+/g, ' ')
  return line.length > shownLengthMax ? `${line.slice(0, shownLengthMax)} …` : line
}
