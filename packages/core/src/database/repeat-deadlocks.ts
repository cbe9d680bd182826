import { sqlState, sqlStateOf } from '@queue/postgres'
import type { ConnectedDatabase } from './connect.ts'

/** How often a deadlock may undo one transaction before its error is thrown. Each takes a `deadlock_timeout`, 1 s by default. */
const repeatsMax = 5

/**
 * Runs `work`, a transaction of its own, again when PostgreSQL has undone it to end a deadlock. The acts of the queue lock jobs in
 * one order, but the transactions of callers need not, and whose transaction is undone is chance.
 */
export async function repeatDeadlocks<Result>(work: () => Promise<Result>): Promise<Result> {
  for (let repeats = 0; ; repeats += 1) {
    try {
      return await work()
    } catch (error) {
      if (sqlStateOf(error) !== sqlState.deadlockDetected || repeats === repeatsMax) throw error
    }
  }
}

/** A database whose statements and transactions are repeated after a deadlock. */
export function repeatingDeadlocks<Database extends Pick<ConnectedDatabase, 'run' | 'transaction'>>(
  database: Database,
): Database {
  return {
    ...database,
    run: (statement, frequency) => repeatDeadlocks(() => database.run(statement, frequency)),
    transaction: (work) => repeatDeadlocks(() => database.transaction(work)),
  }
}
