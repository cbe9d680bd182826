// The order of each key in claim_lanes. Frozen text, as the rest of the step.
import { isEligible, mayStart, ofItsKey } from './0001-claim-conditions.ts'
import { laneColumns } from './0001-lane-rows.ts'

/** Which of the jobs of a lane's key is to start next, where they have an order: `id`, `kind`, `priority` and `run_at`. */
const next = {
  runAt: `(p.next ->> 'run_at')::timestamptz`,
  isHere: `p.next ->> 'kind' = p.kind AND (p.next ->> 'priority')::smallint = p.priority`,
} as const

/** The job of the key of `p` that is to start next at the instant `at`, where its retries do what `onRetry` says. */
export function nextOfKey(schema: string, onRetry: string): string {
  return `coalesce((
              SELECT to_jsonb(c) FROM (
                SELECT c.id, c.kind, c.priority, c.run_at
                  FROM ${schema}.limit_counters AS k JOIN ${schema}.jobs AS c ON c.id = k.held_by
                 WHERE ${onRetry} = 'block' AND k.queue = p.queue AND k.scope = 'key' AND k.name = p.key
                   AND k.tenant_id = p.tenant_id AND c.status = 'retrying' AND ${ofItsKey}) AS c
            ), (
              WITH RECURSIVE lines AS (
                (SELECT c.kind, c.priority FROM ${schema}.jobs AS c WHERE ${ofItsKey} ORDER BY c.kind, c.priority LIMIT 1)
                UNION ALL
                SELECT n.* FROM lines AS f CROSS JOIN LATERAL (
                  SELECT c.kind, c.priority FROM ${schema}.jobs AS c
                   WHERE ${ofItsKey} AND (c.kind, c.priority) > (f.kind, f.priority) ORDER BY c.kind, c.priority LIMIT 1) AS n
              )
              SELECT to_jsonb(c) FROM lines AS f CROSS JOIN LATERAL (
                SELECT c.id, c.kind, c.priority, c.run_at FROM ${schema}.jobs AS c
                 WHERE ${ofItsKey} AND c.kind = f.kind AND c.priority = f.priority AND c.run_at <= at AND ${mayStart}
                 ORDER BY c.run_at, c.id LIMIT 1) AS c
               ORDER BY c.priority, c.run_at, c.id LIMIT 1
            ))`
}

/**
 * Looks for the next job of each key that may start one, and takes it where it is in the lane that was picked. That the counter of
 * the key is held, and none of its jobs runs, is known by then; so a job that is seen to be first is first until this commits,
 * but for what is committed meanwhile. A job that has begun, and waits to go on, holds its key where the order says so.
 */
export function nextOfKeys(schema: string): string {
  return `SELECT array_agg(f.next ORDER BY f.n) INTO nexts FROM (
            SELECT p.n, CASE WHEN p.room > 0 THEN ${nextOfKey(schema, 'orders ->> p.queue')} END AS next
              FROM unnest(picked, lane_rooms) WITH ORDINALITY
                   AS p (${laneColumns}, room, n)) AS f;
          SELECT array_agg(d.id), array_agg(d.n), array_agg(d.bit) INTO ids, numbers, taken_bits FROM (
            SELECT d.id, p.n::integer AS n, p.bit
              FROM unnest(picked, lane_bits, nexts) WITH ORDINALITY
                   AS p (${laneColumns}, bit, next, n)
             CROSS JOIN LATERAL (
               SELECT c.id FROM ${schema}.jobs AS c
                WHERE c.id = (p.next ->> 'id')::uuid AND c.run_at = ${next.runAt} AND c.kind = p.kind AND c.priority = p.priority
                  AND ${ofItsKey} AND c.run_at <= at AND ${isEligible}
                  FOR UPDATE SKIP LOCKED) AS d
             LIMIT allowed) AS d;`
}

/**
 * A lane in which the next job of its key is not, or not yet, is as one that is full; the lane in which it is opens instead. An
 * event of a key in order opens all its lanes, so they are looked at again when a job of it has ended, come or gone.
 */
export function passOn(schema: string): string {
  return `INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
          SELECT DISTINCT at, p.queue, p.next ->> 'kind', p.key, p.tenant_id, (p.next ->> 'priority')::smallint
            FROM unnest(picked, nexts) AS p (${laneColumns}, next)
           WHERE ${next.runAt} <= at AND NOT (${next.isHere})
             AND NOT EXISTS (SELECT FROM ${schema}.lanes AS l
                              WHERE l.queue = p.queue AND l.key = p.key AND l.tenant_id = p.tenant_id
                                AND l.kind = p.next ->> 'kind' AND l.priority = (p.next ->> 'priority')::smallint AND NOT l.is_full);
          lane_rooms := ARRAY(
            SELECT CASE WHEN ${next.isHere} AND ${next.runAt} <= at OR p.next IS NULL THEN p.room ELSE 0 END
              FROM unnest(picked, lane_rooms, nexts) WITH ORDINALITY
                   AS p (${laneColumns}, room, next, n) ORDER BY p.n);`
}
