// The function that claims jobs of every sort in one order, while jobs with a key, or jobs of queues that have limits,
// wait beside the others.
import { inLane, isEligible } from '../database/lane-conditions.ts'
import {
  findHead,
  findLines,
  keepLinePositions,
  keylessJobs,
  lockFromHead,
  pickInTenantTurns,
} from './0001-claim-lines.ts'
import { updatedAt } from './0001-updated-at.ts'
import { eventsFrom, findLaneHeads, priorities, rereadAfter, slack } from './0001-claim-marks.ts'
import { nextOfKeys, openNextLanes } from './0001-claim-order.ts'
import { endTurns, pickInTurns } from './0001-claim-turns.ts'
import { chargeSharedRates, chargeKeyRates, fitWeights } from './0001-claim-weights.ts'
import { lowerCounters, openLanes } from './0001-lane-events.ts'
import { columnsOf, laneColumns } from './0001-lane-rows.ts'
import {
  costOf,
  counterOfKey,
  usesCounter,
  opensAt,
  roomOf,
  ruleOfKey,
  spentUntil,
  unlimited,
} from '../database/limit-counters.ts'

/** How many jobs the limits of the target's queue and kind let start; `seen_rooms`: also where another call decides. */
const roomIn = (target: string, rooms: 'rooms' | 'seen_rooms' = 'rooms'): string =>
  `least(coalesce((${rooms} ->> (${target}.queue || '/'))::integer, wanted),
                    coalesce((${rooms} ->> (${target}.queue || '/' || coalesce(${target}.kind, '')))::integer, wanted))`

export const claimLanesSignature =
  'claim_lanes(text, text[], smallint[], text[], integer[], text[], integer, boolean, double precision, double precision, jsonb)'

/**
 * Claims jobs that have a key, and jobs without a key, in the order of the caller's slots. A slot is a queue and a
 * priority, and has a share: the most jobs that the call may take of it. Within a slot, its lanes of each kind and its
 * lines of jobs without a key are targets with equal parts.
 *
 * It is a function because each of its statements sees what was committed before that statement began. What it reads of
 * a lane or a counter after locking it is therefore the newest version. A single statement would read everything as of
 * its own beginning.
 *
 * The settings force index scans and nested loops, whatever the statistics said when a statement was planned. Plans are
 * cached, and a table that was empty then may be large now. JIT is off because, before PostgreSQL 18, a node that is
 * needed all the same counts as so expensive that every statement would be compiled at every call, for 50 ms and more.
 *
 * Locks, in this order: the rows of its queues, shared, where it may wait; then, without waiting, due events, counters,
 * lanes and jobs. An event whose counter or lane another call has locked is written again for a later claim. In a queue
 * without a ready lane, jobs are claimed directly from their events; what remains in such a lane becomes an event
 * again, from which a later claim makes the lane. Only a lane, or a counter, that two calls create at once is waited
 * for, in the order of the keys. All other statements of the product only add events.
 *
 * Arguments: `serving` are the queues, and the arrays of slots have one element for each slot, in the order of their
 * turns; `wanted` is how many jobs to claim; `only_steady` leaves out jobs that crashed a worker; `marks` are the
 * caller's scan positions, from the last row of its previous claim.
 *
 * The last row tells which slots may have more, by their place in the arrays: in lanes and limited queues
 * (`left_lanes`), or in other lines (`left_lines`); `unread_lines` have due jobs which the call has not scanned.
 */
export const claimLanes = (schema: string): string => `CREATE FUNCTION ${schema}.claim_lanes(
  worker_name text, serving text[], slot_priorities smallint[], slot_queues text[], slot_shares integer[], runnable text[],
  wanted integer, only_steady boolean, sent_at_ms double precision, answer_within_ms double precision, marks jsonb
) RETURNS TABLE (
  id uuid, lease_token bigint, queue text, kind text, kind_version smallint, tenant_id text, key text, counted smallint, priority smallint, attempts integer,
  max_attempts integer, timeout_ms integer, crashes smallint, cancel_requested boolean, trace_context text, sensitive text[], payload jsonb,
  retry_policy jsonb, metadata jsonb, run_at timestamptz, expires_at timestamptz, created_at timestamptz, claimed_at timestamptz, ctid tid,
  seen jsonb
)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan = off
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET jit = off SET plan_cache_mode = force_generic_plan AS $function$
#variable_conflict use_column
DECLARE
  -- The instant of the round, and of the call. Whether the worker may claim at all.
  at timestamptz;
  started_at timestamptz;
  lease_end timestamptz;
  is_late boolean;
  open_queues text[];
  limited_queues text[];
  -- By 'queue/priority', the slot's place and its share; and by queue, the largest share of its slots.
  slots jsonb;
  queue_shares jsonb;
  -- The kinds that the worker runs, without their versions.
  base_kinds text[] := ARRAY(SELECT DISTINCT split_part(r, '/', 1) FROM unnest(runnable) AS r);

  -- The limits of the open queues: queues with limits of keys, with any rate; by queue, its on_retry, its fair_by,
  -- and the kinds that have a limit of their own.
  is_limited boolean;
  is_rated boolean;
  keyed_queues text[];
  rated_queues text[];
  retry_orders jsonb;
  fair_queues jsonb;
  limited_kinds jsonb := '{}';
  -- By 'queue/' and 'queue/kind': how many jobs that limit still lets start, and 1 where it counts running jobs.
  rooms jsonb := '{}';
  -- The same by the counters as they were before the calls that have locked some of them, where rooms has 0.
  seen_rooms jsonb := '{}';
  counter_bits jsonb := '{}';
  rule record;
  limit_key text;

  -- The due events, and the lanes that they open. A direct lane has no row: its jobs are claimed from its event.
  -- The arrays beside event_lanes have one element for each of them; ctids are those of its rows.
  events ${schema}.lane_events[];
  jobs_ended integer[];
  event_lanes ${schema}.lanes[];
  direct_flags boolean[];
  new_flags boolean[];
  held_flags boolean[];
  is_new boolean;
  is_held boolean;
  is_outdated boolean;
  -- Turns that another call has locked, each as 'queue priority share'.
  held_turns text[] := '{}';
  direct_queues text[];
  unread_queues text[] := '{}';
  direct_lanes ${schema}.lanes[];
  direct_numbers integer[];
  used_numbers integer[] := '{}';

  -- What a round claims from: a queue and a priority, a kind or all kinds without a limit, in lanes or a line.
  -- heads are the first ready lanes; the arrays beside picked_lanes have one element for each of them.
  reads_all_lanes boolean;
  heads jsonb;
  target record;
  slot_n integer := 0;
  slot_left integer;
  part integer;
  -- The best priority of a slot that may have more.
  left_priority smallint;
  allowed integer;
  base_bits integer;
  picked_lanes ${schema}.lanes[];
  ctids tid[];
  counter_ctids tid[];
  lane_rooms integer[];
  lane_bits integer[];
  quotas integer[];
  next_jobs jsonb[];
  others_hold_turns boolean;
  kept_count integer;
  -- Whether another call has locked what the target needs, and whether this one has claimed jobs of the target, or
  -- closed lanes of it, so that the next call finds fewer.
  others_hold boolean;
  has_advanced boolean;

  -- The jobs of a round: for each its id, the number of its lane, the bits of jobs.counted and, if any has one, its weight.
  ids uuid[];
  lane_numbers integer[];
  job_bits integer[];
  weights integer[];
  claimed_count integer;
  total integer := 0;
  lane_total integer := 0;
  -- The first job that waits until the rates have its weight in tokens; and, by lane, the weight for which its key waits.
  waiting_weight integer;
  waiting_lane integer;
  waiting_tenant text;
  waiting_weights integer[];

  -- The lines of jobs without a key, the scan positions in them, and the turns of tenants.
  lines jsonb;
  line text;
  line_filter jsonb;
  line_positions jsonb;
  new_line_positions jsonb := '{}';
  scans_from_start boolean;
  hit_scan_limit boolean := false;
  head_at timestamptz;
  head_id uuid;
  next_at timestamptz;
  next_id uuid;
  current_tenant text;
  first_idle_tenant text;
  is_line_exhausted boolean;
  credit double precision;
  visits integer;
  found_ids uuid[];

  -- The answer: a row that was needed was locked elsewhere; more can be claimed at once; parts were left for others.
  is_busy boolean := false;
  has_more boolean := false;
  is_incomplete boolean := false;
  is_unread boolean;
  is_left boolean;
  left_lanes integer[] := '{}';
  left_lines integer[] := '{}';
  unread_lines integer[] := '{}';
  next_due timestamptz;
BEGIN
  -- Each statement must see what was committed before it. On this error the caller retries in READ COMMITTED.
  IF current_setting('transaction_isolation') <> 'read committed' THEN
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE = 'jobs in lanes are claimed in a READ COMMITTED transaction';
  END IF;
  SELECT coalesce(array_agg(q.name), '{}'), coalesce(array_agg(q.name) FILTER (WHERE q.limited), '{}')
    INTO open_queues, limited_queues FROM (
    SELECT q.name, q.limited FROM ${schema}.queues AS q WHERE q.name = ANY(serving) AND q.paused_at IS NULL ORDER BY q.name FOR SHARE
  ) AS q;
  at := clock_timestamp();
  started_at := at;
  SELECT w.lease_expires_at INTO lease_end FROM ${schema}.workers AS w WHERE w.id = worker_name AND w.state = 'active';
  is_late := at >= least(now(), to_timestamp(sent_at_ms / 1000)) + answer_within_ms * interval '1 millisecond';
  IF is_late OR lease_end IS NULL OR lease_end <= at THEN
    open_queues := '{}';
  END IF;

  SELECT jsonb_object_agg(s.queue || '/' || s.priority, jsonb_build_array(s.n, s.share)) INTO slots
    FROM unnest(slot_queues, slot_priorities, slot_shares) WITH ORDINALITY AS s (queue, priority, share, n);
  SELECT jsonb_object_agg(s.queue, s.share) INTO queue_shares FROM (
    SELECT s.queue, max(s.share) AS share FROM unnest(slot_queues, slot_shares) AS s (queue, share) GROUP BY s.queue) AS s;
  SELECT ARRAY(SELECT q.name FROM unnest(open_queues) AS q (name)
                WHERE EXISTS (SELECT FROM ${schema}.limits AS l WHERE l.queue = q.name AND l.scope IN ('key', 'each_key'))),
         coalesce(jsonb_object_agg(l.queue, l.on_retry) FILTER (WHERE l.on_retry IS NOT NULL), '{}'),
         coalesce(jsonb_object_agg(l.queue, l.fair_by) FILTER (WHERE l.fair_by IS NOT NULL), '{}'),
         ARRAY(SELECT r.queue FROM ${schema}.limits AS r WHERE r.queue = ANY(open_queues) AND r.rate_count IS NOT NULL),
         coalesce(bool_or(l.scope <> 'each_key'), false), coalesce(bool_or(l.scope <> 'each_key' AND l.rate_count IS NOT NULL), false)
    INTO keyed_queues, retry_orders, fair_queues, rated_queues, is_limited, is_rated
    FROM ${schema}.limits AS l WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind', 'each_key');

  reads_all_lanes := (at BETWEEN (marks ->> 'at')::timestamptz AND (marks ->> 'at')::timestamptz + ${rereadAfter}) IS NOT TRUE;
  IF reads_all_lanes THEN
    marks := coalesce(marks - 'events', '{}') || jsonb_build_object('at', at, 'spots', coalesce(marks -> 'spots', '[]'));
  END IF;

  ${findLaneHeads(schema)}
  -- In queues without a ready lane, due jobs are claimed directly from their events.
  direct_queues := ARRAY(
    SELECT q.name FROM unnest(open_queues) AS q (name) WHERE NOT retry_orders ? q.name AND NOT fair_queues ? q.name AND NOT EXISTS (
      SELECT FROM jsonb_to_recordset(heads) AS h (queue text, turn_at timestamptz) WHERE h.queue = q.name AND h.turn_at IS NOT NULL));

  -- The due events: ends of jobs first, then jobs that have come to wait, those of the best priority first.
  WITH due AS (
    SELECT e.ctid, e.waits FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
      SELECT f.ctid, false AS waits FROM (
        SELECT e.ctid FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.due_at <= at
           AND e.counted IS NOT NULL AND e.due_at >= ${eventsFrom} ORDER BY e.due_at LIMIT 1000 FOR UPDATE SKIP LOCKED) AS f
      UNION ALL
      SELECT w.ctid, true FROM (
        SELECT e.ctid FROM ${priorities} CROSS JOIN LATERAL (
          SELECT e.ctid FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.priority = p.priority AND e.due_at <= at
             AND e.counted IS NULL AND e.due_at >= ${eventsFrom} ORDER BY e.due_at LIMIT 1000 FOR UPDATE SKIP LOCKED) AS e
         LIMIT CASE WHEN q.name = ANY(direct_queues) THEN greatest(1, least(wanted, (queue_shares ->> q.name)::integer)) ELSE 1000 END) AS w) AS e
  ), latest AS (
    -- With a backlog of events, take the newest too: a job that comes now must not wait until the backlog is gone.
    SELECT e.ctid FROM unnest(open_queues) AS q (name) CROSS JOIN ${priorities} CROSS JOIN LATERAL (
      SELECT e.ctid FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.priority = p.priority AND e.due_at <= at
         AND e.counted IS NULL AND e.due_at >= ${eventsFrom}
       ORDER BY e.due_at DESC LIMIT CASE WHEN q.name <> ALL (direct_queues) AND (SELECT count(*) FROM due WHERE due.waits) >= 1000
         THEN 100 ELSE 0 END FOR UPDATE SKIP LOCKED) AS e
  ), deleted AS (
    DELETE FROM ${schema}.lane_events AS e
     WHERE e.ctid = ANY(ARRAY(SELECT due.ctid FROM due UNION ALL SELECT latest.ctid FROM latest)) RETURNING e AS event
  ) SELECT array_agg(deleted.event) INTO events FROM deleted;
  IF events IS NOT NULL THEN
    unread_queues := ARRAY(
      SELECT e.queue FROM unnest(events) AS e WHERE e.counted IS NULL AND e.queue = ANY(direct_queues)
       GROUP BY e.queue HAVING count(*) >= least(wanted, (queue_shares ->> e.queue)::integer));
    has_more := cardinality(events) >= 1000 OR unread_queues <> '{}';
    IF EXISTS (SELECT FROM unnest(events) AS e WHERE e.jobs > 0) THEN
      ${lowerCounters(schema)}
    END IF;
    ${openLanes(schema)}
    IF event_lanes IS NOT NULL AND (is_new OR is_outdated) THEN
      ${findLaneHeads(schema)}
    END IF;
  END IF;

  -- How many jobs the limits of queues and kinds still let start, and the lines in which jobs without a key wait.
  IF is_limited THEN
    FOR rule IN
      SELECT l.queue, l.scope, l.name, l.max_running IS NOT NULL AS is_counting, ${usesCounter} AND NOT coalesce(c.is_locked, false) AS is_held,
             ${roomOf} AS room
        FROM ${schema}.limits AS l LEFT JOIN LATERAL (
          SELECT k.* FROM (
            SELECT c.running, c.spent_until, c.awaited, true AS is_locked FROM ${schema}.limit_counters AS c
             WHERE c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = '' AND ${usesCounter}
               FOR NO KEY UPDATE SKIP LOCKED) AS k
          UNION ALL
          SELECT c.running, c.spent_until, c.awaited, false FROM ${schema}.limit_counters AS c
           WHERE c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = '' AND ${usesCounter}
           LIMIT 1) AS c ON true
       WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind')
    LOOP
      is_busy := is_busy OR rule.is_held;
      limit_key := rule.queue || '/' || rule.name;
      rooms := rooms || jsonb_build_object(limit_key, CASE WHEN rule.is_held THEN 0 ELSE rule.room END);
      seen_rooms := seen_rooms || jsonb_build_object(limit_key, rule.room);
      counter_bits := counter_bits || jsonb_build_object(limit_key, CASE WHEN rule.is_counting THEN 1 ELSE 0 END);
      IF rule.scope = 'kind' THEN
        limited_kinds := limited_kinds || jsonb_build_object(rule.queue,
          coalesce(limited_kinds -> rule.queue, '[]') || to_jsonb(rule.name));
      END IF;
    END LOOP;
  END IF;
  ${findLines(schema)}
  FOR target IN
    SELECT s.queue, s.priority, s.kind, s.is_lane, s.is_direct_lane, s.turns_from, ${roomIn('s')} <= 0 AS is_held,
           (slots -> (s.queue || '/' || s.priority) ->> 0)::integer AS n, (slots -> (s.queue || '/' || s.priority) ->> 1)::integer AS share,
           count(*) OVER (PARTITION BY s.queue, s.priority) - row_number() OVER (PARTITION BY s.queue, s.priority ORDER BY s.turn) + 1 AS targets_left
      FROM (SELECT s.*, random() AS turn FROM (
      SELECT h.queue, h.priority, k.kind, true AS is_lane, false AS is_direct_lane, min(h.turn_at) AS turns_from
        FROM jsonb_to_recordset(heads) AS h (queue text, priority smallint, kind text, turn_at timestamptz)
       CROSS JOIN LATERAL (
         SELECT CASE WHEN fair_queues ? h.queue AND NOT coalesce(limited_kinds -> h.queue, '[]') ? h.kind THEN NULL ELSE h.kind END AS kind) AS k
       WHERE h.turn_at IS NOT NULL AND h.kind = ANY(base_kinds)
       GROUP BY h.queue, h.priority, k.kind
      UNION ALL
      SELECT DISTINCT f.queue, f.priority, f.kind, true, true, NULL::timestamptz FROM unnest(direct_lanes) AS f
      UNION ALL
      SELECT p.queue, p.priority, p.kind, false, false, NULL
        FROM jsonb_to_recordset(lines) AS p (queue text, priority smallint, kind text)
    ) AS s) AS s WHERE ${roomIn('s', 'seen_rooms')} > 0 ORDER BY n, s.turn
  LOOP
    IF target.n <> slot_n THEN
      slot_n := target.n;
      slot_left := target.share;
    END IF;
    -- Each target of a slot gets an equal part; the last one gets what the others have left.
    -- Where a better priority has more, nothing is claimed: the next claim follows at once.
    part := CASE WHEN target.priority > left_priority THEN 0
                 ELSE (least(wanted - total, slot_left) + target.targets_left - 1) / target.targets_left END;
    is_unread := part <= 0;
    is_left := false;
    others_hold := target.is_held;
    has_advanced := false;
    FOR round IN 1..3 LOOP
      allowed := least(part, ${roomIn('target')});
      EXIT WHEN allowed <= 0;
      base_bits := coalesce((counter_bits ->> (target.queue || '/'))::integer, 0)
             + CASE WHEN target.kind IS NULL THEN 0 ELSE 2 * coalesce((counter_bits ->> (target.queue || '/' || target.kind))::integer, 0) END;
      picked_lanes := NULL;
      IF target.is_lane THEN
        quotas := NULL;
        IF target.is_direct_lane THEN
          SELECT array_agg(f.lane ORDER BY f.n), array_agg(f.n) INTO picked_lanes, direct_numbers FROM (
            SELECT ROW(${columnsOf('f')})::${schema}.lanes AS lane, f.n::integer AS n
              FROM unnest(direct_lanes) WITH ORDINALITY AS f (${laneColumns}, n)
             WHERE f.queue = target.queue AND f.priority = target.priority AND f.kind = target.kind AND f.n <> ALL (used_numbers)
             ORDER BY f.n LIMIT allowed) AS f;
          ctids := NULL;
          used_numbers := used_numbers || coalesce(direct_numbers, '{}');
        ELSIF fair_queues ? target.queue THEN
          ${pickInTurns(schema)}
        ELSE
        SELECT array_agg(p.lane), array_agg(p.ctid) INTO picked_lanes, ctids FROM (
          SELECT l AS lane, l.ctid FROM ${schema}.lanes AS l
           WHERE l.queue = target.queue AND l.priority = target.priority AND l.kind = target.kind AND NOT l.is_full
             AND l.turn_at >= target.turns_from AND (round = 1 OR l.turn_at <= started_at)
           ORDER BY l.turn_at LIMIT CASE round WHEN 1 THEN (allowed + 7) / 8 ELSE allowed END FOR NO KEY UPDATE SKIP LOCKED) AS p;
        END IF;
        at := clock_timestamp();
        IF picked_lanes IS NULL THEN
          others_hold := others_hold OR round = 1 AND NOT target.is_direct_lane;
          EXIT;
        END IF;
        IF target.queue = ANY(keyed_queues) THEN
          SELECT array_agg(r.room ORDER BY r.n), array_agg(r.bit ORDER BY r.n), array_agg(r.ctid ORDER BY r.n)
            INTO lane_rooms, lane_bits, counter_ctids FROM (
            SELECT p.n, c.ctid, CASE WHEN l.max_running IS NULL AND l.rate_count IS NULL AND l.paused_at IS NULL THEN ${unlimited}
                             WHEN l.paused_at IS NOT NULL THEN 0
                             WHEN c.running IS NULL THEN NULL ELSE ${roomOf} END AS room,
                   CASE WHEN l.max_running IS NULL THEN 0 ELSE 4 END AS bit
              FROM unnest(picked_lanes) WITH ORDINALITY AS p (${laneColumns}, n)
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              LEFT JOIN LATERAL (
                SELECT c.running, c.spent_until, c.awaited, c.ctid FROM ${schema}.limit_counters AS c
                 WHERE (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL) AND ${counterOfKey('p')}
                   FOR NO KEY UPDATE SKIP LOCKED) AS c ON true) AS r;
        ELSE
          lane_rooms := array_fill(${unlimited}, ARRAY[cardinality(picked_lanes)]);
          lane_bits := array_fill(0, ARRAY[cardinality(picked_lanes)]);
        END IF;
        next_jobs := NULL;
        IF retry_orders ? target.queue THEN
          ${nextOfKeys(schema)}
        ELSE
          SELECT array_agg(d.id), array_agg(d.n), array_agg(d.bit) INTO ids, lane_numbers, job_bits FROM (
            SELECT d.id, p.n::integer AS n, p.bit
              FROM unnest(picked_lanes, lane_rooms, lane_bits, quotas) WITH ORDINALITY
                   AS p (${laneColumns}, room, bit, quota, n)
             CROSS JOIN LATERAL (
               SELECT c.id FROM ${schema}.jobs AS c
                WHERE ${inLane} AND c.run_at <= at AND ${isEligible}
                ORDER BY c.run_at, c.id
                LIMIT least(coalesce(p.room, 0), coalesce(p.quota, (allowed + cardinality(picked_lanes) - 1) / cardinality(picked_lanes)))
                  FOR UPDATE SKIP LOCKED) AS d
             LIMIT allowed) AS d;
        END IF;
      ELSE
        at := clock_timestamp();
        ids := NULL;
        IF fair_queues ->> target.queue = 'tenant' THEN
          ${pickInTenantTurns(schema)}
        END IF;
        IF ids IS NULL THEN
          ${findHead(schema, { ...keylessJobs, nameSuffix: `''` })}
          SELECT array_agg(c.id) INTO ids FROM (${lockFromHead(schema, keylessJobs)} LIMIT allowed) AS c;
        END IF;
        lane_numbers := array_fill(0, ARRAY[coalesce(cardinality(ids), 0)]);
        job_bits := lane_numbers;
      END IF;
      claimed_count := coalesce(cardinality(ids), 0);
      weights := NULL;
      waiting_weight := NULL;
      waiting_lane := NULL;
      IF claimed_count > 0 THEN
        ${fitWeights(schema)}
        RETURN QUERY
        UPDATE ${schema}.jobs AS j
           SET status = 'running', attempts = j.attempts + 1, lease_token = j.lease_token + 1, locked_at = at,
               locked_by = worker_name, updated_at = ${updatedAt('at')}, progress = NULL, progress_message = NULL,
               counted = nullif(base_bits + t.bit, 0)
          FROM unnest(ids, job_bits) AS t (id, bit) WHERE j.id = t.id
        RETURNING j.id, j.lease_token::bigint, j.queue::text, j.kind::text, j.kind_version::smallint, j.tenant_id::text,
          j.key::text, j.counted, j.priority::smallint, j.attempts::integer, j.max_attempts::integer,
          j.timeout_ms::integer, j.crashes::smallint, j.cancel_requested, j.trace_context, j.sensitive::text[], j.payload, j.retry_policy, j.metadata,
          j.run_at, j.expires_at, j.created_at, j.locked_at, j.ctid,
          NULL::jsonb;
        total := total + claimed_count;
        slot_left := slot_left - claimed_count;
        part := part - claimed_count;
        IF target.is_lane OR target.queue = ANY(limited_queues) THEN
          lane_total := lane_total + claimed_count;
        END IF;
        FOREACH limit_key IN ARRAY array_remove(ARRAY[target.queue || '/', target.queue || '/' || target.kind], NULL) LOOP
          CONTINUE WHEN NOT rooms ? limit_key;
          rooms := rooms || jsonb_build_object(limit_key, (rooms ->> limit_key)::integer - claimed_count);
        END LOOP;
        IF rooms ?| ARRAY[target.queue || '/', target.queue || '/' || coalesce(target.kind, '')] THEN
          UPDATE ${schema}.limit_counters AS c
             SET running = c.running + CASE WHEN l.max_running IS NULL THEN 0 ELSE claimed_count END, spent_until = ${spentUntil(costOf('claimed_count', 'unnest(weights) AS w (weight)'))}, awaited = coalesce(waiting_weight, 1)
            FROM ${schema}.limits AS l
           WHERE l.queue = target.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind' AND l.name = target.kind)
             AND c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = '' AND ${usesCounter};
        END IF;
        IF weights IS NOT NULL THEN
          ${chargeSharedRates(schema)}
        END IF;
      END IF;
      EXIT WHEN NOT target.is_lane;
      IF target.queue = ANY(keyed_queues) THEN
        IF claimed_count > 0 THEN
          UPDATE ${schema}.limit_counters AS c
             SET running = c.running + CASE WHEN l.max_running IS NULL THEN 0 ELSE t.jobs END,
                 spent_until = ${spentUntil(costOf('t.jobs', 'unnest(lane_numbers, weights) AS w (n, weight) WHERE w.n = t.n'))}, awaited = 1,
                 held_by = CASE WHEN next_jobs IS NULL THEN c.held_by ELSE t.id END
            FROM (SELECT t.n, count(*)::integer AS jobs, (array_agg(t.id))[1] AS id
                    FROM unnest(lane_numbers, ids) AS t (n, id) GROUP BY t.n) AS t
           CROSS JOIN LATERAL (SELECT (picked_lanes[t.n]).queue, (picked_lanes[t.n]).key) AS p
           CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
           WHERE c.ctid = counter_ctids[t.n];
        END IF;
        FOR nth IN 1..claimed_count LOOP
          lane_rooms[lane_numbers[nth]] := lane_rooms[lane_numbers[nth]] - 1;
        END LOOP;
        IF weights IS NOT NULL THEN
          ${chargeKeyRates(schema)}
        END IF;
        -- An empty bucket refills by itself: an event opens its lane then. A missing counter is made by the next call.
        IF (0 < ALL (lane_rooms)) IS NOT TRUE THEN
          INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
          SELECT CASE WHEN c.running IS NULL THEN at
                      ELSE greatest(at, ${opensAt}) END,
                 p.queue, p.kind, p.key, p.tenant_id, CASE WHEN c.running IS NULL THEN p.priority END,
                 CASE WHEN c.running IS NOT NULL THEN 0 END
            FROM unnest(picked_lanes, lane_rooms) AS p (${laneColumns}, room)
           CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
            LEFT JOIN LATERAL (
              SELECT c.running, c.spent_until, c.awaited FROM ${schema}.limit_counters AS c WHERE ${counterOfKey('p')}) AS c ON true
           WHERE p.room IS NULL AND c.running IS NULL
              OR p.room <= 0 AND l.paused_at IS NULL AND l.rate_count IS NOT NULL AND c.running < coalesce(l.max_running, c.running + 1);
        END IF;
        others_hold := others_hold OR array_position(lane_rooms, NULL) IS NOT NULL;
        IF next_jobs IS NOT NULL THEN
          ${openNextLanes(schema)}
        END IF;
      END IF;
      -- A lane that has given all that it was asked for may have more.
      IF claimed_count BETWEEN 1 AND allowed - 1 AND next_jobs IS NULL THEN
        is_left := is_left OR EXISTS (
          SELECT FROM unnest(lane_numbers) AS t (n) GROUP BY t.n HAVING lane_rooms[t.n] > 0
             AND count(*) >= coalesce(quotas[t.n], (allowed + cardinality(picked_lanes) - 1) / cardinality(picked_lanes)));
      END IF;
      -- What remains in each picked lane. An empty lane is deleted, unless it only seems empty because the clock was
      -- set back.
      WITH remaining AS MATERIALIZED (
        SELECT p.ctid, p.queue, p.kind, p.key, p.tenant_id, p.priority, p.room, p.head_at, h.run_at AS next_at, p.n
          FROM unnest(picked_lanes, ctids, lane_rooms) WITH ORDINALITY AS p (${laneColumns}, ctid, room, n)
          LEFT JOIN LATERAL (SELECT c.run_at FROM ${schema}.jobs AS c WHERE ${inLane} ORDER BY c.run_at, c.id LIMIT 1) AS h ON true
      ), left_over AS (
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
        SELECT n.next_at, n.queue, n.kind, n.key, n.tenant_id, n.priority, CASE WHEN n.next_at <= at THEN 0 END FROM remaining AS n
         WHERE target.is_direct_lane AND n.next_at <= at + interval '1 minute'
      ), emptied AS (
        DELETE FROM ${schema}.lanes AS l USING remaining AS n
         WHERE (n.next_at IS NULL OR n.next_at > at) AND l.ctid = n.ctid
        RETURNING n.queue, n.kind, n.key, n.tenant_id, n.priority, n.next_at
      ), later AS (
        INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
        SELECT e.next_at, e.queue, e.kind, e.key, e.tenant_id, e.priority FROM emptied AS e
         WHERE e.next_at <= at + interval '1 minute'
      )
      UPDATE ${schema}.lanes AS l
         SET turn_at = CASE WHEN n.n >= waiting_lane THEN l.turn_at ELSE clock_timestamp() END, head_at = n.next_at, is_full = n.room <= 0
        FROM remaining AS n
       WHERE n.next_at <= at AND n.room IS NOT NULL AND l.ctid = n.ctid;
      GET DIAGNOSTICS kept_count = ROW_COUNT;
      has_advanced := has_advanced OR claimed_count > 0 OR kept_count < cardinality(picked_lanes) OR coalesce(0 >= ANY (lane_rooms), false);
      IF quotas IS NOT NULL THEN
        ${endTurns(schema)}
      END IF;
      -- The lanes that are left may start jobs. If none of these rounds has closed one, the next call would find the same.
      is_incomplete := is_incomplete OR round = 3;
      is_left := is_left OR round = 3 AND has_advanced;
      -- Other claims have locked the turns of some shares: their parts are not claimed here.
      others_hold := others_hold OR quotas IS NOT NULL AND others_hold_turns;
      EXIT WHEN others_hold;
    END LOOP;
    is_busy := is_busy OR others_hold;
    is_left := others_hold OR ${roomIn('target')} > 0 AND (is_left OR part <= 0 OR target.is_direct_lane AND target.queue = ANY(unread_queues));
    CONTINUE WHEN NOT is_left;
    left_priority := least(left_priority, target.priority);
    IF target.is_lane OR target.queue = ANY(limited_queues) THEN
      left_lanes := left_lanes || slot_n;
    ELSIF is_unread THEN
      unread_lines := unread_lines || slot_n;
    ELSE
      left_lines := left_lines || slot_n;
    END IF;
  END LOOP;
  -- Direct lanes for which there was no room become events again.
  IF cardinality(used_numbers) < cardinality(direct_lanes) THEN
    INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
    SELECT f.head_at, f.queue, f.kind, f.key, f.tenant_id, f.priority, 0
      FROM unnest(direct_lanes) WITH ORDINALITY AS f (${laneColumns}, n) WHERE f.n <> ALL (used_numbers);
  END IF;

  ${keepLinePositions}
  has_more := has_more OR hit_scan_limit;

  -- When the caller should claim again: when an event is due, or a bucket refills that was empty when this call began.
  SELECT min(e.due_at), marks || jsonb_build_object('events', jsonb_object_agg(q.name, least(e.due_at, started_at) - ${slack}))
    INTO next_due, marks FROM unnest(open_queues) AS q (name) LEFT JOIN LATERAL (
      SELECT min(e.due_at) AS due_at FROM (
        SELECT e.due_at FROM (
          SELECT e.due_at FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.counted IS NOT NULL AND e.due_at >= ${eventsFrom}
           ORDER BY e.due_at LIMIT 1) AS e
        UNION ALL
        SELECT e.due_at FROM ${priorities} CROSS JOIN LATERAL (
          SELECT e.due_at FROM ${schema}.lane_events AS e WHERE e.queue = q.name AND e.priority = p.priority AND e.due_at >= ${eventsFrom}
           ORDER BY e.due_at LIMIT 1) AS e) AS e) AS e ON true;
  IF NOT reads_all_lanes AND total < wanted THEN
    next_due := least(next_due, (marks ->> 'at')::timestamptz + ${rereadAfter});
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
    NULL::integer, NULL::integer, NULL::integer, NULL::smallint, NULL::boolean, NULL, NULL::text[], NULL::jsonb, NULL::jsonb, NULL::jsonb,
    NULL::timestamptz, NULL::timestamptz, NULL::timestamptz, NULL::timestamptz, NULL::tid,
    jsonb_build_object('left_lanes', left_lanes, 'left_lines', left_lines, 'unread_lines', unread_lines, 'lane_jobs', lane_total,
      'open_queues', open_queues, 'is_busy', is_busy, 'taken_ms', floor(extract(epoch FROM at) * 1000), 'is_active', coalesce(lease_end > started_at, false),
      'is_too_late', is_late, 'more', has_more OR total >= wanted OR is_incomplete AND total > 0,
      'marks', marks, 'next_in_ms', CASE WHEN is_busy THEN 5 WHEN is_incomplete THEN 100
        WHEN next_due IS NOT NULL THEN greatest(5, ceil(extract(epoch FROM next_due - clock_timestamp()) * 1000)) END);
END $function$`
