import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { epochMs } from '../database/job-row.ts'

/** A queue with what lives in it. Ended jobs are not counted: that would read the whole history. */
export interface QueueStats {
  readonly name: string
  readonly pausedAt: Date | null
  readonly queued: number
  readonly retrying: number
  readonly running: number
  /** Seconds since the oldest job that could run now became due; null when there is none. */
  readonly oldestReadySeconds: number | null
  /** Active workers that serve this queue. */
  readonly workers: number
}

interface StatsRow {
  readonly name: string
  readonly paused_at: number | null
  readonly queued: number
  readonly retrying: number
  readonly running: number
  readonly oldest_ready_seconds: number | null
  readonly workers: number
}

/** Every queue that is known, or that has live jobs, by name. Reads the live jobs and nothing of the history. */
export async function queueStats(database: QueueDatabase): Promise<QueueStats[]> {
  const { names } = database
  const waiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const rows = await database.run(sql<StatsRow>`
    WITH live AS (
      SELECT j.queue, count(*) FILTER (WHERE j.status = ${names.status.queued}) AS queued,
             count(*) FILTER (WHERE j.status = ${names.status.retrying}) AS retrying, 0 AS running,
             min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest
        FROM ${names.jobs} AS j WHERE ${waiting} GROUP BY j.queue
      UNION ALL
      SELECT j.queue, 0, 0, count(*), NULL
        FROM ${names.jobs} AS j WHERE j.locked_by IS NOT NULL GROUP BY j.queue
      UNION ALL
      SELECT q.name, 0, 0, 0, NULL FROM ${names.queues} AS q
    )
    SELECT l.queue AS name, ${epochMs(sql`min(q.paused_at)`)} AS paused_at, sum(l.queued)::int AS queued,
           sum(l.retrying)::int AS retrying, sum(l.running)::int AS running,
           extract(epoch FROM now() - min(l.oldest))::float8 AS oldest_ready_seconds,
           (SELECT count(*) FROM ${names.workers} AS w
             WHERE w.state = 'active' AND l.queue = ANY(w.queues))::int AS workers
      FROM live AS l LEFT JOIN ${names.queues} AS q ON q.name = l.queue
     GROUP BY l.queue ORDER BY l.queue`)
  return rows.map((row) => ({
    name: row.name,
    pausedAt: row.paused_at === null ? null : new Date(row.paused_at),
    queued: row.queued,
    retrying: row.retrying,
    running: row.running,
    oldestReadySeconds: row.oldest_ready_seconds,
    workers: row.workers,
  }))
}
