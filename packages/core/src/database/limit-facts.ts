import { inLanesOfKey, mayStart } from './lane-conditions.ts'
import { opensAt, roomOf, ruleOfKey } from './limit-counters.ts'

/**
 * The limits that hold for a waiting job `c`, built from the fragments of the claim: a join that gives `f.limits`,
 * `f.next_id`, `f.is_in_order` and `f.due`. Jobs whose end the next claim would apply first are subtracted from the
 * counters. `next_id` is the job that is to start next of a key whose jobs start one after the other. `due` is, where a
 * limit holds, the total weight of the due jobs of the queue.
 */
export const limitFacts = (schema: string): string => `
   CROSS JOIN LATERAL (
     SELECT now() AS at, c.queue, c.kind, c.key, coalesce(c.tenant_id, '') AS tenant_id, coalesce(c.weight, 1) AS weight,
            c.status IN ('queued', 'retrying') AS is_waiting
   ) AS p
   CROSS JOIN LATERAL (
     SELECT coalesce(r.limits, '[]') AS limits, o.next_id, o.is_in_order IS TRUE AS is_in_order,
            CASE WHEN r.limits IS NOT NULL THEN ${dueInQueue(schema)} END AS due
       FROM (
         SELECT jsonb_agg(jsonb_build_object('scope', l.scope, 'max_running', l.max_running, 'running', c.running,
                                             'room', ${roomOf},
                                             'paused_at', ${ms('l.paused_at')}, 'opens_at', ${ms(opensAt)})) AS limits
           FROM (
             SELECT l.scope, l.name, '' AS tenant_id, l.max_running, l.rate_count, l.rate_per_ms, l.rate_burst, l.paused_at
               FROM ${schema}.limits AS l
              WHERE p.is_waiting AND l.queue = p.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind' AND l.name = p.kind)
                AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL OR l.paused_at IS NOT NULL)
             UNION ALL
             SELECT 'key', p.key, p.tenant_id, l.max_running, l.rate_count, l.rate_per_ms, l.rate_burst, l.paused_at
               FROM ${ruleOfKey(schema)} AS l
              WHERE p.is_waiting AND p.key IS NOT NULL
                AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL OR l.paused_at IS NOT NULL)
           ) AS l
          CROSS JOIN LATERAL (
            SELECT greatest(0, coalesce(k.running, 0) - ${freed(schema)}) AS running,
                   coalesce(k.spent_until, '-infinity') AS spent_until,
                   greatest(coalesce(k.awaited, 1), p.weight) AS awaited
              FROM (SELECT) AS one LEFT JOIN ${schema}.limit_counters AS k
                ON k.queue = p.queue AND k.scope = l.scope AND k.name = l.name AND k.tenant_id = l.tenant_id
          ) AS c
       ) AS r
       LEFT JOIN LATERAL (
         SELECT (${nextOfKey(schema, 'every.on_retry')} ->> 'id')::uuid AS next_id, true AS is_in_order
           FROM ${schema}.limits AS every
          WHERE p.is_waiting AND p.key IS NOT NULL AND every.queue = p.queue AND every.scope = 'each_key' AND every.name = ''
            AND every.on_retry IS NOT NULL
       ) AS o ON true
   ) AS f`

/**
 * The job of the key of `p` that is to start next at the instant `at`. With `onRetry` = 'block' it is the job that
 * holds the key while that waits for its retry.
 */
export function nextOfKey(schema: string, onRetry: string): string {
  return `coalesce((
              SELECT to_jsonb(c) FROM (
                SELECT c.id, c.kind, c.priority, c.run_at
                  FROM ${schema}.limit_counters AS k JOIN ${schema}.jobs AS c ON c.id = k.held_by
                 WHERE ${onRetry} = 'block' AND k.queue = p.queue AND k.scope = 'key' AND k.name = p.key
                   AND k.tenant_id = p.tenant_id AND c.status = 'retrying' AND ${inLanesOfKey}) AS c
            ), (
              WITH RECURSIVE lines AS (
                (SELECT c.kind, c.priority FROM ${schema}.jobs AS c WHERE ${inLanesOfKey} ORDER BY c.kind, c.priority LIMIT 1)
                UNION ALL
                SELECT n.* FROM lines AS f CROSS JOIN LATERAL (
                  SELECT c.kind, c.priority FROM ${schema}.jobs AS c
                   WHERE ${inLanesOfKey} AND (c.kind, c.priority) > (f.kind, f.priority) ORDER BY c.kind, c.priority LIMIT 1) AS n
              )
              SELECT to_jsonb(c) FROM lines AS f CROSS JOIN LATERAL (
                SELECT c.id, c.kind, c.priority, c.run_at FROM ${schema}.jobs AS c
                 WHERE ${inLanesOfKey} AND c.kind = f.kind AND c.priority = f.priority AND c.run_at <= at AND ${mayStart}
                 ORDER BY c.run_at, c.id LIMIT 1) AS c
               ORDER BY c.priority, c.run_at, c.id LIMIT 1
            ))`
}

/** An instant as milliseconds since 1970; null for null and for infinity. */
function ms(instant: string): string {
  return `(SELECT floor(date_part('epoch', i.at) * 1000::float8)::bigint FROM (SELECT ${instant} AS at) AS i WHERE isfinite(i.at))`
}

/**
 * How many counted jobs of the limit `l` have ended in events that no claim has applied yet. Reads as many events as
 * one claim does.
 */
function freed(schema: string): string {
  return `coalesce((
              SELECT sum(e.jobs) FROM (
                SELECT e.kind, e.key, e.tenant_id, e.counted, e.jobs FROM ${schema}.lane_events AS e
                 WHERE e.queue = p.queue AND e.due_at <= p.at ORDER BY e.due_at LIMIT 1000) AS e
               WHERE CASE l.scope WHEN 'queue' THEN e.counted & 1 <> 0
                          WHEN 'kind' THEN e.counted & 2 <> 0 AND e.kind = l.name
                          ELSE e.counted & 4 <> 0 AND e.key = l.name AND e.tenant_id = l.tenant_id END), 0)::integer`
}

/** The total weight of the due jobs of the queue, of at most one job more than a claim takes. */
function dueInQueue(schema: string): string {
  const ofIndex = (key: string) => `(SELECT b.weight FROM ${schema}.jobs AS b
                 WHERE b.queue = p.queue AND b.priority = g.priority::smallint AND b.status IN ('queued', 'retrying') AND ${key}
                   AND b.run_at <= p.at ORDER BY b.run_at, b.id LIMIT 1001)`
  return `(
              SELECT coalesce(sum(coalesce(b.weight, 1)), 0)::integer FROM (
                SELECT b.weight FROM generate_series(0, 9) AS g (priority) CROSS JOIN LATERAL (
                  ${ofIndex('b.key IS NULL')} UNION ALL ${ofIndex(`coalesce(b.key, '') <> ''`)}) AS b LIMIT 1001) AS b)`
}
