import { isContention } from '../database/pg-error.ts'
import type { RunnerClient } from './runner-client.ts'

/**
 * A step gives way to the queries behind it after this long, and then tries again: whoever needs a table that a step
 * waits for waits so long, and as long as the step then takes. Together they should stay below a second.
 */
const lockTimeoutMs = 500
/** With the pauses between them some two minutes, which outlast most transactions. */
export const lockTriesMax = 150
/** With a search path of its own, nobody else's function, operator or type can take the place of PostgreSQL's. */
export const ownSearchPath = 'SET LOCAL search_path = pg_catalog, pg_temp;\n'

export interface LockedTransactionOptions<Result> {
  /** What the transaction does; it is done anew with each try. */
  readonly body: () => Promise<Result>
  /** Hears of each try that another session's lock has ended. */
  readonly onWait: (tries: number) => void
  /** The failure when the last try has ended so. */
  readonly lockedOut: (cause: unknown) => Error
}

/**
 * One transaction under the advisory lock of the schema's runners, so that any number of them may start at once. A
 * lock that cannot be had within `lockTimeoutMs` ends the try, and the next comes after a pause, up to
 * `lockTriesMax`.
 */
export async function lockedTransaction<Result>(
  { client, schema, lineage }: RunnerClient,
  { body, onWait, lockedOut }: LockedTransactionOptions<Result>,
): Promise<Result> {
  for (let tries = 1; ; tries += 1) {
    try {
      // What the runner before has done is seen once its lock is had, whatever isolation the database is set to.
      await client.query(
        `BEGIN ISOLATION LEVEL READ COMMITTED; SET LOCAL lock_timeout = ${lockTimeoutMs}; ${ownSearchPath}`,
      )
      await client.query(`SELECT pg_advisory_xact_lock(hashtextextended($1, 0))`, [
        `${lineage.name}.migrate.${schema}`,
      ])
      const result = await body()
      await client.query('COMMIT')
      return result
    } catch (error) {
      await client.query('ROLLBACK')
      if (!isContention(error)) throw error
      if (tries === lockTriesMax) throw lockedOut(error)
      onWait(tries)
      // The pause lets the queries that queued up behind the refused lock go first.
      await client.query('SELECT pg_sleep(0.2 + 0.3 * random())')
    }
  }
}

/** One transaction that reads a single snapshot, and can write nothing. */
export async function readTransaction<Result>(
  { client }: RunnerClient,
  body: () => Promise<Result>,
): Promise<Result> {
  await client.query(`BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY; ${ownSearchPath}`)
  try {
    return await body()
  } finally {
    await client.query('ROLLBACK')
  }
}
