import { setTimeout as wait } from 'node:timers/promises'
import type { TestDatabase } from '@queue/testing'

/** What was seen of the sessions of one name. */
export interface Sighting {
  /** The most that the server had at once. */
  readonly most: number
  /** How many statements were seen to wait for a lock. */
  readonly waited: number
}

export interface SessionWatch {
  /** What was seen so far, by `application_name`. */
  seen(): ReadonlyMap<string, Sighting>
  /** Ends it, and gives what was seen, by `application_name`. */
  stop(): Promise<ReadonlyMap<string, Sighting>>
}

const pollIntervalMs = 20

/** Looks again and again how many sessions the server has, by the word of the server: `pg_stat_activity`. */
export function watchSessions({ pool }: TestDatabase): SessionWatch {
  const most = new Map<string, number>()
  const waited = new Map<string, Set<string>>()
  let isOver = false
  const poll = async (): Promise<void> => {
    const { rows } = await pool.query<{ name: string; sessions: number; waiting: string[] }>(
      `SELECT application_name AS name, count(*)::int AS sessions,
              coalesce(array_agg(pid || ' ' || query_start) FILTER (WHERE wait_event_type = 'Lock'), '{}') AS waiting
         FROM pg_stat_activity WHERE datname = current_database() GROUP BY application_name`,
    )
    for (const { name, sessions, waiting } of rows) {
      most.set(name, Math.max(most.get(name) ?? 0, sessions))
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
  // Who stops the watch is told.
  watching.catch(() => undefined)
  const seen = (): ReadonlyMap<string, Sighting> =>
    new Map([...most].map(([name, count]) => [name, { most: count, waited: waited.get(name)?.size ?? 0 }]))
  return {
    seen,
    stop: async () => {
      isOver = true
      await watching
      return seen()
    },
  }
}
