import { isLiveWorker } from '../database/live-worker.ts'
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import { fromBothWaitingIndexes } from '../database/waiting-jobs.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeCursor, encodeCursor } from '../database/cursor.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { listLimitDefault, listLimitMax } from '../domain/limits.ts'
import type { OptionsOf } from '../domain/options-of.ts'

/** A queue with counts of its live jobs. Ended jobs are not counted, because that would read the whole history. */
export interface QueueStats {
  readonly name: string
  /**
   * Whether the queue has a row: a worker has served it, or it has been paused. Other queues are known only from their
   * live jobs.
   */
  readonly registered: boolean
  readonly pausedAt: Date | null
  readonly queued: number
  readonly retrying: number
  readonly running: number
  /** Waiting jobs that are due: they wait for a slot, a limit or a worker. */
  readonly ready: number
  /** How many of these became due within the last five minutes. */
  readonly newlyReady: number
  /** Seconds since the oldest due job became due; null where none is due. */
  readonly oldestReadySeconds: number | null
  /** Active workers that serve this queue. */
  readonly workers: number
}

/** A row of every statement that returns statistics of queues. */
export interface QueueStatsRow extends Omit<QueueStats, 'pausedAt' | 'newlyReady' | 'oldestReadySeconds'> {
  readonly paused_at: number | null
  readonly oldest_ready_seconds: number | null
  readonly newly_ready: number
}

/** For waiting jobs `j`: how many are due, and how many of these became due within the last five minutes. */
export const readyCounts = sql`count(*) FILTER (WHERE j.run_at <= now()) AS ready,
             count(*) FILTER (WHERE j.run_at <= now() AND j.run_at > now() - interval '5 minutes') AS newly_ready`

/** All registered queues and all queues with live jobs, by name. Reads only live jobs, not the history. */
export async function queueStats(database: QueueDatabase): Promise<QueueStats[]> {
  const { names } = database
  const waiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const rows = await database.run(sql<QueueStatsRow>`
    WITH live AS (
      SELECT j.queue, count(*) FILTER (WHERE j.status = ${names.status.queued}) AS queued,
             count(*) FILTER (WHERE j.status = ${names.status.retrying}) AS retrying, 0 AS running,
             ${readyCounts}, min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest
        FROM ${names.jobs} AS j WHERE ${waiting} GROUP BY j.queue
      UNION ALL
      SELECT j.queue, 0, 0, count(*), 0, 0, NULL
        FROM ${names.jobs} AS j WHERE j.locked_by IS NOT NULL GROUP BY j.queue
      UNION ALL
      SELECT q.name, 0, 0, 0, 0, 0, NULL FROM ${names.queues} AS q
    )
    SELECT l.queue AS name, count(q.name) > 0 AS registered, ${epochMs(sql`min(q.paused_at)`)} AS paused_at, sum(l.queued)::int AS queued,
           sum(l.retrying)::int AS retrying, sum(l.running)::int AS running,
           sum(l.ready)::int AS ready, sum(l.newly_ready)::int AS newly_ready,
           extract(epoch FROM now() - min(l.oldest)) AS oldest_ready_seconds,
           (SELECT count(*) FROM ${names.workers} AS w
             WHERE ${isLiveWorker} AND l.queue = ANY(w.queues))::int AS workers
      FROM live AS l LEFT JOIN ${names.queues} AS q ON q.name = l.queue
     GROUP BY l.queue ORDER BY l.queue`)
  return rows.map(decodeStats)
}

/** One page of queues. */
export interface QueuePage {
  /** By name, in the database's order. */
  readonly queues: readonly QueueStats[]
  /** Where the next page begins; null when there is none. */
  readonly nextCursor: string | null
}

const pageQueryFields = {
  /** The most queues on one page, 1 to 200. Default 50. */
  limit: z.int().min(1).max(listLimitMax).optional(),
  /** Where the page begins: the `nextCursor` of the previous page. Default: at the first name. */
  cursor: z.string().optional(),
}
const pageQuerySchema = z.strictObject(pageQueryFields)

/** Selects a page of queues. */
export type QueuePageQuery = OptionsOf<typeof pageQueryFields>

/**
 * One page of the statistics of `queueStats`. Each name is found by one step down the index of claims, so a page reads
 * only the live jobs of its own queues, however many queues there are. The cursor is the last name.
 *
 * Throws `invalid_options` for an invalid limit and `invalid_cursor` for a cursor that no list has returned.
 */
export function listQueues(database: QueueDatabase, query: QueuePageQuery = {}): Promise<QueuePage> {
  return pageOfQueues(query, (bounds) => database.run(pageStatement(database, bounds)))
}

/** The page whose rows `read` returns: one row more than the limit where there is a next page. */
export async function pageOfQueues(
  query: QueuePageQuery,
  read: (bounds: PageBounds) => Promise<readonly QueueStatsRow[]>,
): Promise<QueuePage> {
  const { limit = listLimitDefault, cursor } = parseOrThrow(pageQuerySchema, query, 'invalid_options')
  const after = cursor === undefined ? '' : decodeCursor('queues', cursor)
  const rows = await read({ after, limit })
  const queues = rows.slice(0, limit).map(decodeStats)
  const last = rows.length > limit ? queues.at(-1) : undefined
  return { queues, nextCursor: last === undefined ? null : encodeCursor('queues', last.name) }
}

/** Up to `limit` names after `after`. */
export interface PageBounds {
  readonly after: string
  readonly limit: number
}

function pageStatement({ names }: QueueDatabase, { after, limit }: PageBounds): RawBuilder<QueueStatsRow> {
  const { queued, retrying } = names.status
  const waiting = sql`j.status IN (${queued}, ${retrying})`
  const firstAfter = (name: RawBuilder<unknown>) =>
    sql`SELECT f.queue FROM (${fromBothWaitingIndexes(
      'j',
      (ofIndex) =>
        sql`SELECT j.queue FROM ${names.jobs} AS j WHERE ${waiting} AND ${ofIndex} AND j.queue > ${name} ORDER BY j.queue LIMIT 1`,
    )}) AS f ORDER BY f.queue LIMIT 1`
  return sql<QueueStatsRow>`
    WITH RECURSIVE named (name) AS (
      (${firstAfter(sql`${after}`)})
      UNION ALL
      SELECT next.queue FROM named AS n CROSS JOIN LATERAL (${firstAfter(sql`n.name`)}) AS next
    ), running AS MATERIALIZED (
      SELECT j.queue, count(*) AS jobs FROM ${names.jobs} AS j WHERE j.locked_by IS NOT NULL GROUP BY j.queue
    ), page AS MATERIALIZED (
      SELECT name FROM (SELECT n.name FROM named AS n LIMIT ${sql.lit(limit + 1)}) AS with_waiting
      UNION SELECT r.queue FROM running AS r WHERE r.queue > ${after}
      UNION SELECT q.name FROM ${names.queues} AS q WHERE q.name > ${after}
      ORDER BY name LIMIT ${sql.lit(limit + 1)}
    )
    SELECT p.name, q.name IS NOT NULL AS registered, ${epochMs(sql`q.paused_at`)} AS paused_at,
           coalesce(live.queued, 0)::int AS queued, coalesce(live.retrying, 0)::int AS retrying,
           coalesce(r.jobs, 0)::int AS running, coalesce(live.ready, 0)::int AS ready,
           coalesce(live.newly_ready, 0)::int AS newly_ready,
           extract(epoch FROM now() - live.oldest) AS oldest_ready_seconds,
           (SELECT count(*) FROM ${names.workers} AS w
             WHERE ${isLiveWorker} AND p.name = ANY(w.queues))::int AS workers
      FROM page AS p
      LEFT JOIN (
        SELECT j.queue, count(*) FILTER (WHERE j.status = ${queued}) AS queued,
               count(*) FILTER (WHERE j.status = ${retrying}) AS retrying,
               ${readyCounts}, min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest
          FROM (${fromBothWaitingIndexes(
            'j',
            (ofIndex) =>
              sql`SELECT j.queue, j.status, j.run_at FROM ${names.jobs} AS j
                   WHERE ${waiting} AND ${ofIndex} AND j.queue = ANY(ARRAY(SELECT name FROM page))`,
          )}) AS j GROUP BY j.queue
      ) AS live ON live.queue = p.name
      LEFT JOIN ${names.queues} AS q ON q.name = p.name
      LEFT JOIN running AS r ON r.queue = p.name
     ORDER BY p.name`
}

function decodeStats(row: QueueStatsRow): QueueStats {
  const { paused_at, oldest_ready_seconds, newly_ready: newlyReady, ...stats } = row
  const pausedAt = paused_at === null ? null : new Date(paused_at)
  return { ...stats, pausedAt, newlyReady, oldestReadySeconds: oldest_ready_seconds }
}
