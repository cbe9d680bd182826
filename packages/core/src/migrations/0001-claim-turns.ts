// Turns of tenants and keys in claim_lanes. Frozen text, as the rest of the step.
import { turnOf, withoutKey } from './0001-lane-rows.ts'

/** The kinds of the lanes `l` that a claim looks at together. */
const isOfSpot = `CASE WHEN spot.kind IS NULL THEN l.kind = ANY(base_kinds) AND NOT coalesce(limited_kinds -> spot.queue, '[]') ? l.kind
                 ELSE l.kind = spot.kind END`

/** The weight of a share `t`. */
const weightOf = (schema: string): string => `coalesce((
              SELECT r.weight FROM ${schema}.limits AS r
               WHERE r.queue = t.queue AND r.scope = fairs ->> t.queue AND r.name = split_part(t.share, chr(9), 1)), 1)`

/** The turns of those who have a lane that is ready, in their order. */
const nextTurns = (
  schema: string,
): string => `SELECT t.queue, t.priority, t.share, t.turn FROM ${schema}.lane_turns AS t
             WHERE t.queue = spot.queue AND t.priority = spot.priority AND EXISTS (
               SELECT FROM ${schema}.lanes AS l
                WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full AND ${isOfSpot}
                  AND (round = 1 OR l.turn_at <= started_at))
             ORDER BY t.turn LIMIT allowed`

/**
 * Picks lanes of those whose turn it is, and says how many jobs of each: a part of what is wanted, by weight. Whoever holds the
 * turns of a tenant or a key has all its lanes; others leave it alone until this commits, and take no more of the rest than they would
 * beside it. Of a key that a limit may hold for, one lane at a time: what another of its kinds may start is known only then.
 */
export function pickInTurns(schema: string): string {
  return `WITH turns AS MATERIALIZED (
            ${nextTurns(schema)} FOR NO KEY UPDATE OF t SKIP LOCKED
          ), weighed AS MATERIALIZED (
            SELECT t.*, true AS is_mine, ${weightOf(schema)} AS weight FROM turns AS t
            UNION ALL
            SELECT t.*, false, ${weightOf(schema)} FROM (
              ${nextTurns(schema)}) AS t
             WHERE t.share <> ALL (ARRAY(SELECT m.share FROM turns AS m))
          ), parts AS MATERIALIZED (
            SELECT w.*, ceil(allowed * w.weight::float8 / sum(w.weight) OVER ())::integer AS part FROM weighed AS w
          )
          SELECT array_agg(p.lane ORDER BY p.turn), array_agg(p.place ORDER BY p.turn), array_agg(p.quota ORDER BY p.turn),
                 EXISTS (SELECT FROM weighed AS w WHERE NOT w.is_mine)
            INTO picked, places, quotas, are_apart FROM (
            SELECT t.turn, l.lane, l.place, row_number() OVER (PARTITION BY (l.lane).key, (l.lane).tenant_id ORDER BY (l.lane).turn_at) AS nth, ((t.part + count(*) OVER (PARTITION BY t.share) - 1) / count(*) OVER (PARTITION BY t.share))::integer AS quota
              FROM (SELECT t.* FROM parts AS t WHERE t.is_mine) AS t CROSS JOIN LATERAL (
                SELECT l AS lane, l.ctid AS place FROM ${schema}.lanes AS l
                 WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full AND ${isOfSpot}
                   AND (round = 1 OR l.turn_at <= started_at)
                 ORDER BY l.turn_at LIMIT t.part FOR NO KEY UPDATE SKIP LOCKED) AS l) AS p
           WHERE p.nth = 1 OR spot.queue <> ALL (keyed_queues);`
}

/** The turns move on by what each has got, for its weight. They end with the last lane that is ready: the next event begins them. */
export function endTurns(schema: string): string {
  return `UPDATE ${schema}.lane_turns AS t SET turn = t.turn + g.jobs / ${weightOf(schema)}::float8
          FROM (SELECT p.queue, p.priority, p.share, count(*) AS jobs
                  FROM unnest(numbers) AS t (n)
                 CROSS JOIN LATERAL (SELECT (picked[t.n]).queue, (picked[t.n]).priority, (picked[t.n]).share) AS p
                 GROUP BY p.queue, p.priority, p.share) AS g WHERE ${turnOf('g')};
        DELETE FROM ${schema}.lane_turns AS t
         USING (SELECT DISTINCT p.queue, p.priority, p.share FROM unnest(picked) AS p) AS g
         WHERE ${turnOf('g')} AND NOT EXISTS (
           SELECT FROM ${schema}.lanes AS l
            WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full);
        is_cut_off := is_cut_off OR taken > 0 AND EXISTS (
          SELECT FROM ${schema}.lane_turns AS t WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share <> ${withoutKey});`
}
