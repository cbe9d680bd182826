// The turns of tenants and keys in `claim_lanes`. A share is what has a turn: a tenant, or a key.
import { turnOf, keylessShare } from './0001-lane-rows.ts'

/** Whether the kind of the lane `l` belongs to the target. */
const isInTarget = `CASE WHEN target.kind IS NULL THEN l.kind = ANY(base_kinds) AND NOT coalesce(limited_kinds -> target.queue, '[]') ? l.kind
                 ELSE l.kind = target.kind END`

/** The weight of the share of the turn `t`. */
const weightOf = (schema: string): string => `coalesce((
              SELECT r.weight FROM ${schema}.limits AS r
               WHERE r.queue = t.queue AND r.scope = fair_queues ->> t.queue AND r.name = split_part(t.share, chr(9), 1)), 1)`

/** The turns of the shares that have a ready lane, lowest first. */
const nextTurns = (
  schema: string,
): string => `SELECT t.queue, t.priority, t.share, t.turn FROM ${schema}.lane_turns AS t
             WHERE t.queue = target.queue AND t.priority = target.priority AND EXISTS (
               SELECT FROM ${schema}.lanes AS l
                WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full AND ${isInTarget}
                  AND (round = 1 OR l.turn_at <= started_at))
             ORDER BY t.turn LIMIT allowed`

/**
 * Picks lanes of the shares whose turn it is, with a quota of jobs for each: a part of what is allowed, by weight. The
 * claim that locks the turns of a share has all its lanes. Other claims skip it until this one commits, and take only
 * the parts of the rest that they would get beside it. Where limits of keys may hold, only one lane of a key is picked:
 * what its other kinds may start is only known after that.
 */
export function pickInTurns(schema: string): string {
  return `WITH turns AS MATERIALIZED (
            ${nextTurns(schema)} FOR NO KEY UPDATE OF t SKIP LOCKED
          ), weighed AS MATERIALIZED (
            SELECT t.*, true AS is_locked, ${weightOf(schema)} AS weight FROM turns AS t
            UNION ALL
            SELECT t.*, false, ${weightOf(schema)} FROM (
              ${nextTurns(schema)}) AS t
             WHERE t.share <> ALL (ARRAY(SELECT m.share FROM turns AS m))
          ), parts AS MATERIALIZED (
            SELECT w.*, ceil(allowed * w.weight::float8 / sum(w.weight) OVER ())::integer AS part FROM weighed AS w
          )
          SELECT array_agg(p.lane ORDER BY p.turn), array_agg(p.ctid ORDER BY p.turn), array_agg(p.quota ORDER BY p.turn),
                 EXISTS (SELECT FROM weighed AS w WHERE NOT w.is_locked)
            INTO picked_lanes, ctids, quotas, others_hold_turns FROM (
            SELECT t.turn, l.lane, l.ctid, row_number() OVER (PARTITION BY (l.lane).key, (l.lane).tenant_id ORDER BY (l.lane).turn_at) AS nth, ((t.part + count(*) OVER (PARTITION BY t.share) - 1) / count(*) OVER (PARTITION BY t.share))::integer AS quota
              FROM (SELECT t.* FROM parts AS t WHERE t.is_locked) AS t CROSS JOIN LATERAL (
                SELECT l AS lane, l.ctid FROM ${schema}.lanes AS l
                 WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full AND ${isInTarget}
                   AND (round = 1 OR l.turn_at <= started_at)
                 ORDER BY l.turn_at LIMIT t.part FOR NO KEY UPDATE SKIP LOCKED) AS l) AS p
           WHERE p.nth = 1 OR target.queue <> ALL (keyed_queues);`
}

/**
 * Moves each turn on by the jobs that its share got, divided by its weight. A turn whose last ready lane is gone is
 * deleted; the next event begins it again.
 */
export function endTurns(schema: string): string {
  return `UPDATE ${schema}.lane_turns AS t SET turn = t.turn + g.jobs / ${weightOf(schema)}::float8
          FROM (SELECT p.queue, p.priority, p.share, count(*) AS jobs
                  FROM unnest(lane_numbers) AS t (n)
                 CROSS JOIN LATERAL (SELECT (picked_lanes[t.n]).queue, (picked_lanes[t.n]).priority, (picked_lanes[t.n]).share) AS p
                 GROUP BY p.queue, p.priority, p.share) AS g WHERE ${turnOf('g')};
        DELETE FROM ${schema}.lane_turns AS t
         USING (SELECT DISTINCT p.queue, p.priority, p.share FROM unnest(picked_lanes) AS p) AS g
         WHERE ${turnOf('g')} AND NOT EXISTS (
           SELECT FROM ${schema}.lanes AS l
            WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full);
        is_incomplete := is_incomplete OR claimed_count > 0 AND EXISTS (
          SELECT FROM ${schema}.lane_turns AS t WHERE t.queue = target.queue AND t.priority = target.priority AND t.share <> ${keylessShare});`
}
