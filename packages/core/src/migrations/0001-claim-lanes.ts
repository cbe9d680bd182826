// The function that claims jobs in lanes, and jobs without a key of queues with limits. Frozen text, as the rest of the step.
import { inLane, isEligible } from './0001-claim-conditions.ts'
import { findHead, goRoundTenants, linesMax, lookThrough, takeFrom, withoutKeys } from './0001-claim-lines.ts'
import { eventsFrom, lookAgain, lookForHeads, slack } from './0001-claim-marks.ts'
import { nextOfKeys, passOn } from './0001-claim-order.ts'
import { endTurns, pickInTurns } from './0001-claim-turns.ts'
import { afterWeights, afterWeightsOfKeys, fitWeights } from './0001-claim-weights.ts'
import { lowerCounters, openLanes } from './0001-lane-events.ts'
import { columnsOf, laneColumns } from './0001-lane-rows.ts'
import {
  costOf,
  counterOfKey,
  isCounted,
  opensAt,
  roomOf,
  ruleOfKey,
  spentUntil,
  unlimited,
} from './0001-limit-counters.ts'

export const claimLanesSignature =
  'claim_lanes(text, text[], text[], integer, boolean, double precision, double precision, jsonb)'

/**
 * Claims jobs that have a key, and those without one of queues that have a limit.
 *
 * A function, because each of its statements sees what was committed before it: what is read of a lane or of a counter once
 * it is locked is the newest there is. A single statement would read all of it as of its beginning.
 *
 * Whatever the statistics said when a statement was planned, tables are read by an index, and joined by it: the plans are kept, and
 * a table that was empty then may be large now.
 *
 * Its locks, in their order: the rows of its queues, shared; and then, without waiting, the events that are due, counters, lanes and jobs.
 * What an event is about and another call holds, stays an event. A job whose queue has no ready lane is claimed as its event says;
 * what is left over in its lane is an event again, of those that make lanes. Only a lane that two calls make at once is waited for, and a
 * counter likewise, in the order of their keys. Every other statement only adds events.
 */
export const claimLanes = (schema: string): string => `CREATE FUNCTION ${schema}.claim_lanes(
  worker_name text, serving text[], runnable text[], wanted integer, only_steady boolean, sent_at_ms double precision,
  answer_within_ms double precision, marks jsonb
) RETURNS TABLE (
  id uuid, lease_token bigint, queue text, kind text, kind_version smallint, tenant_id text, key text, counted smallint, priority smallint, attempts integer,
  max_attempts integer, timeout_ms integer, crashes smallint, cancel_requested boolean, trace_context text, payload jsonb,
  retry_policy jsonb, metadata jsonb, run_at timestamptz, expires_at timestamptz, created_at timestamptz, ctid tid, seen jsonb
)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET plan_cache_mode = force_generic_plan AS $function$
#variable_conflict use_column
DECLARE
  at timestamptz;
  started_at timestamptz;
  lease_end timestamptz;
  is_late boolean;
  open_queues text[];
  base_kinds text[] := ARRAY(SELECT DISTINCT split_part(r, '/', 1) FROM unnest(runnable) AS r);
  events ${schema}.lane_events[];
  rooms jsonb := '{}';
  bits jsonb := '{}';
  limited_kinds jsonb := '{}';
  keyed_queues text[];
  orders jsonb;
  fairs jsonb;
  spot record;
  rule record;
  place text;
  allowed integer;
  taken integer;
  base_bits integer;
  total integer := 0;
  picked ${schema}.lanes[];
  lane_rooms integer[];
  lane_bits integer[];
  quotas integer[];
  are_apart boolean;
  tenant_now text;
  credit double precision;
  barren text;
  visits integer;
  line_is_read boolean;
  found_ids uuid[];
  ids uuid[];
  taken_bits integer[];
  wanted_lanes ${schema}.lanes[];
  places tid[];
  counter_places tid[];
  jobs_ended integer[];
  is_held boolean;
  is_new boolean;
  is_behind boolean;
  direct_queues text[];
  is_limited boolean;
  looks_through boolean;
  lines_of jsonb;
  lines_seen jsonb := '{}';
  line_marks jsonb;
  line text;
  head_at timestamptz;
  head_id uuid;
  next_at timestamptz;
  next_id uuid;
  is_passing boolean := false;
  is_rated boolean;
  lines jsonb;
  may_go boolean[];
  are_new boolean[];
  are_held boolean[];
  fresh ${schema}.lanes[];
  gone integer[] := '{}';
  picked_numbers integer[];
  held_turns text[] := '{}';
  looks_at_all boolean;
  heads jsonb;
  numbers integer[];
  nexts jsonb[];
  rated_queues text[];
  weights integer[];
  lane_heads integer[];
  head_weight integer;
  head_lane integer;
  head_tenant text;
  is_busy boolean := false;
  has_more boolean := false;
  is_cut_off boolean := false;
  next_due timestamptz;
BEGIN
  -- Each statement has to see what was committed before it. Who sent this sends it again where that is so.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'jobs in lanes are claimed in a READ COMMITTED transaction';
  END IF;
  SELECT coalesce(array_agg(q.name), '{}') INTO open_queues FROM (
    SELECT q.name FROM ${schema}.queues AS q WHERE q.name = ANY(serving) AND q.paused_at IS NULL ORDER BY q.name FOR SHARE
  ) AS q;
  at := clock_timestamp();
  started_at := at;
  SELECT w.lease_expires_at INTO lease_end FROM ${schema}.workers AS w WHERE w.id = worker_name AND w.state = 'active';
  is_late := at >= least(now(), to_timestamp(sent_at_ms / 1000)) + answer_within_ms * interval '1 millisecond';
  IF is_late OR lease_end IS NULL OR lease_end <= at THEN
    open_queues := '{}';
  END IF;

  SELECT ARRAY(SELECT q.name FROM unnest(open_queues) AS q (name)
                WHERE EXISTS (SELECT FROM ${schema}.limits AS l WHERE l.queue = q.name AND l.scope IN ('key', 'each_key'))),
         coalesce(jsonb_object_agg(l.queue, l.on_retry) FILTER (WHERE l.on_retry IS NOT NULL), '{}'),
         coalesce(jsonb_object_agg(l.queue, l.fair_by) FILTER (WHERE l.fair_by IS NOT NULL), '{}'),
         ARRAY(SELECT r.queue FROM ${schema}.limits AS r WHERE r.queue = ANY(open_queues) AND r.rate_count IS NOT NULL),
         coalesce(bool_or(l.scope <> 'each_key'), false), coalesce(bool_or(l.scope <> 'each_key' AND l.rate_count IS NOT NULL), false)
    INTO keyed_queues, orders, fairs, rated_queues, is_limited, is_rated
    FROM ${schema}.limits AS l WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind', 'each_key');

  looks_at_all := (at BETWEEN (marks ->> 'at')::timestamptz AND (marks ->> 'at')::timestamptz + ${lookAgain}) IS NOT TRUE;
  IF looks_at_all THEN
    marks := coalesce(marks - 'events', '{}') || jsonb_build_object('at', at, 'spots', coalesce(marks -> 'spots', '[]'));
  END IF;

  ${lookForHeads(schema)}
  -- Where no lane is ready, jobs that have come are claimed as their events say.
  direct_queues := ARRAY(
    SELECT q.name FROM unnest(open_queues) AS q (name) WHERE NOT orders ? q.name AND NOT fairs ? q.name AND NOT EXISTS (
      SELECT FROM jsonb_to_recordset(heads) AS h (queue text, turn_at timestamptz) WHERE h.queue = q.name AND h.turn_at IS NOT NULL));

  -- What has happened since: jobs that ended, which go first, and jobs that came.
  WITH due AS (
    SELECT e.place, e.waits FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
      SELECT f.place, false AS waits FROM (
        SELECT e.ctid AS place FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.due_at <= at
           AND e.counted IS NOT NULL AND e.due_at >= ${eventsFrom} ORDER BY e.due_at LIMIT 1000 FOR UPDATE SKIP LOCKED) AS f
      UNION ALL
      SELECT w.place, true FROM (
        SELECT e.ctid AS place FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.due_at <= at
           AND e.counted IS NULL AND e.due_at >= ${eventsFrom}
         ORDER BY e.due_at LIMIT CASE WHEN q.name = ANY(direct_queues) THEN wanted ELSE 1000 END FOR UPDATE SKIP LOCKED) AS w) AS e
  ), latest AS (
    -- Who comes now must not wait until all that others have brought before is folded.
    SELECT e.place FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
      SELECT e.ctid AS place FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.due_at <= at
         AND e.counted IS NULL AND e.due_at >= ${eventsFrom}
       ORDER BY e.due_at DESC LIMIT CASE WHEN q.name <> ALL (direct_queues) AND (SELECT count(*) FROM due WHERE due.waits) >= 1000
         THEN 500 ELSE 0 END FOR UPDATE SKIP LOCKED) AS e
  ), gone AS (
    DELETE FROM ${schema}.lane_events AS e
     WHERE e.ctid = ANY(ARRAY(SELECT due.place FROM due UNION ALL SELECT latest.place FROM latest)) RETURNING e AS event
  ) SELECT array_agg(gone.event) INTO events FROM gone;
  IF events IS NOT NULL THEN
    has_more := cardinality(events) >= 1000 OR direct_queues <> '{}'
      AND (SELECT count(*) FROM unnest(events) AS e WHERE e.counted IS NULL) >= wanted;
    IF EXISTS (SELECT FROM unnest(events) AS e WHERE e.jobs > 0) THEN
      ${lowerCounters(schema)}
    END IF;
    ${openLanes(schema)}
    IF wanted_lanes IS NOT NULL AND (is_new OR is_behind) THEN
      ${lookForHeads(schema)}
    END IF;
  END IF;

  -- The room of queues and kinds, and where in them jobs without a key wait.
  IF is_limited THEN
    FOR rule IN
      SELECT l.queue, l.scope, l.name, l.max_running IS NOT NULL AS is_counting, ${isCounted} AND c.running IS NULL AS is_held,
             ${roomOf} AS room
        FROM ${schema}.limits AS l LEFT JOIN LATERAL (
          SELECT c.running, c.spent_until, c.awaited FROM ${schema}.limit_counters AS c
           WHERE c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = '' AND ${isCounted}
             FOR NO KEY UPDATE SKIP LOCKED) AS c ON true
       WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind')
    LOOP
      is_busy := is_busy OR rule.is_held;
      place := rule.queue || '/' || rule.name;
      rooms := rooms || jsonb_build_object(place, CASE WHEN rule.is_held THEN 0 ELSE rule.room END);
      bits := bits || jsonb_build_object(place, CASE WHEN rule.is_counting THEN 1 ELSE 0 END);
      IF rule.scope = 'kind' THEN
        limited_kinds := limited_kinds || jsonb_build_object(rule.queue,
          coalesce(limited_kinds -> rule.queue, '[]') || to_jsonb(rule.name));
      END IF;
    END LOOP;
    WITH RECURSIVE plain AS (
      SELECT q.name, h.priority FROM ${schema}.queues AS q CROSS JOIN LATERAL (
        SELECT c.priority FROM ${schema}.jobs AS c WHERE c.queue = q.name AND c.status IN ('queued', 'retrying')
           AND c.key IS NULL ORDER BY c.queue, c.priority LIMIT 1) AS h
       WHERE q.name = ANY(open_queues) AND q.limited
      UNION ALL
      SELECT p.name, n.priority FROM plain AS p CROSS JOIN LATERAL (
        SELECT c.priority FROM ${schema}.jobs AS c WHERE c.queue = p.name AND c.status IN ('queued', 'retrying')
           AND c.key IS NULL AND c.priority > p.priority ORDER BY c.queue, c.priority LIMIT 1) AS n
    ) SELECT jsonb_agg(jsonb_build_object('queue', p.name, 'priority', p.priority, 'kind', k.kind)) INTO lines
      FROM plain AS p CROSS JOIN LATERAL (
        SELECT NULL AS kind
        UNION ALL
        SELECT jsonb_array_elements_text(limited_kinds -> p.name)) AS k
     WHERE k.kind IS NULL OR k.kind = ANY(base_kinds);
    -- What one claim has passed over, another of the same sort does.
    lines_of := jsonb_build_array(limited_kinds, only_steady, hashtext(array_to_string(runnable, ' ')));
    looks_through := (at < (marks ->> 'lines_until')::timestamptz AND lines_of = marks -> 'lines_of') IS NOT TRUE;
    IF looks_through THEN
      marks := marks - 'lines';
    END IF;
  END IF;
  FOR spot IN
    SELECT s.queue, s.priority, s.kind, s.is_lane, s.is_fresh, s.turns_from, count(*) OVER (PARTITION BY s.queue, s.priority)
                - row_number() OVER (PARTITION BY s.queue, s.priority) + 1 AS others FROM (
      SELECT h.queue, h.priority, k.kind, true AS is_lane, false AS is_fresh, min(h.turn_at) AS turns_from
        FROM jsonb_to_recordset(heads) AS h (queue text, priority smallint, kind text, turn_at timestamptz)
       CROSS JOIN LATERAL (
         SELECT CASE WHEN fairs ? h.queue AND NOT coalesce(limited_kinds -> h.queue, '[]') ? h.kind THEN NULL ELSE h.kind END AS kind) AS k
       WHERE h.turn_at IS NOT NULL AND h.kind = ANY(base_kinds)
       GROUP BY h.queue, h.priority, k.kind
      UNION ALL
      SELECT DISTINCT f.queue, f.priority, f.kind, true, true, NULL::timestamptz FROM unnest(fresh) AS f
      UNION ALL
      SELECT p.queue, p.priority, p.kind, false, false, NULL
        FROM jsonb_to_recordset(lines) AS p (queue text, priority smallint, kind text)
    ) AS s ORDER BY s.priority, random()
  LOOP
    FOR round IN 1..3 LOOP
      allowed := least(wanted - total, coalesce((rooms ->> (spot.queue || '/'))::integer, wanted),
                    coalesce((rooms ->> (spot.queue || '/' || coalesce(spot.kind, '')))::integer, wanted));
      EXIT WHEN allowed <= 0;
      -- Those of one priority have a part each, where all have their turns.
      IF fairs ? spot.queue AND spot.others > 1 THEN
        allowed := (allowed + spot.others - 1) / spot.others;
        is_cut_off := true;
      END IF;
      base_bits := coalesce((bits ->> (spot.queue || '/'))::integer, 0)
             + CASE WHEN spot.kind IS NULL THEN 0 ELSE 2 * coalesce((bits ->> (spot.queue || '/' || spot.kind))::integer, 0) END;
      picked := NULL;
      IF spot.is_lane THEN
        quotas := NULL;
        IF spot.is_fresh THEN
          SELECT array_agg(f.lane ORDER BY f.n), array_agg(f.n) INTO picked, picked_numbers FROM (
            SELECT ROW(${columnsOf('f')})::${schema}.lanes AS lane, f.n::integer AS n
              FROM unnest(fresh) WITH ORDINALITY AS f (${laneColumns}, n)
             WHERE f.queue = spot.queue AND f.priority = spot.priority AND f.kind = spot.kind AND f.n <> ALL (gone)
             ORDER BY f.n LIMIT allowed) AS f;
          places := NULL;
          gone := gone || coalesce(picked_numbers, '{}');
        ELSIF fairs ? spot.queue THEN
          ${pickInTurns(schema)}
        ELSE
        SELECT array_agg(p.lane), array_agg(p.place) INTO picked, places FROM (
          SELECT l AS lane, l.ctid AS place FROM ${schema}.lanes AS l
           WHERE l.queue = spot.queue AND l.priority = spot.priority AND l.kind = spot.kind AND NOT l.is_full
             AND l.turn_at >= spot.turns_from AND (round = 1 OR l.turn_at <= started_at)
           ORDER BY l.turn_at LIMIT CASE round WHEN 1 THEN (allowed + 7) / 8 ELSE allowed END FOR NO KEY UPDATE SKIP LOCKED) AS p;
        END IF;
        at := clock_timestamp();
        IF picked IS NULL THEN
          is_busy := is_busy OR round = 1 AND NOT spot.is_fresh;
          EXIT;
        END IF;
        IF spot.queue = ANY(keyed_queues) THEN
          SELECT array_agg(r.room ORDER BY r.n), array_agg(r.bit ORDER BY r.n), array_agg(r.place ORDER BY r.n)
            INTO lane_rooms, lane_bits, counter_places FROM (
            SELECT p.n, c.place, CASE WHEN l.max_running IS NULL AND l.rate_count IS NULL AND l.paused_at IS NULL THEN ${unlimited}
                             WHEN l.paused_at IS NOT NULL THEN 0
                             WHEN c.running IS NULL THEN NULL ELSE ${roomOf} END AS room,
                   CASE WHEN l.max_running IS NULL THEN 0 ELSE 4 END AS bit
              FROM unnest(picked) WITH ORDINALITY AS p (${laneColumns}, n)
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              LEFT JOIN LATERAL (
                SELECT c.running, c.spent_until, c.awaited, c.ctid AS place FROM ${schema}.limit_counters AS c
                 WHERE (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL) AND ${counterOfKey('p')}
                   FOR NO KEY UPDATE SKIP LOCKED) AS c ON true) AS r;
        ELSE
          lane_rooms := array_fill(${unlimited}, ARRAY[cardinality(picked)]);
          lane_bits := array_fill(0, ARRAY[cardinality(picked)]);
        END IF;
        nexts := NULL;
        IF orders ? spot.queue THEN
          ${nextOfKeys(schema)}
        ELSE
          SELECT array_agg(d.id), array_agg(d.n), array_agg(d.bit) INTO ids, numbers, taken_bits FROM (
            SELECT d.id, p.n::integer AS n, p.bit
              FROM unnest(picked, lane_rooms, lane_bits, quotas) WITH ORDINALITY
                   AS p (${laneColumns}, room, bit, quota, n)
             CROSS JOIN LATERAL (
               SELECT c.id FROM ${schema}.jobs AS c
                WHERE ${inLane} AND c.run_at <= at AND ${isEligible}
                ORDER BY c.run_at, c.id
                LIMIT least(coalesce(p.room, 0), coalesce(p.quota, (allowed + cardinality(picked) - 1) / cardinality(picked)))
                  FOR UPDATE SKIP LOCKED) AS d
             LIMIT allowed) AS d;
        END IF;
      ELSE
        at := clock_timestamp();
        ids := NULL;
        IF fairs ->> spot.queue = 'tenant' THEN
          ${goRoundTenants(schema)}
        END IF;
        IF ids IS NULL THEN
          ${findHead(schema, { ...withoutKeys, whose: `''` })}
          SELECT array_agg(c.id) INTO ids FROM (${takeFrom(schema, withoutKeys)} LIMIT allowed) AS c;
        END IF;
        numbers := array_fill(0, ARRAY[coalesce(cardinality(ids), 0)]);
        taken_bits := numbers;
      END IF;
      taken := coalesce(cardinality(ids), 0);
      weights := NULL;
      head_weight := NULL;
      head_lane := NULL;
      IF taken > 0 THEN
        ${fitWeights(schema)}
        RETURN QUERY
        UPDATE ${schema}.jobs AS j
           SET status = 'running', attempts = j.attempts + 1, lease_token = j.lease_token + 1, locked_at = at,
               locked_by = worker_name, updated_at = at, progress = NULL, progress_message = NULL,
               counted = nullif(base_bits + t.bit, 0)
          FROM unnest(ids, taken_bits) AS t (id, bit) WHERE j.id = t.id
        RETURNING j.id, j.lease_token::bigint, j.queue::text, j.kind::text, j.kind_version::smallint, j.tenant_id::text,
          j.key::text, j.counted, j.priority::smallint, j.attempts::integer, j.max_attempts::integer,
          j.timeout_ms::integer, j.crashes::smallint, j.cancel_requested, j.trace_context, j.payload, j.retry_policy, j.metadata,
          j.run_at, j.expires_at, j.created_at, j.ctid,
          NULL::jsonb;
        total := total + taken;
        FOREACH place IN ARRAY array_remove(ARRAY[spot.queue || '/', spot.queue || '/' || spot.kind], NULL) LOOP
          CONTINUE WHEN NOT rooms ? place;
          rooms := rooms || jsonb_build_object(place, (rooms ->> place)::integer - taken);
        END LOOP;
        IF rooms ?| ARRAY[spot.queue || '/', spot.queue || '/' || coalesce(spot.kind, '')] THEN
          UPDATE ${schema}.limit_counters AS c
             SET running = c.running + CASE WHEN l.max_running IS NULL THEN 0 ELSE taken END, spent_until = ${spentUntil(costOf('taken', 'unnest(weights) AS w (weight)'))}, awaited = coalesce(head_weight, 1)
            FROM ${schema}.limits AS l
           WHERE l.queue = spot.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind' AND l.name = spot.kind)
             AND c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = '' AND ${isCounted};
        END IF;
        IF weights IS NOT NULL THEN
          ${afterWeights(schema)}
        END IF;
      END IF;
      EXIT WHEN NOT spot.is_lane;
      IF spot.queue = ANY(keyed_queues) THEN
        IF taken > 0 THEN
          UPDATE ${schema}.limit_counters AS c
             SET running = c.running + CASE WHEN l.max_running IS NULL THEN 0 ELSE t.jobs END,
                 spent_until = ${spentUntil(costOf('t.jobs', 'unnest(numbers, weights) AS w (n, weight) WHERE w.n = t.n'))}, awaited = 1,
                 held_by = CASE WHEN nexts IS NULL THEN c.held_by ELSE t.id END
            FROM (SELECT t.n, count(*)::integer AS jobs, (array_agg(t.id))[1] AS id
                    FROM unnest(numbers, ids) AS t (n, id) GROUP BY t.n) AS t
           CROSS JOIN LATERAL (SELECT (picked[t.n]).queue, (picked[t.n]).key) AS p
           CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
           WHERE c.ctid = counter_places[t.n];
        END IF;
        FOR nth IN 1..taken LOOP
          lane_rooms[numbers[nth]] := lane_rooms[numbers[nth]] - 1;
        END LOOP;
        IF weights IS NOT NULL THEN
          ${afterWeightsOfKeys(schema)}
        END IF;
        -- A bucket that is empty opens again by itself. A counter that is missing is made by the next call.
        IF (0 < ALL (lane_rooms)) IS NOT TRUE THEN
          INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
          SELECT CASE WHEN c.running IS NULL THEN at
                      ELSE greatest(at, ${opensAt}) END,
                 p.queue, p.kind, p.key, p.tenant_id, CASE WHEN c.running IS NULL THEN p.priority END,
                 CASE WHEN c.running IS NOT NULL THEN 0 END
            FROM unnest(picked, lane_rooms) AS p (${laneColumns}, room)
           CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
            LEFT JOIN LATERAL (
              SELECT c.running, c.spent_until, c.awaited FROM ${schema}.limit_counters AS c WHERE ${counterOfKey('p')}) AS c ON true
           WHERE p.room IS NULL AND c.running IS NULL
              OR p.room <= 0 AND l.paused_at IS NULL AND l.rate_count IS NOT NULL AND c.running < coalesce(l.max_running, c.running + 1);
        END IF;
        is_busy := is_busy OR array_position(lane_rooms, NULL) IS NOT NULL;
        IF nexts IS NOT NULL THEN
          ${passOn(schema)}
        END IF;
      END IF;
      -- What is left of each lane. One that is empty goes; a clock that was set back must not make it seem so.
      WITH next AS MATERIALIZED (
        SELECT p.place, p.queue, p.kind, p.key, p.tenant_id, p.priority, p.room, p.head_at, h.run_at AS next_at, p.n
          FROM unnest(picked, places, lane_rooms) WITH ORDINALITY AS p (${laneColumns}, place, room, n)
          LEFT JOIN LATERAL (SELECT c.run_at FROM ${schema}.jobs AS c WHERE ${inLane} ORDER BY c.run_at, c.id LIMIT 1) AS h ON true
      ), left_over AS (
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
        SELECT n.next_at, n.queue, n.kind, n.key, n.tenant_id, n.priority, CASE WHEN n.next_at <= at THEN 0 END FROM next AS n
         WHERE spot.is_fresh AND n.next_at <= at + interval '1 minute'
      ), emptied AS (
        DELETE FROM ${schema}.lanes AS l USING next AS n
         WHERE (n.next_at IS NULL OR n.next_at > at) AND l.ctid = n.place
        RETURNING n.queue, n.kind, n.key, n.tenant_id, n.priority, n.next_at
      ), later AS (
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
        SELECT e.next_at, e.queue, e.kind, e.key, e.tenant_id, e.priority FROM emptied AS e
         WHERE e.next_at <= at + interval '1 minute'
      )
      UPDATE ${schema}.lanes AS l
         SET turn_at = CASE WHEN n.n >= head_lane THEN l.turn_at ELSE clock_timestamp() END, head_at = n.next_at, is_full = n.room <= 0
        FROM next AS n
       WHERE n.next_at <= at AND n.room IS NOT NULL AND l.ctid = n.place;
      IF quotas IS NOT NULL THEN
        ${endTurns(schema)}
      END IF;
      is_cut_off := is_cut_off OR round = 3;
      -- Others hold the turns of some, whose part is theirs.
      EXIT WHEN quotas IS NOT NULL AND are_apart;
    END LOOP;
    EXIT WHEN total >= wanted;
  END LOOP;
  -- What there was no room for has to make place for others.
  IF cardinality(gone) < cardinality(fresh) THEN
    INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
    SELECT f.head_at, f.queue, f.kind, f.key, f.tenant_id, f.priority, 0
      FROM unnest(fresh) WITH ORDINALITY AS f (${laneColumns}, n) WHERE f.n <> ALL (gone);
  END IF;

  IF is_limited THEN
    line_marks := coalesce(marks -> 'lines', '{}') || lines_seen;
    marks := marks || jsonb_build_object('lines_of', lines_of,
      'lines', CASE WHEN (SELECT count(*) FROM jsonb_object_keys(line_marks)) <= ${linesMax} THEN line_marks ELSE lines_seen END,
      'lines_until', CASE WHEN looks_through OR is_passing
        THEN to_jsonb(greatest(clock_timestamp() + ${lookThrough}, clock_timestamp() + 20 * (clock_timestamp() - started_at),
          CASE WHEN NOT looks_through THEN (marks ->> 'lines_until')::timestamptz END + 20 * (clock_timestamp() - started_at)))
        ELSE marks -> 'lines_until' END);
    has_more := has_more OR is_passing;
  END IF;

  -- When to look again: an event is due, or a bucket of a queue or a kind opens that was closed when this began.
  SELECT min(e.due_at), marks || jsonb_build_object('events', jsonb_object_agg(q.name, least(e.due_at, started_at) - ${slack}))
    INTO next_due, marks FROM unnest(open_queues) AS q (name) LEFT JOIN LATERAL (
      SELECT e.due_at FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.due_at >= ${eventsFrom}
       ORDER BY e.due_at LIMIT 1) AS e ON true;
  IF NOT looks_at_all AND total < wanted THEN
    next_due := least(next_due, (marks ->> 'at')::timestamptz + ${lookAgain});
  END IF;
  IF is_rated THEN
    SELECT least(next_due, min(o.opens_at)) INTO next_due FROM (
    SELECT ${opensAt} AS opens_at
      FROM ${schema}.limits AS l JOIN ${schema}.limit_counters AS c
        ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
     WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind') AND l.rate_count IS NOT NULL) AS o
     WHERE o.opens_at > started_at;
  END IF;
  RETURN QUERY SELECT NULL::uuid, NULL::bigint, NULL, NULL, NULL::smallint, NULL, NULL, NULL::smallint, NULL::smallint,
    NULL::integer, NULL::integer, NULL::integer, NULL::smallint, NULL::boolean, NULL, NULL::jsonb, NULL::jsonb, NULL::jsonb,
    NULL::timestamptz, NULL::timestamptz, NULL::timestamptz, NULL::tid,
    jsonb_build_object('taken_ms', extract(epoch FROM at)::float8 * 1000, 'is_active', coalesce(lease_end > started_at, false),
      'is_too_late', is_late, 'more', has_more OR total >= wanted OR is_cut_off AND total > 0,
      'marks', marks, 'next_in_ms', CASE WHEN is_busy THEN 5 WHEN is_cut_off THEN 100
        WHEN next_due IS NOT NULL THEN greatest(5, extract(epoch FROM next_due - clock_timestamp())::float8 * 1000) END);
END $function$`
