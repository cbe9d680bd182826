import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { LimitScope } from '../flow/limit-rule.ts'
import { limitUsageDueMax, limitUsageMax } from '../domain/limits.ts'
import { runningCounted, runningUnder } from '../flow/running-jobs.ts'
import { roomOf } from '../database/limit-counters.ts'

/** The use of the limits of one queue and scope, and of one kind. */
export interface LimitUsage {
  readonly queue: string
  readonly scope: Exclude<LimitScope, 'tenant'>
  /** The name of a kind; empty for the other scopes: the limits of keys are taken together. */
  readonly name: string
  /** The running jobs that the limit counts. */
  readonly running: number
  /** For keys: the number of the key with the most. For other scopes the same as `running`. */
  readonly running_most: number
  /** Jobs under the limit among the first `limitUsageDueMax` due jobs of the queue with a key, and as many without. */
  readonly waiting: number
  /** Whether the limit, or that of some key, allows no start, and jobs wait for it. */
  readonly is_holding: boolean
}

/**
 * The use of limits on running jobs and on start rates, for the first `limitUsageMax` combinations of queue, scope and
 * kind by name. Reads the running jobs that limits count, and a bounded number of due jobs of each queue with limits.
 */
export function limitUsage({ names, run }: QueueDatabase): Promise<LimitUsage[]> {
  const { queued, retrying } = names.status
  return run(sql<LimitUsage>`
    WITH running AS MATERIALIZED (${runningCounted(names)}
    ), about AS MATERIALIZED (
      SELECT l.queue, l.scope, CASE l.scope WHEN 'kind' THEN l.name ELSE '' END AS name,
             bool_or(l.scope IN ('queue', 'kind') AND c.queue IS NOT NULL AND ${sql.raw(roomOf)} <= 0) AS is_closed,
             array_agg(l.name) FILTER (WHERE l.scope = 'key') AS keys
        FROM ${names.limits} AS l CROSS JOIN (SELECT now() AS at) AS moment
        LEFT JOIN LATERAL (
          SELECT k.queue, ${runningUnder} AS running, k.spent_until, k.awaited FROM ${names.limitCounters} AS k
           WHERE k.queue = l.queue AND k.scope = l.scope AND k.name = l.name AND k.tenant_id = ''
             AND l.scope IN ('queue', 'kind')) AS c ON true
       WHERE l.scope <> 'tenant' AND num_nonnulls(l.max_running, l.rate_count, l.paused_at, l.on_retry) > 0
       GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT ${sql.lit(limitUsageMax)}
    ), ended AS MATERIALIZED (
      SELECT DISTINCT q.queue, e.key, e.tenant_id FROM (SELECT DISTINCT a.queue FROM about AS a) AS q CROSS JOIN LATERAL (
        SELECT e.key, e.tenant_id, e.counted FROM ${names.laneEvents} AS e
         WHERE e.queue = q.queue AND e.due_at <= now() ORDER BY e.due_at LIMIT ${sql.lit(limitUsageDueMax)}) AS e
       WHERE e.counted & 4 <> 0
    ), due AS MATERIALIZED (
      SELECT q.queue, j.kind, j.key FROM (SELECT DISTINCT a.queue FROM about AS a) AS q CROSS JOIN LATERAL (
        (SELECT j.kind, j.key FROM ${names.jobs} AS j
          WHERE j.queue = q.queue AND j.status IN (${queued}, ${retrying}) AND j.key IS NULL AND j.run_at <= now()
          ORDER BY j.priority, j.run_at, j.id LIMIT ${sql.lit(limitUsageDueMax)})
        UNION ALL
        (SELECT j.kind, j.key FROM ${names.jobs} AS j
          WHERE j.queue = q.queue AND j.status IN (${queued}, ${retrying}) AND coalesce(j.key, '') <> '' AND j.run_at <= now()
          ORDER BY j.priority, j.run_at, j.id LIMIT ${sql.lit(limitUsageDueMax)})) AS j
    )
    SELECT a.queue, a.scope, a.name, r.running, r.running_most, w.waiting,
           CASE WHEN a.scope IN ('queue', 'kind') THEN a.is_closed AND w.waiting > 0
                ELSE EXISTS (SELECT FROM (SELECT l.key, l.tenant_id, l.is_full FROM ${names.lanes} AS l
                                            WHERE l.queue = a.queue LIMIT ${sql.lit(limitUsageDueMax)}) AS l
                              WHERE l.is_full AND (a.keys IS NULL OR l.key = ANY(a.keys)) AND NOT EXISTS (
                                SELECT FROM ended AS e
                                 WHERE e.queue = a.queue AND e.key = l.key AND e.tenant_id = l.tenant_id)) END AS is_holding
      FROM about AS a
     CROSS JOIN LATERAL (
       SELECT coalesce(sum(r.jobs), 0)::integer AS running,
              coalesce(CASE WHEN a.scope IN ('queue', 'kind') THEN sum(r.jobs) ELSE max(r.jobs) END, 0)::integer AS running_most
         FROM running AS r
        WHERE r.queue = a.queue AND CASE a.scope WHEN 'queue' THEN r.counted & 1 <> 0
                                                 WHEN 'kind' THEN r.counted & 2 <> 0 AND r.kind = a.name
                                                 ELSE r.counted & 4 <> 0 AND (a.keys IS NULL OR r.key = ANY(a.keys)) END
     ) AS r
     CROSS JOIN LATERAL (
       SELECT count(*)::integer AS waiting FROM due AS d
        WHERE d.queue = a.queue AND CASE a.scope WHEN 'queue' THEN true
                                                 WHEN 'kind' THEN d.kind = a.name
                                                 ELSE d.key IS NOT NULL AND (a.keys IS NULL OR d.key = ANY(a.keys)) END
     ) AS w
     ORDER BY a.queue, a.scope, a.name`)
}
