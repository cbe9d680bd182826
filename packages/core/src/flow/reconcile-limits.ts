// Repairs counters and lanes that contradict the jobs. Called by any worker, from time to time. No job changes its
// state.
import { type RawBuilder, sql } from 'kysely'
import type { ConnectedDatabase, QueueDatabase } from '../database/connect.ts'
import { limitReconcileLanesMax } from '../domain/limits.ts'
import { lockQueue } from './set-limit.ts'

/** Where the next call continues: `null` starts from the beginning. */
export interface LimitsPosition {
  readonly waiting: LanePosition | null
  readonly full: LanePosition | null
}

/** The last lane that was read. */
export interface LanePosition {
  readonly queue: string
  readonly key: string
  readonly tenant_id: string
  readonly kind: string
  readonly priority: number
}

export interface LaneRepairs {
  /** Number of lanes whose jobs would otherwise have waited for ever. */
  readonly repaired: number
  readonly next: LimitsPosition
}

/**
 * Finds and repairs counters that differ from the number of jobs that they count. Returns their number. None of our
 * statements leaves such a counter, but an operator's statement or a restored table may. The comparison is one
 * statement on one snapshot. Only where it finds a difference are the claims of that queue held up, as by a change of
 * its limits.
 */
export async function reconcileCounters(database: ConnectedDatabase): Promise<number> {
  const queues = await database.run(sql<{ queue: string }>`
    ${wrongCounters(database, sql``)} SELECT DISTINCT w.queue FROM wrong AS w ORDER BY w.queue`)
  let repaired = 0
  for (const { queue } of queues) {
    repaired += await database.transaction((inside) => repairCounters(inside, queue))
  }
  return repaired
}

/**
 * Finds jobs with a key that no claim would notice, and lanes that are marked as full without reason: up to
 * `limitReconcileLanesMax` lanes in each step. Both are repaired by writing events; a superfluous event does no harm.
 */
export async function reconcileLanes(
  database: QueueDatabase,
  position: LimitsPosition,
): Promise<LaneRepairs> {
  const waiting = await writeMissedEvents(database, position.waiting)
  const full = await reopenFullLanes(database, position.full)
  return {
    repaired: waiting.repaired + full.repaired,
    next: { waiting: waiting.next, full: full.next },
  }
}

/**
 * Finds missing turns in fair queues and creates them: those of tenants and keys with ready lanes, and those of jobs
 * without a key. Returns their number. Without a turn, no claim would take these jobs. Where one is missing, the claims
 * of its queue are held up as by a change of its limits.
 */
export async function reconcileTurns(database: ConnectedDatabase): Promise<number> {
  const queues = await database.run(sql<{ queue: string }>`
    ${missingTurns(database, sql``)} SELECT DISTINCT m.queue FROM missing AS m ORDER BY m.queue`)
  let restored = 0
  for (const { queue } of queues) {
    restored += await database.transaction((inside) => restoreTurns(inside, queue))
  }
  return restored
}

/** Creates the missing turns of a queue, at the lowest of its existing turns. */
export async function restoreTurns(database: QueueDatabase, queue: string): Promise<number> {
  const { names } = database
  await lockQueue(database, queue)
  const [row] = await database.run(sql<{ restored: number }>`
    ${missingTurns(database, sql` AND l.queue = ${queue}`)}, restored AS (
      INSERT INTO ${names.laneTurns} (queue, priority, share, turn)
      SELECT m.queue, m.priority, m.share, CASE m.share WHEN chr(9) THEN 0 ELSE coalesce((
               SELECT min(t.turn) FROM ${names.laneTurns} AS t
                WHERE t.queue = m.queue AND t.priority = m.priority AND t.share <> chr(9)), 0) END
        FROM missing AS m ORDER BY m.priority, m.share
      ON CONFLICT DO NOTHING
      RETURNING 1
    )
    SELECT count(*)::integer AS restored FROM restored`)
  return row?.restored ?? 0
}

/**
 * The turns that fair queues lack: those of their ready lanes and, in a queue that is fair by tenant, those of the jobs
 * without a key.
 */
function missingTurns({ names }: QueueDatabase, ofQueue: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    WITH missing AS MATERIALIZED (
      SELECT w.queue, w.priority, w.share FROM (
        SELECT DISTINCT l.queue, l.priority, l.share FROM ${names.lanes} AS l
         WHERE NOT l.is_full AND l.share IS NOT NULL${ofQueue}
        UNION ALL
        SELECT l.queue, p.priority::smallint, chr(9) FROM ${names.limits} AS l CROSS JOIN generate_series(0, 9) AS p (priority)
         WHERE l.scope = 'queue' AND l.fair_by = 'tenant'${ofQueue}) AS w
       WHERE NOT EXISTS (
         SELECT FROM ${names.laneTurns} AS t
          WHERE t.queue = w.queue AND t.priority = w.priority AND t.share = w.share)
    )`
}

export const limitsBeginning: LimitsPosition = { waiting: null, full: null }

/**
 * Repairs the counters of a queue. Under the lock no claim counts a job, and each end that comes meanwhile is an event.
 * Full lanes are checked again.
 */
export async function repairCounters(database: QueueDatabase, queue: string): Promise<number> {
  const { names } = database
  await lockQueue(database, queue)
  const [row] = await database.run(sql<{ repaired: number }>`
    ${wrongCounters(database, sql` AND q.name = ${queue}`)}, repaired AS (
      INSERT INTO ${names.limitCounters} AS c (queue, scope, name, tenant_id, running)
      SELECT w.queue, w.scope, w.name, w.tenant_id, w.jobs FROM wrong AS w ORDER BY w.scope, w.name, w.tenant_id
      ON CONFLICT ON CONSTRAINT limit_counters_pkey DO UPDATE SET running = excluded.running
      RETURNING 1
    ), opened AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, counted)
      SELECT DISTINCT now(), l.queue, '', l.key, l.tenant_id, 0 FROM ${names.lanes} AS l
       WHERE l.queue = ${queue} AND l.is_full AND EXISTS (SELECT FROM repaired)
    )
    SELECT count(*)::integer AS repaired FROM repaired`)
  return row?.repaired ?? 0
}

/**
 * The counters that differ from the running jobs that they count, plus the ended ones whose events are still to be
 * read. Such an event is due at once, so events that are due later need not be read.
 */
function wrongCounters({ names }: QueueDatabase, ofQueue: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`
    WITH scopes (scope, mark) AS (VALUES ('queue', 1), ('kind', 2), ('key', 4)), counted AS (
      SELECT j.queue, j.kind, j.key, coalesce(j.tenant_id, '') AS tenant_id, j.counted, 1 AS jobs
        FROM ${names.jobs} AS j JOIN ${names.queues} AS q ON q.name = j.queue${ofQueue}
       WHERE j.locked_by IS NOT NULL AND j.counted IS NOT NULL
      UNION ALL
      SELECT e.queue, e.kind, e.key, e.tenant_id, e.counted, e.jobs
        FROM ${names.queues} AS q JOIN ${names.laneEvents} AS e
          ON e.queue = q.name AND e.due_at <= now() + interval '1 minute'${ofQueue}
       WHERE e.counted IS NOT NULL AND e.jobs > 0
    ), sums AS (
      SELECT t.queue, s.scope, CASE s.scope WHEN 'queue' THEN '' WHEN 'kind' THEN t.kind ELSE t.key END AS name,
             CASE s.scope WHEN 'key' THEN t.tenant_id ELSE '' END AS tenant_id, sum(t.jobs)::integer AS jobs
        FROM counted AS t JOIN scopes AS s ON t.counted & s.mark <> 0
       GROUP BY 1, 2, 3, 4
    ), kept AS (
      SELECT c.queue, c.scope, c.name, c.tenant_id, c.running
        FROM ${names.limitCounters} AS c JOIN ${names.queues} AS q ON q.name = c.queue${ofQueue}
    ), wrong AS (
      SELECT coalesce(k.queue, s.queue) AS queue, coalesce(k.scope, s.scope) AS scope, coalesce(k.name, s.name) AS name,
             coalesce(k.tenant_id, s.tenant_id) AS tenant_id, coalesce(s.jobs, 0) AS jobs
        FROM sums AS s FULL JOIN kept AS k
          ON k.queue = s.queue AND k.scope = s.scope AND k.name = s.name AND k.tenant_id = s.tenant_id
       WHERE coalesce(s.jobs, 0) <> coalesce(k.running, 0)
    )`
}

interface LaneRepair {
  readonly repaired: number
  readonly next: LanePosition | null
}

/**
 * Writes an event for each lane whose first job has been due for a minute, but which has neither a lane row nor an
 * event by which a claim would find it. It steps from lane to lane in the index, and so reads one job of each.
 */
function writeMissedEvents(database: QueueDatabase, from: LanePosition | null): Promise<LaneRepair> {
  const { names } = database
  const waiting = sql`c.status IN (${names.status.queued}, ${names.status.retrying}) AND c.key IS NOT NULL`
  const lane = sql`c.queue, c.key, coalesce(c.tenant_id, ''), c.kind, c.priority`
  const columns = sql`c.queue, c.key, coalesce(c.tenant_id, '') AS tenant_id, c.kind, c.priority, c.run_at`
  const after = from === null ? sql`` : sql` AND (${lane}) > (${positionOf(from)})`
  return runLaneRepair(
    database,
    sql`
    WITH RECURSIVE heads AS (
      (SELECT ${columns}, 1 AS n FROM ${names.jobs} AS c WHERE ${waiting}${after} ORDER BY ${lane}, c.run_at, c.id LIMIT 1)
      UNION ALL
      SELECT n.*, h.n + 1 FROM heads AS h CROSS JOIN LATERAL (
        SELECT ${columns} FROM ${names.jobs} AS c
         WHERE ${waiting} AND (${lane}) > (h.queue, h.key, h.tenant_id, h.kind, h.priority)
         ORDER BY ${lane}, c.run_at, c.id LIMIT 1) AS n
       WHERE h.n < ${sql.lit(limitReconcileLanesMax)}
    ), page AS MATERIALIZED (
      SELECT heads.* FROM heads
    ), unknown AS MATERIALIZED (
      SELECT h.* FROM page AS h
       WHERE h.run_at < now() - interval '1 minute' AND NOT EXISTS (
         SELECT FROM ${names.lanes} AS l
          WHERE l.queue = h.queue AND l.key = h.key AND l.tenant_id = h.tenant_id AND l.kind = h.kind
            AND l.priority = h.priority AND l.head_at <= h.run_at)
    ), repaired AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, priority)
      SELECT u.run_at, u.queue, u.kind, u.key, u.tenant_id, u.priority FROM unknown AS u
       WHERE NOT EXISTS (
         SELECT FROM ${names.laneEvents} AS e
          WHERE e.queue = u.queue AND e.due_at <= u.run_at AND e.key = u.key AND e.tenant_id = u.tenant_id
            AND e.kind = u.kind AND e.priority = u.priority)
      RETURNING 1
    )`,
  )
}

/**
 * Writes an event for the key of each lane that has been marked as full for a minute although every limit has room and
 * no event is pending.
 */
function reopenFullLanes(database: QueueDatabase, from: LanePosition | null): Promise<LaneRepair> {
  const { names } = database
  const lane = sql`l.queue, l.key, l.tenant_id, l.kind, l.priority`
  const after = from === null ? sql`` : sql` WHERE (${lane}) > (${positionOf(from)})`
  return runLaneRepair(
    database,
    sql`
    WITH page AS MATERIALIZED (
      SELECT ${lane}, l.is_full, l.turn_at FROM ${names.lanes} AS l${after}
       ORDER BY ${lane} LIMIT ${sql.lit(limitReconcileLanesMax)}
    ), open AS MATERIALIZED (
      SELECT DISTINCT l.queue, l.key, l.tenant_id FROM page AS l
       WHERE l.is_full AND l.turn_at < now() - interval '1 minute' AND NOT EXISTS (
         SELECT FROM ${names.limits} AS r
           LEFT JOIN ${names.limitCounters} AS c
             ON c.queue = l.queue AND c.scope = 'key' AND c.name = l.key AND c.tenant_id = l.tenant_id
          WHERE r.queue = l.queue AND (r.scope = 'each_key' AND r.name = '' OR r.scope = 'key' AND r.name = l.key)
            AND (r.paused_at IS NOT NULL OR c.running >= r.max_running
                 OR r.rate_count IS NOT NULL AND c.spent_until > now() - interval '1 minute'
                 OR r.on_retry IS NOT NULL
                    AND (c.running >= 1 OR EXISTS (SELECT FROM ${names.lanes} AS o
                                                    WHERE o.queue = l.queue AND o.key = l.key AND o.tenant_id = l.tenant_id
                                                      AND NOT o.is_full))))
    ), repaired AS (
      INSERT INTO ${names.laneEvents} (due_at, queue, kind, key, tenant_id, counted)
      SELECT now(), o.queue, '', o.key, o.tenant_id, 0 FROM open AS o
       WHERE (o.queue, o.key, o.tenant_id) NOT IN (
         SELECT e.queue, e.key, e.tenant_id FROM ${names.laneEvents} AS e WHERE e.key IS NOT NULL)
      RETURNING 1
    )`,
  )
}

function positionOf({ queue, key, tenant_id, kind, priority }: LanePosition): RawBuilder<unknown> {
  return sql`${queue}::text, ${key}::text, ${tenant_id}::text, ${kind}::text, ${priority}::smallint`
}

/** Runs the repair of `statement`. Returns the number of repairs, and the last lane of its `page` where that was full. */
async function runLaneRepair({ run }: QueueDatabase, statement: RawBuilder<unknown>): Promise<LaneRepair> {
  const [row] = await run(sql<{ repaired: number; next: string | null }>`${statement}
    SELECT (SELECT count(*)::integer FROM repaired) AS repaired, (
      SELECT json_build_object('queue', p.queue, 'key', p.key, 'tenant_id', p.tenant_id, 'kind', p.kind, 'priority', p.priority)::text
        FROM page AS p ORDER BY p.queue, p.key, p.tenant_id, p.kind, p.priority
      OFFSET ${sql.lit(limitReconcileLanesMax - 1)} LIMIT 1) AS next`)
  const next = row?.next ?? null
  return { repaired: row?.repaired ?? 0, next: next === null ? null : (JSON.parse(next) as LanePosition) }
}
