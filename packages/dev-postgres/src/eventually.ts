import type pg from 'pg'

export interface EventuallyOptions {
  /** How long to poll, in milliseconds; default 120 000. It guards against hanging, and is no time limit under test. */
  readonly deadlineMs?: number
  /** The pause between two polls, in milliseconds; default 20. */
  readonly intervalMs?: number
  /** What is awaited, for the error message. A function is called at the deadline. */
  readonly what?: string | (() => string)
}

/**
 * Polls `probe` until it returns a truthy value, and resolves with that value. A probe that throws is polled again too, so
 * it can contain expectations. Throws at the deadline; the last error of the probe is the cause.
 */
export async function eventually<Answer>(
  probe: () => Answer | Promise<Answer>,
  options: EventuallyOptions = {},
): Promise<Truthy<Answer>> {
  const { deadlineMs = 120_000, intervalMs = 20, what = 'the condition' } = options
  const deadline = performance.now() + deadlineMs
  for (;;) {
    let cause: unknown
    try {
      const answer = await probe()
      if (answer) return answer as Truthy<Answer>
    } catch (error) {
      cause = error
    }
    if (performance.now() >= deadline)
      throw new Error(`${typeof what === 'string' ? what : what()} did not hold within ${deadlineMs} ms`, {
        cause,
      })
    await new Promise((resolve) => setTimeout(resolve, intervalMs))
  }
}

type Truthy<Answer> = Exclude<Answer, undefined | null | false | 0 | '' | void>

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

/**
 * Resolves with the result of `work`, or rejects after `ms` milliseconds. The work itself continues: the caller must
 * dispose of a result that comes too late. `description` begins the error message.
 */
export async function within<T>(ms: number, description: string, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined
  const timeout = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${description} took longer than ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([work, timeout])
  } finally {
    clearTimeout(timer)
  }
}
