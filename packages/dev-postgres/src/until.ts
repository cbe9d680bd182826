import type pg from 'pg'
import { eventually } from './eventually.ts'

/** Polls `holds` until it gives something truthy, and gives that; throws at the deadline. */
export function until<Value>(what: string, holds: () => Promise<Value | undefined | false>): Promise<Value> {
  return eventually(holds, { what, intervalMs: 5 })
}

/** Resolves when some session of this database waits for a lock that `holder` has. */
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
