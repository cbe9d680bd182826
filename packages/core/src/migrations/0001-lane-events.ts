// How `claim_lanes` applies the due events to counters and lanes.
import {
  columnsOf,
  laneColumns,
  laneOf,
  reopenedBy,
  shareIn,
  turnOf,
  keylessShare,
} from './0001-lane-rows.ts'
import { counterOf, counterOfKey } from '../database/limit-counters.ts'

/**
 * Subtracts the jobs that have ended from their counters. For a counter that another claim has locked, the event is
 * written again.
 */
export function lowerCounters(schema: string): string {
  return `WITH freed AS MATERIALIZED (
        SELECT e.queue, s.bit, s.scope, s.name, s.tenant_id, sum(e.jobs)::integer AS jobs
          FROM unnest(events) AS e CROSS JOIN LATERAL (VALUES
            (1, 'queue', '' COLLATE "C", ''), (2, 'kind', e.kind COLLATE "C", ''), (4, 'key', e.key, e.tenant_id)
          ) AS s (bit, scope, name, tenant_id)
         WHERE e.counted & s.bit <> 0 GROUP BY e.queue, s.bit, s.scope, s.name, s.tenant_id
      ), tried AS MATERIALIZED (
        SELECT f.*, c.ctid FROM freed AS f LEFT JOIN LATERAL (
          SELECT c.ctid FROM ${schema}.limit_counters AS c WHERE ${counterOf('f')} FOR NO KEY UPDATE SKIP LOCKED
        ) AS c ON true
      ), postponed AS (
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, counted, jobs)
        SELECT at, f.queue, CASE f.scope WHEN 'kind' THEN f.name ELSE '' END, CASE f.scope WHEN 'key' THEN f.name END,
               f.tenant_id, f.bit, f.jobs
          FROM tried AS f
         WHERE f.ctid IS NULL AND (SELECT true FROM ${schema}.limit_counters AS c WHERE ${counterOf('f')})
        RETURNING 1
      ) SELECT array_agg(t.ctid), array_agg(t.jobs), EXISTS (SELECT FROM postponed) INTO ctids, jobs_ended, is_busy
          FROM tried AS t WHERE t.ctid IS NOT NULL;
      UPDATE ${schema}.limit_counters AS c SET running = greatest(0, c.running - f.jobs)
        FROM unnest(ctids, jobs_ended) AS f (ctid, jobs) WHERE c.ctid = f.ctid;`
}

/**
 * Opens the lanes that the events are about, or creates them. A ctid that is read with a lock is only used by later
 * statements: the snapshot of the statement that read it may be older than the version it has locked.
 */
export function openLanes(schema: string): string {
  return `SELECT array_agg(w.lane), array_agg(w.is_direct) INTO event_lanes, direct_flags FROM (
      SELECT ROW(w.queue, w.kind, w.key, w.tenant_id, w.priority, false, at, min(w.head_at), ${shareIn('w')})::${schema}.lanes AS lane,
             bool_and(w.is_direct) AS is_direct FROM (
        SELECT e.queue, e.kind, e.key, e.tenant_id, e.priority, e.due_at AS head_at,
               e.counted IS NULL AND e.queue = ANY(direct_queues) AND e.kind = ANY(base_kinds) AS is_direct FROM unnest(events) AS e
         WHERE e.priority IS NOT NULL
        UNION ALL
        SELECT f.queue, f.kind, f.key, f.tenant_id, f.priority, f.head_at, false
          FROM (SELECT DISTINCT e.queue, e.key, e.tenant_id FROM unnest(events) AS e
                 WHERE e.key IS NOT NULL AND e.counted IS NOT NULL) AS e
          JOIN ${schema}.lanes AS f ON f.queue = e.queue AND f.key = e.key AND f.tenant_id = e.tenant_id AND f.is_full
        UNION ALL
        SELECT f.queue, f.kind, f.key, f.tenant_id, f.priority, f.head_at, false
          FROM (SELECT DISTINCT e.queue, e.key, e.tenant_id FROM unnest(events) AS e WHERE e.key IS NOT NULL AND retry_orders ? e.queue) AS e
          JOIN ${schema}.lanes AS f ON f.queue = e.queue AND f.key = e.key AND f.tenant_id = e.tenant_id
      ) AS w GROUP BY w.queue, w.key, w.tenant_id, w.kind, w.priority ORDER BY w.queue, w.key, w.tenant_id, w.kind, w.priority) AS w;
    IF event_lanes IS NOT NULL THEN
      IF fair_queues <> '{}' THEN
        ${beginTurns(schema)}
      END IF;
      SELECT array_agg(t.ctid ORDER BY t.n), array_agg(t.is_new ORDER BY t.n), array_agg(t.is_held ORDER BY t.n),
             bool_or(t.is_new), bool_or(t.is_held), bool_or(t.is_outdated),
             array_agg(ROW(${columnsOf('t')})::${schema}.lanes ORDER BY t.head_at) FILTER (WHERE t.is_direct_lane)
        INTO ctids, new_flags, held_flags, is_new, is_held, is_outdated, direct_lanes FROM (
        SELECT w.*, m.ctid, m.is_full OR m.head_at > w.head_at AS is_outdated, (l.ctid IS NOT NULL OR w.is_turn_held) AND m.ctid IS NULL AS is_held,
               l.ctid IS NULL AND NOT w.is_turn_held AND w.is_direct AS is_direct_lane, l.ctid IS NULL AND NOT w.is_turn_held AND NOT w.is_direct AS is_new
          FROM (SELECT w.*, w.queue || ' ' || w.priority || ' ' || coalesce(w.share, '') = ANY(held_turns) AS is_turn_held
                  FROM unnest(event_lanes, direct_flags) WITH ORDINALITY AS w (${laneColumns}, is_direct, n)) AS w
          LEFT JOIN LATERAL (SELECT l.ctid FROM ${schema}.lanes AS l WHERE ${laneOf('w')}) AS l ON true
          LEFT JOIN LATERAL (
            SELECT o.ctid, o.is_full, o.head_at FROM ${schema}.lanes AS o
             WHERE o.ctid = l.ctid AND NOT w.is_turn_held FOR NO KEY UPDATE SKIP LOCKED) AS m ON true) AS t;
      IF is_outdated THEN
        UPDATE ${schema}.lanes AS l SET ${reopenedBy('w')}
          FROM unnest(event_lanes, ctids) AS w (${laneColumns}, ctid)
         WHERE l.ctid = w.ctid AND (l.is_full OR l.head_at > w.head_at);
      END IF;
      IF is_new THEN
        INSERT INTO ${schema}.lanes AS l (${laneColumns})
        SELECT ${laneColumns} FROM unnest(event_lanes, new_flags) AS w (${laneColumns}, is_new) WHERE w.is_new
        ON CONFLICT ON CONSTRAINT lanes_pkey DO UPDATE SET ${reopenedBy('excluded')};
      END IF;
      IF is_held THEN
        is_busy := true;
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
        SELECT w.head_at, w.queue, w.kind, w.key, w.tenant_id, w.priority
          FROM unnest(event_lanes, held_flags) AS w (${laneColumns}, is_held) WHERE w.is_held;
      END IF;
      IF keyed_queues <> '{}' THEN
        INSERT INTO ${schema}.limit_counters AS n (queue, scope, name, tenant_id)
        SELECT w.queue, 'key', w.key, w.tenant_id FROM unnest(event_lanes) AS w
         WHERE EXISTS (SELECT FROM ${schema}.limits AS l WHERE l.queue = w.queue
                          AND (l.scope = 'each_key' AND l.name = '' OR l.scope = 'key' AND l.name = w.key))
           AND (SELECT true FROM ${schema}.limit_counters AS c WHERE ${counterOfKey('w')}) IS NULL
         GROUP BY w.queue, w.key, w.tenant_id ORDER BY w.queue, w.key, w.tenant_id
        ON CONFLICT DO NOTHING;
      END IF;
    END IF;`
}

/** Locks or begins the turns of the shares whose lanes are about to open. */
function beginTurns(schema: string): string {
  return `WITH turns AS MATERIALIZED (
        SELECT s.*, t.share IS NOT NULL AS is_locked, EXISTS (SELECT FROM ${schema}.lane_turns AS t WHERE ${turnOf('s')}) AS already_exists
          FROM (SELECT DISTINCT s.queue, s.priority, s.share FROM unnest(event_lanes) AS s WHERE s.share IS NOT NULL) AS s
          LEFT JOIN LATERAL (
            SELECT t.share FROM ${schema}.lane_turns AS t WHERE ${turnOf('s')} FOR NO KEY UPDATE SKIP LOCKED) AS t ON true
      ), begun AS (
        INSERT INTO ${schema}.lane_turns AS t (queue, priority, share, turn)
        SELECT s.queue, s.priority, s.share, coalesce((
                 SELECT t.turn FROM ${schema}.lane_turns AS t WHERE t.queue = s.queue AND t.priority = s.priority
                    AND t.share <> ${keylessShare} ORDER BY t.turn LIMIT 1), 0) + 1
          FROM turns AS s WHERE NOT s.already_exists ORDER BY s.queue, s.priority, s.share
        ON CONFLICT ON CONSTRAINT lane_turns_pkey DO UPDATE SET turn = t.turn
      ) SELECT coalesce(array_agg(s.queue || ' ' || s.priority || ' ' || s.share), '{}') INTO held_turns
          FROM turns AS s WHERE s.already_exists AND NOT s.is_locked;`
}
