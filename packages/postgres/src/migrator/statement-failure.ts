import type pg from 'pg'
import { isUnavailable, sqlState, sqlStateOf } from '../pg-error.ts'
import { QueueError } from '../errors.ts'
import type { Migration } from './migration.ts'

/** A statement of a step that PostgreSQL has refused. */
class StatementFailure extends Error {
  override readonly name = 'StatementFailure'
  readonly sql: string

  constructor(sql: string, options: ErrorOptions) {
    super('a statement of a step has failed', options)
    this.sql = sql
  }
}

/** With the pauses between them some two minutes, which outlast most transactions. */
export const lockTriesMax = 200

/** Runs a statement of a step. A failure knows it. */
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

/** What PostgreSQL or the driver has said. */
export function failureOf(error: unknown): unknown {
  return error instanceof StatementFailure ? error.cause : error
}

/**
 * The failure of a step as an operator may read it: `migration_failed` with the step, its statement and what PostgreSQL
 * says of it. An outage stays what it is.
 */
export function stepFailure(step: Migration, error: unknown): unknown {
  if (!(error instanceof StatementFailure)) return error
  const cause = failureOf(error)
  // Somebody has cancelled the statement, or the role has a statement_timeout: to try again would not help.
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

/** How a step is called in messages. */
export function named({ version, name }: Migration): string {
  return `step ${version} ${name}`
}

const leftBehind: Readonly<Record<Migration['type'], string>> = {
  transactional: 'Nothing of the step has been applied',
  concurrent: 'The step is not applied, and the next run drops what is left of its index',
  batched: 'What its batches have done stays, and the next run goes on behind them',
}

/** The failure of what could not have its locks. */
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
