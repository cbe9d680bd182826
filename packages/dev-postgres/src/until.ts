import type pg from 'pg'
import { eventually } from './eventually.ts'

/** Polls `probe` until it returns a truthy value, and resolves with that value. Throws at the deadline. */
export function until<Value>(what: string, probe: () => Promise<Value | undefined | false>): Promise<Value> {
  return eventually(probe, { what, intervalMs: 5 })
}

/** Resolves when a session of this database waits for a lock that `holder` has. */
export async function untilSomeoneWaitsFor(holder: pg.Client, observer: pg.Client): Promise<void> {
  const { rows } = await holder.query('SELECT pg_backend_pid() AS pid')
  const { pid } = rows[0] as { pid: number }
  await until('a session waits for the lock', async () => {
    const { rowCount } = await observer.query(
      `SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))`,
      [pid],
    )
    return (rowCount ?? 0) > 0
  })
}
