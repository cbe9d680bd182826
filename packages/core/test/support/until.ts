import type pg from 'pg'

const deadlineMs = 10_000
const pollMs = 5

/** Polls `holds` until it gives something other than undefined or false; throws at the deadline. */
export async function until<Value>(
  what: string,
  holds: () => Promise<Value | undefined | false>,
): Promise<Value> {
  const end = performance.now() + deadlineMs
  while (performance.now() < end) {
    const value = await holds()
    if (value !== undefined && value !== false) return value
    await new Promise((resolve) => setTimeout(resolve, pollMs))
  }
  throw new Error(`${what}: not within ${deadlineMs} ms`)
}

/** Resolves when some session of this database waits for a lock that `holder` has. */
export async function untilSomeoneWaitsFor(holder: pg.Client, witness: pg.Client): Promise<void> {
  const { rows } = await holder.query('SELECT pg_backend_pid() AS pid')
  const { pid } = rows[0] as { pid: number }
  await until('a session waits for the lock', async () => {
    const { rowCount } = await witness.query(
      `SELECT 1 FROM pg_stat_activity WHERE $1 = ANY(pg_blocking_pids(pid))`,
      [pid],
    )
    return (rowCount ?? 0) > 0
  })
}
