// How `claim_lanes` keeps the order of each key, where a limit orders its jobs.
import { inLanesOfKey, isEligible } from '../database/lane-conditions.ts'
import { nextOfKey } from '../database/limit-facts.ts'
import { laneColumns } from './0001-lane-rows.ts'

/**
 * Conditions on `p.next`, the job of the key of the lane `p` that is to start next: its `id`, `kind`, `priority` and
 * `run_at`.
 */
const next = {
  runAt: `(p.next ->> 'run_at')::timestamptz`,
  isHere: `p.next ->> 'kind' = p.kind AND (p.next ->> 'priority')::smallint = p.priority`,
} as const

/**
 * Finds the next job of each key that may start one, and claims it where it is in the picked lane. The counter of the
 * key is locked by now, and none of its jobs runs. So the job that is seen to be first stays first until this commits,
 * except for jobs that are committed meanwhile.
 */
export function nextOfKeys(schema: string): string {
  return `SELECT array_agg(f.next ORDER BY f.n) INTO next_jobs FROM (
            SELECT p.n, CASE WHEN p.room > 0 THEN ${nextOfKey(schema, 'retry_orders ->> p.queue')} END AS next
              FROM unnest(picked_lanes, lane_rooms) WITH ORDINALITY
                   AS p (${laneColumns}, room, n)) AS f;
          SELECT array_agg(d.id), array_agg(d.n), array_agg(d.bit) INTO ids, lane_numbers, job_bits FROM (
            SELECT d.id, p.n::integer AS n, p.bit
              FROM unnest(picked_lanes, lane_bits, next_jobs) WITH ORDINALITY
                   AS p (${laneColumns}, bit, next, n)
             CROSS JOIN LATERAL (
               SELECT c.id FROM ${schema}.jobs AS c
                WHERE c.id = (p.next ->> 'id')::uuid AND c.run_at = ${next.runAt} AND c.kind = p.kind AND c.priority = p.priority
                  AND ${inLanesOfKey} AND c.run_at <= at AND ${isEligible}
                  FOR UPDATE SKIP LOCKED) AS d
             LIMIT allowed) AS d;`
}

/**
 * Marks a picked lane as full where the next job of its key is in another lane or not yet due, and adds an event that
 * opens the lane of that job. An event about a key with an order opens all lanes of the key, so they are checked again
 * when one of its jobs ends, comes or goes.
 */
export function openNextLanes(schema: string): string {
  return `INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
          SELECT DISTINCT at, p.queue, p.next ->> 'kind', p.key, p.tenant_id, (p.next ->> 'priority')::smallint
            FROM unnest(picked_lanes, next_jobs) AS p (${laneColumns}, next)
           WHERE ${next.runAt} <= at AND NOT (${next.isHere})
             AND NOT EXISTS (SELECT FROM ${schema}.lanes AS l
                              WHERE l.queue = p.queue AND l.key = p.key AND l.tenant_id = p.tenant_id
                                AND l.kind = p.next ->> 'kind' AND l.priority = (p.next ->> 'priority')::smallint AND NOT l.is_full);
          lane_rooms := ARRAY(
            SELECT CASE WHEN ${next.isHere} AND ${next.runAt} <= at OR p.next IS NULL THEN p.room ELSE 0 END
              FROM unnest(picked_lanes, lane_rooms, next_jobs) WITH ORDINALITY
                   AS p (${laneColumns}, room, next, n) ORDER BY p.n);`
}
