import type { TestDatabase } from '@queue/testing'
import { setTimeout as wait } from 'node:timers/promises'

/** Sessions with this name may be killed. */
export const sessionName = 'attack'

const intervalMs = 10

export interface Kills {
  readonly database: Pick<TestDatabase, 'pool'>
  readonly isOver: () => boolean
  /** How many kills there should have been by now. */
  readonly killsDue: () => number
}

/** Kills sessions in the middle of their work until it is over. Resolves with the number of kills. */
export async function killSessions({ database, isOver, killsDue }: Kills): Promise<number> {
  let kills = 0
  while (!isOver()) {
    if (kills < killsDue()) {
      const { rows } = await database.pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
          WHERE datname = current_database() AND application_name = $1 AND state <> 'idle' ORDER BY random() LIMIT 1`,
        [sessionName],
      )
      kills += rows.length
    }
    await wait(intervalMs)
  }
  return kills
}
