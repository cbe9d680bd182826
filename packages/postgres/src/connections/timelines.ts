// The timelines of the primaries that this process has found. A promotion begins a new timeline, with a higher number.
import type pg from 'pg'
import { sqlStateOf } from '../pg-error.ts'
import { queryWithin } from './timed-query.ts'

/** The timeline of a cluster. A primary and its standbys are one cluster, with one system identifier. */
export interface Timeline {
  readonly cluster: string
  readonly number: number
}

/**
 * The highest timelines that were found, by connection string and cluster. A copy of a cluster has the same system identifier, and
 * timelines of its own, so that only the hosts of one string can be compared.
 */
const newest = new Map<string, ReadonlyMap<string, number>>()

/** The newest timelines that this process has found among the hosts of a connection string. They can be cloned into a thread. */
export function knownTimelines(connectionString = ''): readonly Timeline[] {
  return Array.from(newest.get(connectionString) ?? [], ([cluster, number]) => ({ cluster, number }))
}

/** Adds timelines that another thread of this process has found among these hosts. */
export function learnTimelines(timelines: readonly Timeline[], connectionString = ''): void {
  const known = new Map(newest.get(connectionString))
  for (const { cluster, number } of timelines) known.set(cluster, Math.max(number, known.get(cluster) ?? 0))
  newest.set(connectionString, known)
}

/**
 * Remembers the timeline of a primary. Throws if its successor was found before: this is the old primary, which was brought back
 * unchanged. Its jobs are those of before the failover, so that a process which goes back to it would run them again, while a
 * successor that only does not answer at this moment still has the current ones.
 */
export function noteTimeline(found: Timeline, connectionString: string): void {
  const highest = newest.get(connectionString)?.get(found.cluster) ?? 0
  if (found.number < highest) {
    throw new Error(
      `is an old primary: it is on timeline ${found.number}, and its successor on ${highest} was found before`,
    )
  }
  learnTimelines([found], connectionString)
}

/** The name of a WAL file begins with the timeline, in eight hexadecimal digits. */
const timelineStatement = `SELECT system_identifier::text AS cluster,
  pg_catalog.left(pg_catalog.pg_walfile_name(pg_catalog.pg_current_wal_insert_lsn()), 8) AS timeline
  FROM pg_catalog.pg_control_system()`

/** The timeline of the server; undefined if the server does not tell, as a standby, or a service that hides its WAL. */
export async function readTimeline(client: pg.Client, timeoutMs: number): Promise<Timeline | undefined> {
  try {
    const { rows } = await queryWithin<{ cluster: string; timeline: string }>(
      client,
      { text: timelineStatement },
      timeoutMs,
    )
    const [row] = rows
    return row === undefined ? undefined : { cluster: row.cluster, number: Number.parseInt(row.timeline, 16) }
  } catch (error) {
    if (sqlStateOf(error) === undefined || isOfConnection(error)) throw error
    return undefined
  }
}

/** Whether the server ended the connection (class 57, and 08), which says nothing about its timeline. */
function isOfConnection(error: unknown): boolean {
  return /^(08|57)/.test(sqlStateOf(error) ?? '')
}
