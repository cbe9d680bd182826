import { setTimeout as wait } from 'node:timers/promises'
import type { TestDatabase } from '@queue/testing'

/** The sessions with one application name, as observed. */
export interface SessionCount {
  /** The largest number at the same time. */
  readonly max: number
  /** How many statements were observed waiting for a lock. */
  readonly waited: number
}

export interface SessionWatch {
  /** The observations so far, by `application_name`. */
  counts(): ReadonlyMap<string, SessionCount>
  /** Stops the watch, and resolves with the observations, by `application_name`. */
  stop(): Promise<ReadonlyMap<string, SessionCount>>
}

const pollIntervalMs = 20

/** Polls `pg_stat_activity` for the number of sessions. */
export function watchSessions({ pool }: TestDatabase): SessionWatch {
  const maxSessions = new Map<string, number>()
  const waited = new Map<string, Set<string>>()
  let isOver = false
  const poll = async (): Promise<void> => {
    const { rows } = await pool.query<{ name: string; sessions: number; waiting: string[] }>(
      `SELECT application_name AS name, count(*)::int AS sessions,
              coalesce(array_agg(pid || ' ' || query_start) FILTER (WHERE wait_event_type = 'Lock'), '{}') AS waiting
         FROM pg_stat_activity WHERE datname = current_database() GROUP BY application_name`,
    )
    for (const { name, sessions, waiting } of rows) {
      maxSessions.set(name, Math.max(maxSessions.get(name) ?? 0, sessions))
      const known = waited.get(name) ?? new Set()
      waited.set(name, known)
      for (const statement of waiting) known.add(statement)
    }
  }
  const watching = (async () => {
    while (!isOver) {
      await poll()
      await wait(pollIntervalMs)
    }
  })()
  // `stop` reports a failure.
  watching.catch(() => undefined)
  const counts = (): ReadonlyMap<string, SessionCount> =>
    new Map(
      [...maxSessions].map(([name, count]) => [name, { max: count, waited: waited.get(name)?.size ?? 0 }]),
    )
  return {
    counts,
    stop: async () => {
      isOver = true
      await watching
      return counts()
    },
  }
}
