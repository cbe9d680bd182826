/**
 * Limits, and the lanes in which jobs with a key wait. Frozen text, as the rest of the step; docs/flow-control.md says how it
 * works.
 *
 * Each index is named by the queries that need it:
 * - jobs_lane_idx: claim_lanes, queue-keys
 * - jobs_keyed_idx: queue-stats, attention, place-in-queue, beside jobs_claim_idx
 * - lanes_pkey: claim_lanes
 * - lanes_ready_idx: claim_lanes, claim-jobs
 * - lanes_full_idx: claim_lanes
 * - lanes_fair_idx, lane_turns_pkey, lane_turns_idx: claim_lanes
 * - lane_events_due_idx: claim_lanes, claim-jobs
 * - lane_events_first_idx: claim_lanes
 * - limits_pkey, limit_counters_pkey: claim_lanes, set-limit
 */
export const flowControl = (schema: string): string[] => [
  `CREATE INDEX jobs_lane_idx ON ${schema}.jobs (queue, key, coalesce(tenant_id, ''), kind, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND key IS NOT NULL`,
  // Not a word that the claim of a lane says: the planner must not take this index for that.
  `CREATE INDEX jobs_keyed_idx ON ${schema}.jobs (queue, priority, run_at, id)
  WHERE status IN ('queued', 'retrying') AND coalesce(key, '') <> ''`,
  `CREATE TABLE ${schema}.limits (
  queue text NOT NULL,
  scope text NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  max_running integer,
  max_waiting integer,
  rate_count integer,
  rate_per_ms integer,
  rate_burst integer,
  paused_at timestamptz,
  on_retry text,
  fair_by text,
  weight smallint,
  created_at timestamptz NOT NULL DEFAULT now(),
  updated_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT limits_pkey PRIMARY KEY (queue, scope, name),
  CONSTRAINT limits_scope_check CHECK (
    scope IN ('queue', 'kind', 'key', 'each_key', 'tenant') AND (scope IN ('queue', 'each_key')) = (name = '')
  ),
  CONSTRAINT limits_max_running_check CHECK (max_running >= 1),
  CONSTRAINT limits_max_waiting_check CHECK (max_waiting IS NULL OR max_waiting >= 1 AND scope IN ('queue', 'tenant')),
  CONSTRAINT limits_rate_check CHECK (
    rate_count >= 1 AND rate_per_ms >= 1 AND rate_burst >= 1
    AND (rate_count IS NULL) = (rate_per_ms IS NULL) AND (rate_count IS NULL) = (rate_burst IS NULL)
  ),
  CONSTRAINT limits_on_retry_check CHECK (on_retry IS NULL OR on_retry IN ('block', 'continue') AND scope = 'each_key'),
  CONSTRAINT limits_fair_by_check CHECK (fair_by IS NULL OR fair_by IN ('tenant', 'key') AND scope = 'queue'),
  CONSTRAINT limits_weight_check CHECK (weight IS NULL OR weight BETWEEN 1 AND 1000 AND scope IN ('key', 'tenant')),
  CONSTRAINT limits_tenant_check CHECK (scope <> 'tenant' OR num_nonnulls(max_running, rate_count, paused_at) = 0),
  CONSTRAINT limits_something_check CHECK (
    num_nonnulls(max_running, max_waiting, rate_count, paused_at, on_retry, fair_by, weight) > 0
  )
)`,
  `CREATE TABLE ${schema}.limit_counters (
  queue text NOT NULL,
  scope ${schema}.limit_scope NOT NULL,
  name text COLLATE "C" NOT NULL DEFAULT '',
  tenant_id text NOT NULL DEFAULT '',
  running ${schema}.count_integer NOT NULL DEFAULT 0,
  spent_until timestamptz NOT NULL DEFAULT '-infinity',
  awaited ${schema}.positive_integer NOT NULL DEFAULT 1,
  held_by uuid,
  CONSTRAINT limit_counters_pkey PRIMARY KEY (queue, scope, name, tenant_id)
) WITH (fillfactor = 25, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE TABLE ${schema}.lanes (
  queue text NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C" NOT NULL,
  tenant_id text NOT NULL DEFAULT '',
  priority smallint NOT NULL,
  is_full boolean NOT NULL DEFAULT false,
  turn_at timestamptz NOT NULL,
  head_at timestamptz NOT NULL,
  share text COLLATE "C",
  CONSTRAINT lanes_pkey PRIMARY KEY (queue, key, tenant_id, kind, priority)
) WITH (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX lanes_ready_idx ON ${schema}.lanes (queue, priority, kind, turn_at) WHERE NOT is_full`,
  `CREATE INDEX lanes_full_idx ON ${schema}.lanes (queue, key, tenant_id) WHERE is_full`,
  `CREATE INDEX lanes_fair_idx ON ${schema}.lanes (queue, priority, share, turn_at) WHERE NOT is_full AND share IS NOT NULL`,
  `CREATE TABLE ${schema}.lane_turns (
  queue text NOT NULL,
  priority smallint NOT NULL,
  share text COLLATE "C" NOT NULL,
  turn double precision NOT NULL,
  reached text,
  CONSTRAINT lane_turns_pkey PRIMARY KEY (queue, priority, share)
) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX lane_turns_idx ON ${schema}.lane_turns (queue, priority, turn)`,
  `CREATE TABLE ${schema}.lane_events (
  due_at timestamptz NOT NULL,
  queue text NOT NULL,
  kind text NOT NULL,
  key text COLLATE "C",
  tenant_id text NOT NULL DEFAULT '',
  priority smallint,
  counted smallint,
  jobs ${schema}.count_integer NOT NULL DEFAULT 0,
  CONSTRAINT lane_events_check CHECK (priority IS NULL OR key IS NOT NULL)
) WITH (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000)`,
  `CREATE INDEX lane_events_due_idx ON ${schema}.lane_events (queue, due_at)`,
  `CREATE INDEX lane_events_first_idx ON ${schema}.lane_events (queue, due_at) WHERE counted IS NOT NULL`,
  claimLanes(schema),
  `REVOKE ALL ON FUNCTION ${schema}.${claimLanesSignature} FROM PUBLIC`,
]

const claimLanesSignature =
  'claim_lanes(text, text[], text[], integer, boolean, double precision, double precision, jsonb)'

/** In the order in which they can be dropped; the function first, which has the rows of a table as values. */
export const dropFlowControl = (schema: string): string[] => [
  `DROP FUNCTION ${schema}.${claimLanesSignature}`,
]

export const flowControlTables = ['lane_events', 'lane_turns', 'lanes', 'limit_counters', 'limits']

/** The jobs of one lane that wait: `c` in the lane `p`. The order of the columns is that of jobs_lane_idx. */
const inLane = `c.queue = p.queue AND c.kind = p.kind AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                AND c.priority = p.priority AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL
                AND c.run_at >= p.head_at`

/** The jobs `c` that wait in the lanes of the key of the lane `p`. */
const ofItsKey = `c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL`

/** Whether a job can start at all, now. */
const mayStart = `c.attempts < c.max_attempts AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)`

/** Whether this worker can run a job, and is asked for jobs like it. */
const isEligible = `CASE WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND ${mayStart}`

/** The jobs `c` without a key among which a claim looks, and those of them that it may take. */
const atSpot = `c.queue = spot.queue AND c.priority = spot.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at`
const ofSpot = `${isEligible}
               AND CASE WHEN spot.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> spot.queue, '[]') ? c.kind ELSE c.kind = spot.kind END`

/** Room without a limit: more than any claim takes, so that what is left of it never looks like none. */
const unlimited = '1000000000'

/** Whether a claim needs the counter of a limit `l`. */
const isCounted = '(l.max_running IS NOT NULL OR l.rate_count IS NOT NULL)'

/** How long the rate `l` takes to pay for `cost`: rounded up once, so that no sum of them is less than it has to be. */
const timeFor = (cost: string): string =>
  `ceil(${cost} * (l.rate_per_ms::float8 * 1000) / l.rate_count) * interval '1 microsecond'`

/** Until when the rate `l` of the counter `c` is spent: under another rate, or another clock, it may have been spent for longer. */
const spent = `greatest(at, least(c.spent_until, at + ${timeFor('l.rate_burst')}))`

/** What the rate `l` of the counter `c` has left. */
const tokensOf = `floor(
                  l.rate_burst - extract(epoch FROM ${spent} - at)::float8 * 1000 * l.rate_count / l.rate_per_ms
                  + 1e-6)::integer`

/** What the rate `l` of the counter `c` has to have before it lets another start. */
const awaited = 'least(c.awaited, l.rate_burst)'

/** When the rate `l` of the counter `c` lets another start. */
export const opensAt = `${spent} - ${timeFor(`(l.rate_burst - ${awaited})`)}`

/** How many jobs a limit `l` with the counter `c` lets start now, if none of them weighs more than one. */
export const roomOf = `CASE WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, ${unlimited}), coalesce(
                  CASE WHEN ${tokensOf} < ${awaited} THEN 0 ELSE ${tokensOf} END, ${unlimited}))) END`

/** When starts under the limit `l` that cost `cost` more are paid for. */
const spentUntil = (cost: string): string =>
  `CASE WHEN l.rate_count IS NULL THEN c.spent_until
        ELSE ${spent} + ${timeFor(cost)} END`

/** What `n` starts of one weight each cost of the rate `l`, or those of these weights where there are some. */
const costOf = (n: string, weights: string): string =>
  `CASE WHEN weights IS NULL THEN ${n} ELSE (SELECT coalesce(sum(least(w.weight, l.rate_burst)), 0) FROM ${weights}) END`

/**
 * The counter `c` of a row. While a transaction elsewhere keeps a snapshot, the index has an entry for each version that the counter
 * has had: this begins with the newest, which is at the end of the table.
 */
const counterOf = (row: string): string =>
  `c.queue = ${row}.queue AND c.scope = ${row}.scope AND c.name = ${row}.name
            AND c.tenant_id BETWEEN ${row}.tenant_id AND ${row}.tenant_id ORDER BY c.tenant_id DESC LIMIT 1`

/** The counter `c` of the key of a row, found likewise. */
const counterOfKey = (row: string): string =>
  `c.queue = ${row}.queue AND c.scope = 'key' AND c.name = ${row}.key
            AND c.tenant_id BETWEEN ${row}.tenant_id AND ${row}.tenant_id ORDER BY c.tenant_id DESC LIMIT 1`

/** The lane `l` of a row, found likewise. */
const laneOf = (row: string): string =>
  `l.queue = ${row}.queue AND l.key = ${row}.key AND l.tenant_id = ${row}.tenant_id AND l.kind = ${row}.kind
            AND l.priority BETWEEN ${row}.priority AND ${row}.priority ORDER BY l.priority DESC LIMIT 1`

/** The columns of a lane in an array of lanes. */
const laneColumns = 'queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share'
const columnsOf = (row: string): string => laneColumns.replaceAll(/\w+/g, `${row}.$&`)

/** The share that stands for the jobs without a key of all tenants. */
const withoutKey = 'chr(9)'

/** Whose turn a lane in a row counts for, where the queue is fair. */
const shareIn = (row: string): string =>
  `CASE fairs ->> ${row}.queue WHEN 'tenant' THEN ${row}.tenant_id WHEN 'key' THEN ${row}.key || chr(9) || ${row}.tenant_id END`

/** The turns `t` of a row. */
const turnOf = (row: string): string =>
  `t.queue = ${row}.queue AND t.priority = ${row}.priority AND t.share = ${row}.share`

/** What becomes of a lane `l` for which there is an event. */
const openedBy = (row: string): string =>
  `is_full = false, head_at = least(l.head_at, ${row}.head_at), turn_at = CASE WHEN l.is_full THEN at ELSE l.turn_at END`

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
const claimLanes = (schema: string): string => `CREATE FUNCTION ${schema}.claim_lanes(
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

/**
 * A claim tells its caller below which instants it has seen nothing, and the next one begins there: not among the dead entries of
 * what has been claimed since, which stay as long as any transaction's snapshot does. What is committed later than `slack` may be
 * below; after `lookAgain` a claim begins at the beginning.
 */
const slack = `interval '200 milliseconds'`
const lookAgain = `interval '1 second'`

/** Of how many queues, priorities and kinds a caller is told. */
const spotsMax = 100

/**
 * Jobs without a key that no claim takes now, such as those of a kind that is full, may be a million before the first that one
 * takes. So a claim looks past `lookMax` of them at most, and tells how far it has come in each line: to the first job that one
 * may take, locked or not, and no nearer to now than `lineSlack`. The next one begins there. What comes before that later is
 * found when a claim begins at the beginning: after `lookThrough`, but no more than a twentieth of the time is spent on that.
 */
const lookMax = 100_000
const lineSlack = `interval '2 seconds'`
const lookThrough = `interval '8 seconds'`

/** Of how many lines a caller is told. */
const linesMax = 200

const lowestId = `'00000000-0000-0000-0000-000000000000'`

/** A line of the spot: of its jobs `c` those that an index finds, and of these those for which a condition holds too. */
interface Line {
  readonly found: string
  readonly condition?: string
}

const withoutKeys: Line = { found: 'c.key IS NULL' }
const withoutTenant: Line = { ...withoutKeys, condition: ' AND c.tenant_id IS NULL' }
/** What it says of keys is said so that the planner takes the index of what tenants have waiting. */
const ofTenant: Line = { found: `c.tenant_id = tenant_now AND coalesce(c.key, '') = ''` }

/** Finds the first job of a line that a claim may take: its head. Where it is not among those that a claim looks at, there is none. */
function findHead(
  schema: string,
  { whose, found, condition = '' }: Line & { readonly whose: string },
): string {
  const jobs = `${schema}.jobs AS c
             WHERE ${found} AND ${atSpot} AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, ${lowestId})) ORDER BY c.run_at, c.id`
  return `line := concat_ws('/', spot.queue, spot.priority, coalesce(spot.kind, ''), ${whose});
          SELECT c.run_at, c.id INTO head_at, head_id FROM (
            SELECT c.* FROM ${jobs} LIMIT ${lookMax}) AS c WHERE ${ofSpot}${condition} ORDER BY c.run_at, c.id LIMIT 1;
          next_at := head_at;
          next_id := head_id;
          IF head_at IS NULL THEN
            SELECT c.run_at, c.id INTO next_at, next_id FROM ${jobs} OFFSET ${lookMax} LIMIT 1;
            is_passing := is_passing OR FOUND;
          END IF;
          lines_seen := lines_seen || jsonb_build_object(line, CASE WHEN next_at < at - ${lineSlack}
            THEN jsonb_build_array(next_at, next_id) ELSE jsonb_build_array(at - ${lineSlack}, ${lowestId}) END);`
}

/** Takes jobs of a line from its head on, in their order. */
function takeFrom(schema: string, { found, condition = '' }: Line): string {
  return `
            SELECT c.id FROM (
              SELECT c.id FROM (
                SELECT c.* FROM ${schema}.jobs AS c WHERE ${found} AND ${atSpot} AND (c.run_at, c.id) >= (head_at, head_id)
                 ORDER BY c.run_at, c.id LIMIT ${lookMax}) AS c WHERE ${ofSpot}${condition}) AS l
             CROSS JOIN LATERAL (
              SELECT c.id FROM ${schema}.jobs AS c WHERE c.id = l.id AND ${found} AND ${atSpot} AND ${ofSpot}${condition}
                 FOR UPDATE SKIP LOCKED) AS c`
}

/** From where on a claim looks for events of the queue `q`. */
const eventsFrom = `coalesce((marks -> 'events' ->> q.name)::timestamptz, '-infinity')`

/** Takes the jobs that have ended off their counters. What another claim holds stays an event. */
function lowerCounters(schema: string): string {
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
function openLanes(schema: string): string {
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

/**
 * Looks for the first lane that is ready in each queue, priority and kind. Begins where the last claim of the caller has stopped,
 * and sees whether there is any between those that it knows: then it looks for all.
 */
function lookForHeads(schema: string): string {
  const head = (of: string) =>
    `jsonb_agg(jsonb_build_object('queue', ${of}.queue, 'priority', ${of}.priority, 'kind', ${of}.kind, 'turn_at', h.turn_at,
               'from', least(h.turn_at, started_at) - ${slack}))`
  return `SELECT ${head('k')} FILTER (WHERE k.priority >= 0), bool_or(k.is_new) INTO heads, is_new FROM (
    SELECT k.*, EXISTS (
             SELECT FROM ${schema}.lanes AS l WHERE l.queue = k.queue AND NOT l.is_full AND (l.priority, l.kind) > (k.priority, k.kind)
                AND (l.priority, l.kind) < (k.next_priority, k.next_kind)) AS is_new
      FROM (SELECT k.*, lead(k.priority, 1, 32767::smallint) OVER line AS next_priority, lead(k.kind, 1, '') OVER line AS next_kind FROM (
        SELECT q.name AS queue, -1::smallint AS priority, '' AS kind, NULL::timestamptz AS "from" FROM unnest(open_queues) AS q (name)
        UNION ALL
        SELECT k.queue, k.priority, k.kind, k."from"
          FROM jsonb_to_recordset(marks -> 'spots') AS k (queue text, priority smallint, kind text, "from" timestamptz)
         WHERE k.queue = ANY(open_queues)) AS k
        WINDOW line AS (PARTITION BY k.queue ORDER BY k.priority, k.kind)) AS k) AS k
    LEFT JOIN LATERAL (
      SELECT l.turn_at FROM ${schema}.lanes AS l WHERE l.queue = k.queue AND l.priority = k.priority AND l.kind = k.kind AND NOT l.is_full
         AND l.turn_at >= CASE WHEN looks_at_all THEN '-infinity' ELSE coalesce(k."from", '-infinity') END ORDER BY l.turn_at LIMIT 1) AS h ON true;
  IF is_new THEN
    WITH RECURSIVE heads AS (
      SELECT h.* FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM ${schema}.lanes AS l WHERE l.queue = q.name AND NOT l.is_full
         ORDER BY l.queue, l.priority, l.kind, l.turn_at LIMIT 1) AS h
      UNION ALL
      SELECT n.* FROM heads AS h CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM ${schema}.lanes AS l WHERE l.queue = h.queue AND NOT l.is_full
           AND (l.priority, l.kind) > (h.priority, h.kind) ORDER BY l.queue, l.priority, l.kind, l.turn_at LIMIT 1) AS n
    ) SELECT ${head('h')} INTO heads FROM heads AS h;
  END IF;
  marks := marks || jsonb_build_object('spots', CASE WHEN jsonb_array_length(heads) <= ${spotsMax} THEN heads ELSE '[]' END);`
}

/** The columns of a lane that was picked, and of what stands beside it. */
const pickedLane = (...beside: readonly string[]): string => `p (${[laneColumns, ...beside].join(', ')})`

/** The limits `l` of the queue and of the kind that a claim looks at which have a rate, with their counters `c`. */
const sharedRates = (schema: string): string => `${schema}.limits AS l JOIN ${schema}.limit_counters AS c
              ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
           WHERE l.queue = spot.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind' AND l.name = spot.kind)
             AND l.rate_count IS NOT NULL`

/**
 * Leaves of the jobs that a claim has found those that their weights let start: of each key, and then of all, the first ones
 * whose cost the rates have left. Only where one of them has a weight; `weights` says that.
 */
function fitWeights(schema: string): string {
  return `IF spot.queue = ANY(rated_queues) AND EXISTS (SELECT FROM ${schema}.jobs AS c WHERE c.id = ANY(ids) AND c.weight IS NOT NULL) THEN
          WITH weighed AS MATERIALIZED (
            SELECT t.*, coalesce(c.weight, 1) AS weight, p.key, coalesce(c.tenant_id, '') AS tenant_id
              FROM unnest(ids, numbers, taken_bits) WITH ORDINALITY AS t (id, n, mark, nth)
              JOIN ${schema}.jobs AS c ON c.id = t.id
              LEFT JOIN unnest(picked) WITH ORDINALITY AS ${pickedLane('n')} ON p.n = t.n
          ), of_keys AS MATERIALIZED (
            SELECT p.key, p.tenant_id, l.rate_burst, ${tokensOf} AS tokens
              FROM (SELECT DISTINCT spot.queue AS queue, w.key, w.tenant_id FROM weighed AS w WHERE w.key IS NOT NULL) AS p
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              JOIN ${schema}.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id
             WHERE l.rate_count IS NOT NULL
          ), fitting AS MATERIALIZED (
            SELECT w.*, coalesce(sum(least(w.weight, k.rate_burst)) OVER (PARTITION BY w.key, w.tenant_id ORDER BY w.nth) > k.tokens,
                                 false) AS awaits_key
              FROM weighed AS w LEFT JOIN of_keys AS k ON k.key = w.key AND k.tenant_id = w.tenant_id
          ), shared AS MATERIALIZED (
            SELECT l.scope, l.rate_burst, ${tokensOf} AS tokens FROM ${sharedRates(schema)}
          ), first AS MATERIALIZED (
            SELECT min(o.nth) AS nth FROM (
              SELECT f.nth, sum(least(f.weight, s.rate_burst)) OVER (PARTITION BY s.scope ORDER BY f.nth) > s.tokens AS awaits
                FROM fitting AS f CROSS JOIN shared AS s WHERE NOT f.awaits_key) AS o WHERE o.awaits
          ), started AS MATERIALIZED (
            SELECT f.* FROM fitting AS f CROSS JOIN first AS b WHERE NOT f.awaits_key AND f.nth < coalesce(b.nth, 1000000)
          )
          SELECT (SELECT array_agg(s.id ORDER BY s.nth) FROM started AS s), (SELECT array_agg(s.n ORDER BY s.nth) FROM started AS s),
                 (SELECT array_agg(s.mark ORDER BY s.nth) FROM started AS s),
                 coalesce((SELECT array_agg(s.weight ORDER BY s.nth) FROM started AS s), '{}'),
                 (SELECT array_agg((SELECT f.weight FROM fitting AS f WHERE f.n = p.n AND f.awaits_key ORDER BY f.nth LIMIT 1) ORDER BY p.n)
                    FROM unnest(picked) WITH ORDINALITY AS ${pickedLane('n')}),
                 f.weight, f.n, f.tenant_id
            INTO ids, numbers, taken_bits, weights, lane_heads, head_weight, head_lane, head_tenant
            FROM first AS b LEFT JOIN fitting AS f ON f.nth = b.nth;
          taken := cardinality(weights);
        END IF;`
}

/**
 * What a queue and a kind still let start, once jobs of some weight have. The tenant whose job waits for its tokens is the next
 * again, where tenants have their turns.
 */
function afterWeights(schema: string): string {
  return `SELECT rooms || coalesce(jsonb_object_agg(l.queue || '/' || l.name, ${roomOf}), '{}') INTO rooms
            FROM ${sharedRates(schema)};
          IF head_weight IS NOT NULL AND NOT spot.is_lane AND fairs ->> spot.queue = 'tenant' THEN
            UPDATE ${schema}.lane_turns AS t SET reached = head_tenant, turn = 1
             WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share = ${withoutKey};
          END IF;`
}

/** Keys whose first job waits for its tokens save them up, and what is left of a lane goes by what is left of its rate. */
function afterWeightsOfKeys(schema: string): string {
  return `UPDATE ${schema}.limit_counters AS c SET awaited = p.weight
            FROM unnest(picked, lane_heads) AS ${pickedLane('weight')}
           WHERE p.weight IS NOT NULL AND c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id;
          lane_rooms := ARRAY(
            SELECT CASE WHEN p.room IS NULL OR l.rate_count IS NULL OR c.running IS NULL THEN p.room ELSE ${roomOf} END
              FROM unnest(picked, lane_rooms) WITH ORDINALITY AS ${pickedLane('room', 'n')}
             CROSS JOIN LATERAL ${ruleOfKey(schema)} AS l
              LEFT JOIN ${schema}.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id ORDER BY p.n);`
}

/** The kinds of the lanes `l` that a claim looks at together. */
const isOfSpot = `CASE WHEN spot.kind IS NULL THEN l.kind = ANY(base_kinds) AND NOT coalesce(limited_kinds -> spot.queue, '[]') ? l.kind
                 ELSE l.kind = spot.kind END`

/** The weight of a share `t`. */
const weightOf = (schema: string): string => `coalesce((
              SELECT r.weight FROM ${schema}.limits AS r
               WHERE r.queue = t.queue AND r.scope = fairs ->> t.queue AND r.name = split_part(t.share, chr(9), 1)), 1)`

/**
 * Picks lanes of those whose turn it is, and says how many jobs of each: a part of what is wanted, by weight. Whoever holds the
 * turns of a tenant or a key has all its lanes; others leave it alone until this commits. Of a key that a limit may hold for, one
 * lane at a time: what another of its kinds may start is known only then.
 */
function pickInTurns(schema: string): string {
  return `WITH turns AS MATERIALIZED (
            SELECT t.queue, t.priority, t.share, t.turn FROM ${schema}.lane_turns AS t
             WHERE t.queue = spot.queue AND t.priority = spot.priority AND EXISTS (
               SELECT FROM ${schema}.lanes AS l
                WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full AND ${isOfSpot}
                  AND (round = 1 OR l.turn_at <= started_at))
             ORDER BY t.turn LIMIT allowed FOR NO KEY UPDATE OF t SKIP LOCKED
          ), weighed AS (
            SELECT t.*, ${weightOf(schema)} AS weight FROM turns AS t
          ), parts AS MATERIALIZED (
            SELECT w.*, ceil(allowed * w.weight::float8 / sum(w.weight) OVER ())::integer AS part FROM weighed AS w
          )
          SELECT array_agg(p.lane ORDER BY p.turn), array_agg(p.place ORDER BY p.turn), array_agg(p.quota ORDER BY p.turn)
            INTO picked, places, quotas FROM (
            SELECT t.turn, l.lane, l.place, row_number() OVER (PARTITION BY (l.lane).key, (l.lane).tenant_id ORDER BY (l.lane).turn_at) AS nth, ((t.part + count(*) OVER (PARTITION BY t.share) - 1) / count(*) OVER (PARTITION BY t.share))::integer AS quota
              FROM parts AS t CROSS JOIN LATERAL (
                SELECT l AS lane, l.ctid AS place FROM ${schema}.lanes AS l
                 WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full AND ${isOfSpot}
                   AND (round = 1 OR l.turn_at <= started_at)
                 ORDER BY l.turn_at LIMIT t.part FOR NO KEY UPDATE SKIP LOCKED) AS l) AS p
           WHERE p.nth = 1 OR spot.queue <> ALL (keyed_queues);`
}

/** The turns move on by what each has got, for its weight. They end with the last lane that is ready: the next event begins them. */
function endTurns(schema: string): string {
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

/** Tenants that one claim visits. */
const visitsMax = 200

/**
 * Jobs without a key of one tenant after the other, so many of each as its weight says, from where the last claim has stopped; those
 * without a tenant in between, as if they had one. No job of them tells a claim that it waits: the index of what tenants have waiting
 * does, and for those without one the line. A claim that finds none that way looks at the line as it is.
 */
function goRoundTenants(schema: string): string {
  return `SELECT t.reached, t.turn INTO tenant_now, credit FROM ${schema}.lane_turns AS t
           WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share = ${withoutKey} FOR NO KEY UPDATE SKIP LOCKED;
          ids := '{}';
          barren := NULL;
          line_is_read := false;
          visits := CASE WHEN FOUND THEN 0 END;
          is_busy := is_busy OR visits IS NULL;
          WHILE visits < ${visitsMax} AND cardinality(ids) < allowed LOOP
            visits := visits + 1;
            IF credit < 1 THEN
              SELECT coalesce((
                SELECT c.tenant_id FROM ${schema}.jobs AS c
                 WHERE c.tenant_id > coalesce(tenant_now, '') AND c.status IN ('queued', 'retrying') 
                 ORDER BY c.tenant_id, c.queue, coalesce(c.key, ''), c.priority LIMIT 1), '') INTO tenant_now;
              EXIT WHEN tenant_now = barren;
              SELECT greatest(1, allowed / 16) * coalesce((
                SELECT r.weight FROM ${schema}.limits AS r WHERE r.queue = spot.queue AND r.scope = 'tenant' AND r.name = tenant_now), 1) INTO credit;
            END IF;
            IF tenant_now = '' AND line_is_read THEN
              found_ids := NULL;
            ELSIF tenant_now = '' THEN
              ${findHead(schema, { ...withoutTenant, whose: `'-'` })}
              SELECT array_agg(c.id) INTO found_ids FROM (${takeFrom(schema, withoutTenant)}
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            ELSE
              head_at := '-infinity';
              head_id := ${lowestId};
              IF limited_kinds ? spot.queue THEN
                ${findHead(schema, { ...ofTenant, whose: `'-' || tenant_now` })}
              END IF;
              SELECT array_agg(c.id) INTO found_ids FROM (${takeFrom(schema, ofTenant)}
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            END IF;
            line_is_read := line_is_read OR tenant_now = '' AND found_ids IS NULL;
            barren := CASE WHEN found_ids IS NULL THEN coalesce(barren, tenant_now) END;
            credit := CASE WHEN cardinality(found_ids) = least(credit, allowed - cardinality(ids)) THEN credit - cardinality(found_ids) ELSE 0 END;
            ids := ids || coalesce(found_ids, '{}');
          END LOOP;
          IF cardinality(ids) > 0 OR visits = ${visitsMax} THEN
            UPDATE ${schema}.lane_turns AS t SET reached = tenant_now, turn = credit
             WHERE t.queue = spot.queue AND t.priority = spot.priority AND t.share = ${withoutKey};
            is_cut_off := is_cut_off OR cardinality(ids) < allowed;
          ELSIF visits IS NOT NULL THEN
            ids := NULL;
          END IF;`
}

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
function nextOfKeys(schema: string): string {
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
function passOn(schema: string): string {
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

/** What holds for the key of a lane `p`: what is said of it by name, and of each key where that says nothing. */
export function ruleOfKey(schema: string): string {
  const rate = (column: string) =>
    `CASE WHEN own.rate_count IS NULL THEN every.${column} ELSE own.${column} END AS ${column}`
  return `(
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running) ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     ${rate('rate_count')}, ${rate('rate_per_ms')}, ${rate('rate_burst')}
                FROM (SELECT) AS one
                LEFT JOIN ${schema}.limits AS own ON own.queue = p.queue AND own.scope = 'key' AND own.name = p.key
                LEFT JOIN ${schema}.limits AS every ON every.queue = p.queue AND every.scope = 'each_key' AND every.name = '')`
}
