// What claim_lanes makes of the events that are due. Frozen text, as the rest of the step.
import { columnsOf, laneColumns, laneOf, openedBy, shareIn, turnOf, withoutKey } from './0001-lane-rows.ts'
import { counterOf, counterOfKey } from './0001-limit-counters.ts'

/** Takes the jobs that have ended off their counters. What another claim holds stays an event. */
export function lowerCounters(schema: string): string {
  return `WITH freed AS MATERIALIZED (
        SELECT e.queue, s.bit, s.scope, s.name, s.tenant_id, sum(e.jobs)::integer AS jobs
          FROM unnest(events) AS e CROSS JOIN LATERAL (VALUES
            (1, 'queue', '' COLLATE "C", ''), (2, 'kind', e.kind COLLATE "C", ''), (4, 'key', e.key, e.tenant_id)
          ) AS s (bit, scope, name, tenant_id)
         WHERE e.counted & s.bit <> 0 GROUP BY e.queue, s.bit, s.scope, s.name, s.tenant_id
      ), tried AS MATERIALIZED (
        SELECT f.*, c.place FROM freed AS f LEFT JOIN LATERAL (
          SELECT c.ctid AS place FROM ${schema}.limit_counters AS c WHERE ${counterOf('f')} FOR NO KEY UPDATE SKIP LOCKED
        ) AS c ON true
      ), kept AS (
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, counted, jobs)
        SELECT at, f.queue, CASE f.scope WHEN 'kind' THEN f.name ELSE '' END, CASE f.scope WHEN 'key' THEN f.name END,
               f.tenant_id, f.bit, f.jobs
          FROM tried AS f
         WHERE f.place IS NULL AND (SELECT true FROM ${schema}.limit_counters AS c WHERE ${counterOf('f')})
        RETURNING 1
      ) SELECT array_agg(t.place), array_agg(t.jobs), EXISTS (SELECT FROM kept) INTO places, jobs_ended, is_busy
          FROM tried AS t WHERE t.place IS NOT NULL;
      UPDATE ${schema}.limit_counters AS c SET running = greatest(0, c.running - f.jobs)
        FROM unnest(places, jobs_ended) AS f (place, jobs) WHERE c.ctid = f.place;`
}

/**
 * Opens the lanes that the events are about, or makes them. A place that is read with a lock is only good for the statements after
 * that one: its own snapshot may be older than what it has locked.
 */
export function openLanes(schema: string): string {
  return `SELECT array_agg(w.lane), array_agg(w.may_go) INTO wanted_lanes, may_go FROM (
      SELECT ROW(w.queue, w.kind, w.key, w.tenant_id, w.priority, false, at, min(w.head_at), ${shareIn('w')})::${schema}.lanes AS lane,
             bool_and(w.may_go) AS may_go FROM (
        SELECT e.queue, e.kind, e.key, e.tenant_id, e.priority, e.due_at AS head_at,
               e.counted IS NULL AND e.queue = ANY(direct_queues) AND e.kind = ANY(base_kinds) AS may_go FROM unnest(events) AS e
         WHERE e.priority IS NOT NULL
        UNION ALL
        SELECT f.queue, f.kind, f.key, f.tenant_id, f.priority, f.head_at, false
          FROM (SELECT DISTINCT e.queue, e.key, e.tenant_id FROM unnest(events) AS e
                 WHERE e.key IS NOT NULL AND e.counted IS NOT NULL) AS e
          JOIN ${schema}.lanes AS f ON f.queue = e.queue AND f.key = e.key AND f.tenant_id = e.tenant_id AND f.is_full
        UNION ALL
        SELECT f.queue, f.kind, f.key, f.tenant_id, f.priority, f.head_at, false
          FROM (SELECT DISTINCT e.queue, e.key, e.tenant_id FROM unnest(events) AS e WHERE e.key IS NOT NULL AND orders ? e.queue) AS e
          JOIN ${schema}.lanes AS f ON f.queue = e.queue AND f.key = e.key AND f.tenant_id = e.tenant_id
      ) AS w GROUP BY w.queue, w.key, w.tenant_id, w.kind, w.priority ORDER BY w.queue, w.key, w.tenant_id, w.kind, w.priority) AS w;
    IF wanted_lanes IS NOT NULL THEN
      IF fairs <> '{}' THEN
        ${beginTurns(schema)}
      END IF;
      SELECT array_agg(t.place ORDER BY t.n), array_agg(t.is_new ORDER BY t.n), array_agg(t.is_held ORDER BY t.n),
             bool_or(t.is_new), bool_or(t.is_held), bool_or(t.is_behind),
             array_agg(ROW(${columnsOf('t')})::${schema}.lanes ORDER BY t.head_at) FILTER (WHERE t.is_fresh)
        INTO places, are_new, are_held, is_new, is_held, is_behind, fresh FROM (
        SELECT w.*, m.place, m.is_full OR m.head_at > w.head_at AS is_behind, (l.place IS NOT NULL OR w.is_kept) AND m.place IS NULL AS is_held,
               l.place IS NULL AND NOT w.is_kept AND w.may_go AS is_fresh, l.place IS NULL AND NOT w.is_kept AND NOT w.may_go AS is_new
          FROM (SELECT w.*, w.queue || ' ' || w.priority || ' ' || coalesce(w.share, '') = ANY(held_turns) AS is_kept
                  FROM unnest(wanted_lanes, may_go) WITH ORDINALITY AS w (${laneColumns}, may_go, n)) AS w
          LEFT JOIN LATERAL (SELECT l.ctid AS place FROM ${schema}.lanes AS l WHERE ${laneOf('w')}) AS l ON true
          LEFT JOIN LATERAL (
            SELECT o.ctid AS place, o.is_full, o.head_at FROM ${schema}.lanes AS o
             WHERE o.ctid = l.place AND NOT w.is_kept FOR NO KEY UPDATE SKIP LOCKED) AS m ON true) AS t;
      IF is_behind THEN
        UPDATE ${schema}.lanes AS l SET ${openedBy('w')}
          FROM unnest(wanted_lanes, places) AS w (${laneColumns}, place)
         WHERE l.ctid = w.place AND (l.is_full OR l.head_at > w.head_at);
      END IF;
      IF is_new THEN
        INSERT INTO ${schema}.lanes AS l (${laneColumns})
        SELECT ${laneColumns} FROM unnest(wanted_lanes, are_new) AS w (${laneColumns}, is_new) WHERE w.is_new
        ON CONFLICT ON CONSTRAINT lanes_pkey DO UPDATE SET ${openedBy('excluded')};
      END IF;
      IF is_held THEN
        is_busy := true;
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
        SELECT w.head_at, w.queue, w.kind, w.key, w.tenant_id, w.priority
          FROM unnest(wanted_lanes, are_held) AS w (${laneColumns}, is_held) WHERE w.is_held;
      END IF;
      IF keyed_queues <> '{}' THEN
        INSERT INTO ${schema}.limit_counters AS n (queue, scope, name, tenant_id)
        SELECT w.queue, 'key', w.key, w.tenant_id FROM unnest(wanted_lanes) AS w
         WHERE EXISTS (SELECT FROM ${schema}.limits AS l WHERE l.queue = w.queue
                          AND (l.scope = 'each_key' AND l.name = '' OR l.scope = 'key' AND l.name = w.key))
           AND (SELECT true FROM ${schema}.limit_counters AS c WHERE ${counterOfKey('w')}) IS NULL
         GROUP BY w.queue, w.key, w.tenant_id ORDER BY w.queue, w.key, w.tenant_id
        ON CONFLICT DO NOTHING;
      END IF;
    END IF;`
}

/** Holds the turns of those whose lanes are about to open, or begins them. */
function beginTurns(schema: string): string {
  return `WITH turns AS MATERIALIZED (
        SELECT s.*, t.share IS NOT NULL AS is_mine, EXISTS (SELECT FROM ${schema}.lane_turns AS t WHERE ${turnOf('s')}) AS is_there
          FROM (SELECT DISTINCT s.queue, s.priority, s.share FROM unnest(wanted_lanes) AS s WHERE s.share IS NOT NULL) AS s
          LEFT JOIN LATERAL (
            SELECT t.share FROM ${schema}.lane_turns AS t WHERE ${turnOf('s')} FOR NO KEY UPDATE SKIP LOCKED) AS t ON true
      ), begun AS (
        INSERT INTO ${schema}.lane_turns AS t (queue, priority, share, turn)
        SELECT s.queue, s.priority, s.share, coalesce((
                 SELECT t.turn FROM ${schema}.lane_turns AS t WHERE t.queue = s.queue AND t.priority = s.priority
                    AND t.share <> ${withoutKey} ORDER BY t.turn LIMIT 1), 0) + 1
          FROM turns AS s WHERE NOT s.is_there ORDER BY s.queue, s.priority, s.share
        ON CONFLICT ON CONSTRAINT lane_turns_pkey DO UPDATE SET turn = t.turn
      ) SELECT coalesce(array_agg(s.queue || ' ' || s.priority || ' ' || s.share), '{}') INTO held_turns
          FROM turns AS s WHERE s.is_there AND NOT s.is_mine;`
}
