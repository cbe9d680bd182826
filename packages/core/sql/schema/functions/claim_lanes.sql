CREATE FUNCTION queue.claim_lanes(
  worker_name text, serving text[], slot_priorities smallint[], slot_queues text[], slot_shares integer[],
      runnable text[],
  wanted integer, only_steady boolean, sent_at_ms double precision, answer_within_ms double precision, marks
      jsonb
) RETURNS TABLE (
  id uuid, lease_token bigint, queue text, kind text, kind_version smallint, tenant_id text, key text, counted
      smallint, priority smallint, attempts integer,
  max_attempts integer, timeout_ms integer, crashes smallint, cancel_requested boolean, trace_context text,
      sensitive text[], payload jsonb,
  retry_policy jsonb, metadata jsonb, run_at timestamptz, expires_at timestamptz, created_at timestamptz,
      claimed_at timestamptz, ctid tid,
  seen jsonb
)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp SET enable_seqscan = off SET enable_bitmapscan
    = off
SET enable_sort = off SET enable_hashjoin = off SET enable_mergejoin = off SET enable_material = off SET jit =
    off SET plan_cache_mode = force_generic_plan AS $function$
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

  -- The limits of the open queues: queues with limits of keys, with any rate; by queue, its on_retry, its
  -- fair_by,
  -- and the kinds that have a limit of their own.
  is_limited boolean;
  is_rated boolean;
  keyed_queues text[];
  rated_queues text[];
  retry_orders jsonb;
  fair_queues jsonb;
  limited_kinds jsonb := '{}';
  -- By 'queue/' and 'queue/kind': how many jobs that limit still lets start, and 1 where it counts running
  -- jobs.
  rooms jsonb := '{}';
  -- The same by the counters as they were before the calls that have locked some of them, where rooms has 0.
  seen_rooms jsonb := '{}';
  counter_bits jsonb := '{}';
  rule record;
  limit_key text;

  -- The due events, and the lanes that they open. A direct lane has no row: its jobs are claimed from its
  -- event.
  -- The arrays beside event_lanes have one element for each of them; ctids are those of its rows.
  events queue.lane_events[];
  jobs_ended integer[];
  event_lanes queue.lanes[];
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
  direct_lanes queue.lanes[];
  direct_numbers integer[];
  used_numbers integer[] := '{}';

  -- What a round claims from: a queue and a priority, a kind or all kinds without a limit, in lanes or a
  -- line.
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
  picked_lanes queue.lanes[];
  ctids tid[];
  counter_ctids tid[];
  lane_rooms integer[];
  lane_bits integer[];
  quotas integer[];
  next_jobs jsonb[];
  others_hold_turns boolean;
  kept_count integer;
  -- Whether another call has locked what the target needs, and whether this one has claimed jobs of the
  -- target, or
  -- closed lanes of it, so that the next call finds fewer.
  others_hold boolean;
  has_advanced boolean;

  -- The jobs of a round: for each its id, the number of its lane, the bits of jobs.counted and, if any has
  -- one, its weight.
  ids uuid[];
  lane_numbers integer[];
  job_bits integer[];
  weights integer[];
  claimed_count integer;
  total integer := 0;
  lane_total integer := 0;
  -- The first job that waits until the rates have its weight in tokens; and, by lane, the weight for which
  -- its key waits.
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

  -- The answer: a row that was needed was locked elsewhere; more can be claimed at once; parts were left for
  -- others.
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
    RAISE EXCEPTION USING ERRCODE = 'serialization_failure', MESSAGE =
        'jobs in lanes are claimed in a READ COMMITTED transaction';
  END IF;
  SELECT coalesce(array_agg(q.name), '{}'), coalesce(array_agg(q.name) FILTER (WHERE q.limited), '{}')
    INTO open_queues, limited_queues FROM (
    SELECT q.name, q.limited FROM queue.queues AS q WHERE q.name = ANY(serving) AND q.paused_at IS NULL
        ORDER BY q.name FOR SHARE
  ) AS q;
  at := clock_timestamp();
  started_at := at;
  SELECT w.lease_expires_at INTO lease_end FROM queue.workers AS w
      WHERE w.id = worker_name AND w.state = 'active';
  is_late := at >= least(now(), to_timestamp(sent_at_ms / 1000)) + answer_within_ms * interval
      '1 millisecond';
  IF is_late OR lease_end IS NULL OR lease_end <= at THEN
    open_queues := '{}';
  END IF;

  SELECT jsonb_object_agg(s.queue || '/' || s.priority, jsonb_build_array(s.n, s.share)) INTO slots
    FROM unnest(slot_queues, slot_priorities, slot_shares) WITH ORDINALITY AS s (queue, priority, share, n);
  SELECT jsonb_object_agg(s.queue, s.share) INTO queue_shares FROM (
    SELECT s.queue, max(s.share) AS share FROM unnest(slot_queues, slot_shares) AS s (queue, share)
        GROUP BY s.queue) AS s;
  SELECT ARRAY(SELECT q.name FROM unnest(open_queues) AS q (name)
                WHERE EXISTS (SELECT FROM queue.limits AS l WHERE l.queue = q.name
                    AND l.scope IN ('key', 'each_key'))),
         coalesce(jsonb_object_agg(l.queue, l.on_retry) FILTER (WHERE l.on_retry IS NOT NULL), '{}'),
         coalesce(jsonb_object_agg(l.queue, l.fair_by) FILTER (WHERE l.fair_by IS NOT NULL), '{}'),
         ARRAY(SELECT r.queue FROM queue.limits AS r WHERE r.queue = ANY(open_queues)
             AND r.rate_count IS NOT NULL),
         coalesce(bool_or(l.scope <> 'each_key'), false), coalesce(bool_or(l.scope <> 'each_key'
             AND l.rate_count IS NOT NULL), false)
    INTO keyed_queues, retry_orders, fair_queues, rated_queues, is_limited, is_rated
    FROM queue.limits AS l WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind', 'each_key');

  reads_all_lanes := (at BETWEEN (marks ->> 'at')::timestamptz
      AND (marks ->> 'at')::timestamptz + interval '1 second') IS NOT TRUE;
  IF reads_all_lanes THEN
    marks := coalesce(marks - 'events', '{}') || jsonb_build_object('at', at, 'spots', coalesce(marks ->
        'spots', '[]'));
  END IF;

  SELECT jsonb_agg(jsonb_build_object('queue', k.queue, 'priority', k.priority, 'kind', k.kind, 'turn_at',
      h.turn_at,
               'from', least(h.turn_at, started_at) - interval '200 milliseconds')) FILTER (WHERE k.priority
                   >= 0), bool_or(k.is_new) INTO heads, is_new FROM (
    SELECT k.*, EXISTS (
             SELECT FROM queue.lanes AS l WHERE l.queue = k.queue AND NOT l.is_full
                 AND (l.priority, l.kind) > (k.priority, k.kind)
                AND (l.priority, l.kind) < (k.next_priority, k.next_kind)) AS is_new
      FROM (SELECT k.*, lead(k.priority, 1, 32767::smallint) OVER line AS next_priority, lead(k.kind, 1, '')
          OVER line AS next_kind FROM (
        SELECT q.name AS queue, -1::smallint AS priority, '' AS kind, NULL::timestamptz AS "from"
            FROM unnest(open_queues) AS q (name)
        UNION ALL
        SELECT k.queue, k.priority, k.kind, k."from"
          FROM jsonb_to_recordset(marks -> 'spots') AS k (queue text, priority smallint, kind text, "from"
              timestamptz)
         WHERE k.queue = ANY(open_queues)) AS k
        WINDOW line AS (PARTITION BY k.queue ORDER BY k.priority, k.kind)) AS k) AS k
    LEFT JOIN LATERAL (
      SELECT l.turn_at FROM queue.lanes AS l WHERE l.queue = k.queue AND l.priority = k.priority
          AND l.kind = k.kind AND NOT l.is_full
         AND l.turn_at >= CASE WHEN reads_all_lanes THEN '-infinity' ELSE coalesce(k."from", '-infinity') END
             ORDER BY l.turn_at LIMIT 1) AS h ON true;
  IF is_new THEN
    WITH RECURSIVE heads AS (
      SELECT h.* FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM queue.lanes AS l
            WHERE l.queue = q.name AND NOT l.is_full
         ORDER BY l.queue, l.priority, l.kind, l.turn_at LIMIT 1) AS h
      UNION ALL
      SELECT n.* FROM heads AS h CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM queue.lanes AS l
            WHERE l.queue = h.queue AND NOT l.is_full
           AND (l.priority, l.kind) > (h.priority, h.kind) ORDER BY l.queue, l.priority, l.kind, l.turn_at
               LIMIT 1) AS n
    ) SELECT jsonb_agg(jsonb_build_object('queue', h.queue, 'priority', h.priority, 'kind', h.kind, 'turn_at',
        h.turn_at,
               'from', least(h.turn_at, started_at) - interval '200 milliseconds')) INTO heads
                   FROM heads AS h;
  END IF;
  marks := marks || jsonb_build_object('spots', CASE WHEN jsonb_array_length(heads) <= 100 THEN heads
      ELSE '[]' END);
  -- In queues without a ready lane, due jobs are claimed directly from their events.
  direct_queues := ARRAY(
    SELECT q.name FROM unnest(open_queues) AS q (name) WHERE NOT retry_orders ? q.name
        AND NOT fair_queues ? q.name AND NOT EXISTS (
      SELECT FROM jsonb_to_recordset(heads) AS h (queue text, turn_at timestamptz)
          WHERE h.queue = q.name AND h.turn_at IS NOT NULL));

  -- The due events: ends of jobs first, then jobs that have come to wait, those of the best priority first.
  WITH due AS (
    SELECT e.ctid, e.waits FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
      SELECT f.ctid, false AS waits FROM (
        SELECT e.ctid FROM queue.lane_events AS e WHERE e.queue = q.name AND e.due_at <= at
           AND e.counted IS NOT NULL AND e.due_at >= coalesce((marks -> 'events' ->> q.name)::timestamptz,
               '-infinity') ORDER BY e.due_at LIMIT 1000 FOR UPDATE SKIP LOCKED) AS f
      UNION ALL
      SELECT w.ctid, true FROM (
        SELECT e.ctid FROM unnest('{0,1,2,3,4,5,6,7,8,9}'::smallint[]) AS p (priority) CROSS JOIN LATERAL (
          SELECT e.ctid FROM queue.lane_events AS e WHERE e.queue = q.name AND e.priority = p.priority
              AND e.due_at <= at
             AND e.counted IS NULL AND e.due_at >= coalesce((marks -> 'events' ->> q.name)::timestamptz,
                 '-infinity') ORDER BY e.due_at LIMIT 1000 FOR UPDATE SKIP LOCKED) AS e
         LIMIT CASE WHEN q.name = ANY(direct_queues) THEN greatest(1, least(wanted, (queue_shares ->>
             q.name)::integer)) ELSE 1000 END) AS w) AS e
  ), latest AS (
    -- With a backlog of events, take the newest too: a job that comes now must not wait until the backlog is
    -- gone.
    SELECT e.ctid FROM unnest(open_queues) AS q (name) CROSS
        JOIN unnest('{0,1,2,3,4,5,6,7,8,9}'::smallint[]) AS p (priority) CROSS JOIN LATERAL (
      SELECT e.ctid FROM queue.lane_events AS e WHERE e.queue = q.name AND e.priority = p.priority
          AND e.due_at <= at
         AND e.counted IS NULL AND e.due_at >= coalesce((marks -> 'events' ->> q.name)::timestamptz,
             '-infinity')
       ORDER BY e.due_at DESC LIMIT CASE WHEN q.name <> ALL (direct_queues) AND (SELECT count(*) FROM due
           WHERE due.waits) >= 1000
         THEN 100 ELSE 0 END FOR UPDATE SKIP LOCKED) AS e
  ), deleted AS (
    DELETE FROM queue.lane_events AS e
     WHERE e.ctid = ANY(ARRAY(SELECT due.ctid FROM due UNION ALL SELECT latest.ctid FROM latest))
         RETURNING e AS event
  ) SELECT array_agg(deleted.event) INTO events FROM deleted;
  IF events IS NOT NULL THEN
    unread_queues := ARRAY(
      SELECT e.queue FROM unnest(events) AS e WHERE e.counted IS NULL AND e.queue = ANY(direct_queues)
       GROUP BY e.queue HAVING count(*) >= least(wanted, (queue_shares ->> e.queue)::integer));
    has_more := cardinality(events) >= 1000 OR unread_queues <> '{}';
    IF EXISTS (SELECT FROM unnest(events) AS e WHERE e.jobs > 0) THEN
      WITH freed AS MATERIALIZED (
        SELECT e.queue, s.bit, s.scope, s.name, s.tenant_id, sum(e.jobs)::integer AS jobs
          FROM unnest(events) AS e CROSS JOIN LATERAL (VALUES
            (1, 'queue', '' COLLATE "C", ''), (2, 'kind', e.kind COLLATE "C", ''), (4, 'key', e.key,
                e.tenant_id)
          ) AS s (bit, scope, name, tenant_id)
         WHERE e.counted & s.bit <> 0 GROUP BY e.queue, s.bit, s.scope, s.name, s.tenant_id
      ), tried AS MATERIALIZED (
        SELECT f.*, c.ctid FROM freed AS f LEFT JOIN LATERAL (
          SELECT c.ctid FROM queue.limit_counters AS c WHERE c.queue = f.queue AND c.scope = f.scope
              AND c.name = f.name
            AND c.tenant_id BETWEEN f.tenant_id AND f.tenant_id ORDER BY c.tenant_id DESC LIMIT 1
                FOR NO KEY UPDATE SKIP LOCKED
        ) AS c ON true
      ), postponed AS (
        INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, counted, jobs)
        SELECT at, f.queue, CASE f.scope WHEN 'kind' THEN f.name ELSE '' END, CASE f.scope WHEN 'key'
            THEN f.name END,
               f.tenant_id, f.bit, f.jobs
          FROM tried AS f
         WHERE f.ctid IS NULL AND (SELECT true FROM queue.limit_counters AS c
             WHERE c.queue = f.queue AND c.scope = f.scope AND c.name = f.name
            AND c.tenant_id BETWEEN f.tenant_id AND f.tenant_id ORDER BY c.tenant_id DESC LIMIT 1)
        RETURNING 1
      ) SELECT array_agg(t.ctid), array_agg(t.jobs), EXISTS (SELECT
          FROM postponed) INTO ctids, jobs_ended, is_busy
          FROM tried AS t WHERE t.ctid IS NOT NULL;
      UPDATE queue.limit_counters AS c SET running = greatest(0, c.running - f.jobs)
        FROM unnest(ctids, jobs_ended) AS f (ctid, jobs) WHERE c.ctid = f.ctid;
    END IF;
    SELECT array_agg(w.lane), array_agg(w.is_direct) INTO event_lanes, direct_flags FROM (
      SELECT ROW(w.queue, w.kind, w.key, w.tenant_id, w.priority, false, at, min(w.head_at), CASE fair_queues
          ->> w.queue WHEN 'tenant' THEN w.tenant_id WHEN 'key'
          THEN w.key || chr(9) || w.tenant_id END)::queue.lanes AS lane,
             bool_and(w.is_direct) AS is_direct FROM (
        SELECT e.queue, e.kind, e.key, e.tenant_id, e.priority, e.due_at AS head_at,
               e.counted IS NULL AND e.queue = ANY(direct_queues) AND e.kind = ANY(base_kinds) AS is_direct
                   FROM unnest(events) AS e
         WHERE e.priority IS NOT NULL
        UNION ALL
        SELECT f.queue, f.kind, f.key, f.tenant_id, f.priority, f.head_at, false
          FROM (SELECT DISTINCT e.queue, e.key, e.tenant_id FROM unnest(events) AS e
                 WHERE e.key IS NOT NULL AND e.counted IS NOT NULL) AS e
          JOIN queue.lanes AS f ON f.queue = e.queue AND f.key = e.key AND f.tenant_id = e.tenant_id
              AND f.is_full
        UNION ALL
        SELECT f.queue, f.kind, f.key, f.tenant_id, f.priority, f.head_at, false
          FROM (SELECT DISTINCT e.queue, e.key, e.tenant_id FROM unnest(events) AS e
              WHERE e.key IS NOT NULL AND retry_orders ? e.queue) AS e
          JOIN queue.lanes AS f ON f.queue = e.queue AND f.key = e.key AND f.tenant_id = e.tenant_id
      ) AS w GROUP BY w.queue, w.key, w.tenant_id, w.kind, w.priority
          ORDER BY w.queue, w.key, w.tenant_id, w.kind, w.priority) AS w;
    IF event_lanes IS NOT NULL THEN
      IF fair_queues <> '{}' THEN
        WITH turns AS MATERIALIZED (
        SELECT s.*, t.share IS NOT NULL AS is_locked, EXISTS (SELECT FROM queue.lane_turns AS t
            WHERE t.queue = s.queue AND t.priority = s.priority AND t.share = s.share) AS already_exists
          FROM (SELECT DISTINCT s.queue, s.priority, s.share FROM unnest(event_lanes) AS s
              WHERE s.share IS NOT NULL) AS s
          LEFT JOIN LATERAL (
            SELECT t.share FROM queue.lane_turns AS t WHERE t.queue = s.queue AND t.priority = s.priority
                AND t.share = s.share FOR NO KEY UPDATE SKIP LOCKED) AS t ON true
      ), begun AS (
        INSERT INTO queue.lane_turns AS t (queue, priority, share, turn)
        SELECT s.queue, s.priority, s.share, coalesce((
                 SELECT t.turn FROM queue.lane_turns AS t WHERE t.queue = s.queue AND t.priority = s.priority
                    AND t.share <> chr(9) ORDER BY t.turn LIMIT 1), 0) + 1
          FROM turns AS s WHERE NOT s.already_exists ORDER BY s.queue, s.priority, s.share
        ON CONFLICT ON CONSTRAINT lane_turns_pkey DO UPDATE SET turn = t.turn
      ) SELECT coalesce(array_agg(s.queue || ' ' || s.priority || ' ' || s.share), '{}') INTO held_turns
          FROM turns AS s WHERE s.already_exists AND NOT s.is_locked;
      END IF;
      SELECT array_agg(t.ctid ORDER BY t.n), array_agg(t.is_new ORDER BY t.n), array_agg(t.is_held
          ORDER BY t.n),
             bool_or(t.is_new), bool_or(t.is_held), bool_or(t.is_outdated),
             array_agg(ROW(t.queue, t.kind, t.key, t.tenant_id, t.priority, t.is_full, t.turn_at, t.head_at,
                 t.share)::queue.lanes ORDER BY t.head_at) FILTER (WHERE t.is_direct_lane)
        INTO ctids, new_flags, held_flags, is_new, is_held, is_outdated, direct_lanes FROM (
        SELECT w.*, m.ctid, m.is_full OR m.head_at > w.head_at AS is_outdated, (l.ctid IS NOT NULL
            OR w.is_turn_held) AND m.ctid IS NULL AS is_held,
               l.ctid IS NULL AND NOT w.is_turn_held AND w.is_direct AS is_direct_lane, l.ctid IS NULL
                   AND NOT w.is_turn_held AND NOT w.is_direct AS is_new
          FROM (SELECT w.*, w.queue || ' ' || w.priority || ' ' || coalesce(w.share, '') = ANY(held_turns) AS
              is_turn_held
                  FROM unnest(event_lanes, direct_flags) WITH ORDINALITY AS w (queue, kind, key, tenant_id,
                      priority, is_full, turn_at, head_at, share, is_direct, n)) AS w
          LEFT JOIN LATERAL (SELECT l.ctid FROM queue.lanes AS l
              WHERE l.queue = w.queue AND l.key = w.key AND l.tenant_id = w.tenant_id AND l.kind = w.kind
            AND l.priority BETWEEN w.priority AND w.priority ORDER BY l.priority DESC LIMIT 1) AS l ON true
          LEFT JOIN LATERAL (
            SELECT o.ctid, o.is_full, o.head_at FROM queue.lanes AS o
             WHERE o.ctid = l.ctid AND NOT w.is_turn_held FOR NO KEY UPDATE SKIP LOCKED) AS m ON true) AS t;
      IF is_outdated THEN
        UPDATE queue.lanes AS l SET is_full = false, head_at = least(l.head_at, w.head_at), turn_at = CASE
            WHEN l.is_full THEN at ELSE l.turn_at END
          FROM unnest(event_lanes, ctids) AS w (queue, kind, key, tenant_id, priority, is_full, turn_at,
              head_at, share, ctid)
         WHERE l.ctid = w.ctid AND (l.is_full OR l.head_at > w.head_at);
      END IF;
      IF is_new THEN
        INSERT INTO queue.lanes AS l (queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share)
        SELECT queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share
            FROM unnest(event_lanes, new_flags) AS w (queue, kind, key, tenant_id, priority, is_full, turn_at,
            head_at, share, is_new) WHERE w.is_new
        ON CONFLICT ON CONSTRAINT lanes_pkey DO UPDATE SET is_full = false, head_at = least(l.head_at,
            excluded.head_at), turn_at = CASE WHEN l.is_full THEN at ELSE l.turn_at END;
      END IF;
      IF is_held THEN
        is_busy := true;
        INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
        SELECT w.head_at, w.queue, w.kind, w.key, w.tenant_id, w.priority
          FROM unnest(event_lanes, held_flags) AS w (queue, kind, key, tenant_id, priority, is_full, turn_at,
              head_at, share, is_held) WHERE w.is_held;
      END IF;
      IF keyed_queues <> '{}' THEN
        INSERT INTO queue.limit_counters AS n (queue, scope, name, tenant_id)
        SELECT w.queue, 'key', w.key, w.tenant_id FROM unnest(event_lanes) AS w
         WHERE EXISTS (SELECT FROM queue.limits AS l WHERE l.queue = w.queue
                          AND (l.scope = 'each_key' AND l.name = '' OR l.scope = 'key' AND l.name = w.key))
           AND (SELECT true FROM queue.limit_counters AS c WHERE c.queue = w.queue AND c.scope = 'key'
               AND c.name = w.key
            AND c.tenant_id BETWEEN w.tenant_id AND w.tenant_id ORDER BY c.tenant_id DESC LIMIT 1) IS NULL
         GROUP BY w.queue, w.key, w.tenant_id ORDER BY w.queue, w.key, w.tenant_id
        ON CONFLICT DO NOTHING;
      END IF;
    END IF;
    IF event_lanes IS NOT NULL AND (is_new OR is_outdated) THEN
      SELECT jsonb_agg(jsonb_build_object('queue', k.queue, 'priority', k.priority, 'kind', k.kind, 'turn_at',
          h.turn_at,
               'from', least(h.turn_at, started_at) - interval '200 milliseconds')) FILTER (WHERE k.priority
                   >= 0), bool_or(k.is_new) INTO heads, is_new FROM (
    SELECT k.*, EXISTS (
             SELECT FROM queue.lanes AS l WHERE l.queue = k.queue AND NOT l.is_full
                 AND (l.priority, l.kind) > (k.priority, k.kind)
                AND (l.priority, l.kind) < (k.next_priority, k.next_kind)) AS is_new
      FROM (SELECT k.*, lead(k.priority, 1, 32767::smallint) OVER line AS next_priority, lead(k.kind, 1, '')
          OVER line AS next_kind FROM (
        SELECT q.name AS queue, -1::smallint AS priority, '' AS kind, NULL::timestamptz AS "from"
            FROM unnest(open_queues) AS q (name)
        UNION ALL
        SELECT k.queue, k.priority, k.kind, k."from"
          FROM jsonb_to_recordset(marks -> 'spots') AS k (queue text, priority smallint, kind text, "from"
              timestamptz)
         WHERE k.queue = ANY(open_queues)) AS k
        WINDOW line AS (PARTITION BY k.queue ORDER BY k.priority, k.kind)) AS k) AS k
    LEFT JOIN LATERAL (
      SELECT l.turn_at FROM queue.lanes AS l WHERE l.queue = k.queue AND l.priority = k.priority
          AND l.kind = k.kind AND NOT l.is_full
         AND l.turn_at >= CASE WHEN reads_all_lanes THEN '-infinity' ELSE coalesce(k."from", '-infinity') END
             ORDER BY l.turn_at LIMIT 1) AS h ON true;
  IF is_new THEN
    WITH RECURSIVE heads AS (
      SELECT h.* FROM unnest(open_queues) AS q (name) CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM queue.lanes AS l
            WHERE l.queue = q.name AND NOT l.is_full
         ORDER BY l.queue, l.priority, l.kind, l.turn_at LIMIT 1) AS h
      UNION ALL
      SELECT n.* FROM heads AS h CROSS JOIN LATERAL (
        SELECT l.queue, l.priority, l.kind, l.turn_at FROM queue.lanes AS l
            WHERE l.queue = h.queue AND NOT l.is_full
           AND (l.priority, l.kind) > (h.priority, h.kind) ORDER BY l.queue, l.priority, l.kind, l.turn_at
               LIMIT 1) AS n
    ) SELECT jsonb_agg(jsonb_build_object('queue', h.queue, 'priority', h.priority, 'kind', h.kind, 'turn_at',
        h.turn_at,
               'from', least(h.turn_at, started_at) - interval '200 milliseconds')) INTO heads
                   FROM heads AS h;
  END IF;
  marks := marks || jsonb_build_object('spots', CASE WHEN jsonb_array_length(heads) <= 100 THEN heads
      ELSE '[]' END);
    END IF;
  END IF;

  -- How many jobs the limits of queues and kinds still let start, and the lines in which jobs without a key
  -- wait.
  IF is_limited THEN
    FOR rule IN
      SELECT l.queue, l.scope, l.name, l.max_running IS NOT NULL AS is_counting, (l.max_running IS NOT NULL
          OR l.rate_count IS NOT NULL) AND NOT coalesce(c.is_locked, false) AS is_held,
             CASE WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, 1000000000), coalesce(
                  CASE WHEN floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer < least(c.awaited, l.rate_burst) THEN 0 ELSE floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer END, 1000000000))) END AS room
        FROM queue.limits AS l LEFT JOIN LATERAL (
          SELECT k.* FROM (
            SELECT c.running, c.spent_until, c.awaited, true AS is_locked FROM queue.limit_counters AS c
             WHERE c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
                 AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL)
               FOR NO KEY UPDATE SKIP LOCKED) AS k
          UNION ALL
          SELECT c.running, c.spent_until, c.awaited, false FROM queue.limit_counters AS c
           WHERE c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
               AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL)
           LIMIT 1) AS c ON true
       WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind')
    LOOP
      is_busy := is_busy OR rule.is_held;
      limit_key := rule.queue || '/' || rule.name;
      rooms := rooms || jsonb_build_object(limit_key, CASE WHEN rule.is_held THEN 0 ELSE rule.room END);
      seen_rooms := seen_rooms || jsonb_build_object(limit_key, rule.room);
      counter_bits := counter_bits || jsonb_build_object(limit_key, CASE WHEN rule.is_counting THEN 1
          ELSE 0 END);
      IF rule.scope = 'kind' THEN
        limited_kinds := limited_kinds || jsonb_build_object(rule.queue,
          coalesce(limited_kinds -> rule.queue, '[]') || to_jsonb(rule.name));
      END IF;
    END LOOP;
  END IF;
  line_filter := jsonb_build_array(limited_kinds, only_steady, hashtext(array_to_string(runnable, ' ')));
  scans_from_start := (at < (marks ->> 'lines_until')::timestamptz
      AND line_filter = marks -> 'lines_of') IS NOT TRUE;
  IF scans_from_start THEN
    marks := marks - 'lines';
  END IF;
  SELECT jsonb_agg(jsonb_build_object('queue', s.queue, 'priority', s.priority, 'kind', k.kind)) INTO lines
    FROM unnest(slot_queues, slot_priorities) AS s (queue, priority)
   CROSS JOIN LATERAL (
     SELECT FROM queue.jobs AS c
      WHERE c.queue = s.queue AND c.priority = s.priority AND c.status IN ('queued', 'retrying')
          AND c.key IS NULL AND c.run_at <= at
        AND c.run_at >= CASE WHEN limited_kinds ? s.queue THEN '-infinity'
          ELSE coalesce((marks #>> ARRAY['lines', s.queue || '/' || s.priority || '//', '0'])::timestamptz,
              '-infinity') END
      ORDER BY c.run_at, c.id LIMIT 1) AS h
   CROSS JOIN LATERAL (
     SELECT NULL AS kind
     UNION ALL
     SELECT jsonb_array_elements_text(limited_kinds -> s.queue)) AS k
   WHERE s.queue = ANY(open_queues) AND (k.kind IS NULL OR k.kind = ANY(base_kinds));
  FOR target IN
    SELECT s.queue, s.priority, s.kind, s.is_lane, s.is_direct_lane, s.turns_from, least(coalesce((rooms ->>
        (s.queue || '/'))::integer, wanted),
                    coalesce((rooms ->> (s.queue || '/' || coalesce(s.kind, '')))::integer, wanted)) <= 0 AS
                        is_held,
           (slots -> (s.queue || '/' || s.priority) ->> 0)::integer AS n, (slots -> (s.queue || '/' ||
               s.priority) ->> 1)::integer AS share,
           count(*) OVER (PARTITION BY s.queue, s.priority) - row_number() OVER (PARTITION BY s.queue,
               s.priority ORDER BY s.turn) + 1 AS targets_left
      FROM (SELECT s.*, random() AS turn FROM (
      SELECT h.queue, h.priority, k.kind, true AS is_lane, false AS is_direct_lane, min(h.turn_at) AS
          turns_from
        FROM jsonb_to_recordset(heads) AS h (queue text, priority smallint, kind text, turn_at timestamptz)
       CROSS JOIN LATERAL (
         SELECT CASE WHEN fair_queues ? h.queue AND NOT coalesce(limited_kinds -> h.queue, '[]') ? h.kind
             THEN NULL ELSE h.kind END AS kind) AS k
       WHERE h.turn_at IS NOT NULL AND h.kind = ANY(base_kinds)
       GROUP BY h.queue, h.priority, k.kind
      UNION ALL
      SELECT DISTINCT f.queue, f.priority, f.kind, true, true, NULL::timestamptz
          FROM unnest(direct_lanes) AS f
      UNION ALL
      SELECT p.queue, p.priority, p.kind, false, false, NULL
        FROM jsonb_to_recordset(lines) AS p (queue text, priority smallint, kind text)
    ) AS s) AS s WHERE least(coalesce((seen_rooms ->> (s.queue || '/'))::integer, wanted),
                    coalesce((seen_rooms ->> (s.queue || '/' || coalesce(s.kind, '')))::integer, wanted)) > 0
                        ORDER BY n, s.turn
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
      allowed := least(part, least(coalesce((rooms ->> (target.queue || '/'))::integer, wanted),
                    coalesce((rooms ->> (target.queue || '/' || coalesce(target.kind, '')))::integer,
                        wanted)));
      EXIT WHEN allowed <= 0;
      base_bits := coalesce((counter_bits ->> (target.queue || '/'))::integer, 0)
             + CASE WHEN target.kind IS NULL THEN 0 ELSE 2 * coalesce((counter_bits ->> (target.queue || '/'
                 || target.kind))::integer, 0) END;
      picked_lanes := NULL;
      IF target.is_lane THEN
        quotas := NULL;
        IF target.is_direct_lane THEN
          SELECT array_agg(f.lane ORDER BY f.n), array_agg(f.n) INTO picked_lanes, direct_numbers FROM (
            SELECT ROW(f.queue, f.kind, f.key, f.tenant_id, f.priority, f.is_full, f.turn_at, f.head_at,
                f.share)::queue.lanes AS lane, f.n::integer AS n
              FROM unnest(direct_lanes) WITH ORDINALITY AS f (queue, kind, key, tenant_id, priority, is_full,
                  turn_at, head_at, share, n)
             WHERE f.queue = target.queue AND f.priority = target.priority AND f.kind = target.kind
                 AND f.n <> ALL (used_numbers)
             ORDER BY f.n LIMIT allowed) AS f;
          ctids := NULL;
          used_numbers := used_numbers || coalesce(direct_numbers, '{}');
        ELSIF fair_queues ? target.queue THEN
          WITH turns AS MATERIALIZED (
            SELECT t.queue, t.priority, t.share, t.turn FROM queue.lane_turns AS t
             WHERE t.queue = target.queue AND t.priority = target.priority AND EXISTS (
               SELECT FROM queue.lanes AS l
                WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full
                    AND CASE WHEN target.kind IS NULL THEN l.kind = ANY(base_kinds)
                    AND NOT coalesce(limited_kinds -> target.queue, '[]') ? l.kind
                 ELSE l.kind = target.kind END
                  AND (round = 1 OR l.turn_at <= started_at))
             ORDER BY t.turn LIMIT allowed FOR NO KEY UPDATE OF t SKIP LOCKED
          ), weighed AS MATERIALIZED (
            SELECT t.*, true AS is_locked, coalesce((
              SELECT r.weight FROM queue.limits AS r
               WHERE r.queue = t.queue AND r.scope = fair_queues ->> t.queue
                   AND r.name = split_part(t.share, chr(9), 1)), 1) AS weight FROM turns AS t
            UNION ALL
            SELECT t.*, false, coalesce((
              SELECT r.weight FROM queue.limits AS r
               WHERE r.queue = t.queue AND r.scope = fair_queues ->> t.queue
                   AND r.name = split_part(t.share, chr(9), 1)), 1) FROM (
              SELECT t.queue, t.priority, t.share, t.turn FROM queue.lane_turns AS t
             WHERE t.queue = target.queue AND t.priority = target.priority AND EXISTS (
               SELECT FROM queue.lanes AS l
                WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full
                    AND CASE WHEN target.kind IS NULL THEN l.kind = ANY(base_kinds)
                    AND NOT coalesce(limited_kinds -> target.queue, '[]') ? l.kind
                 ELSE l.kind = target.kind END
                  AND (round = 1 OR l.turn_at <= started_at))
             ORDER BY t.turn LIMIT allowed) AS t
             WHERE t.share <> ALL (ARRAY(SELECT m.share FROM turns AS m))
          ), parts AS MATERIALIZED (
            SELECT w.*, ceil(allowed * w.weight::float8 / sum(w.weight) OVER ())::integer AS part
                FROM weighed AS w
          )
          SELECT array_agg(p.lane ORDER BY p.turn), array_agg(p.ctid ORDER BY p.turn), array_agg(p.quota
              ORDER BY p.turn),
                 EXISTS (SELECT FROM weighed AS w WHERE NOT w.is_locked)
            INTO picked_lanes, ctids, quotas, others_hold_turns FROM (
            SELECT t.turn, l.lane, l.ctid, row_number() OVER (PARTITION BY (l.lane).key, (l.lane).tenant_id
                ORDER BY (l.lane).turn_at) AS nth, ((t.part + count(*) OVER (PARTITION BY t.share) - 1) /
                count(*) OVER (PARTITION BY t.share))::integer AS quota
              FROM (SELECT t.* FROM parts AS t WHERE t.is_locked) AS t CROSS JOIN LATERAL (
                SELECT l AS lane, l.ctid FROM queue.lanes AS l
                 WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full
                     AND CASE WHEN target.kind IS NULL THEN l.kind = ANY(base_kinds)
                     AND NOT coalesce(limited_kinds -> target.queue, '[]') ? l.kind
                 ELSE l.kind = target.kind END
                   AND (round = 1 OR l.turn_at <= started_at)
                 ORDER BY l.turn_at LIMIT t.part FOR NO KEY UPDATE SKIP LOCKED) AS l) AS p
           WHERE p.nth = 1 OR target.queue <> ALL (keyed_queues);
        ELSE
        SELECT array_agg(p.lane), array_agg(p.ctid) INTO picked_lanes, ctids FROM (
          SELECT l AS lane, l.ctid FROM queue.lanes AS l
           WHERE l.queue = target.queue AND l.priority = target.priority AND l.kind = target.kind
               AND NOT l.is_full
             AND l.turn_at >= target.turns_from AND (round = 1 OR l.turn_at <= started_at)
           ORDER BY l.turn_at LIMIT CASE round WHEN 1 THEN (allowed + 7) / 8 ELSE allowed END
               FOR NO KEY UPDATE SKIP LOCKED) AS p;
        END IF;
        at := clock_timestamp();
        IF picked_lanes IS NULL THEN
          others_hold := others_hold OR round = 1 AND NOT target.is_direct_lane;
          EXIT;
        END IF;
        IF target.queue = ANY(keyed_queues) THEN
          SELECT array_agg(r.room ORDER BY r.n), array_agg(r.bit ORDER BY r.n), array_agg(r.ctid ORDER BY r.n)
            INTO lane_rooms, lane_bits, counter_ctids FROM (
            SELECT p.n, c.ctid, CASE WHEN l.max_running IS NULL AND l.rate_count IS NULL
                AND l.paused_at IS NULL THEN 1000000000
                             WHEN l.paused_at IS NOT NULL THEN 0
                             WHEN c.running IS NULL THEN NULL ELSE CASE WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, 1000000000), coalesce(
                  CASE WHEN floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer < least(c.awaited, l.rate_burst) THEN 0 ELSE floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer END, 1000000000))) END END AS room,
                   CASE WHEN l.max_running IS NULL THEN 0 ELSE 4 END AS bit
              FROM unnest(picked_lanes) WITH ORDINALITY AS p (queue, kind, key, tenant_id, priority, is_full,
                  turn_at, head_at, share, n)
             CROSS JOIN LATERAL (
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running)
                  ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     CASE WHEN own.rate_count IS NULL THEN every.rate_count
                         ELSE own.rate_count END AS rate_count, CASE WHEN own.rate_count IS NULL
                         THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms, CASE
                         WHEN own.rate_count IS NULL THEN every.rate_burst
                         ELSE own.rate_burst END AS rate_burst
                FROM (SELECT) AS one
                LEFT JOIN queue.limits AS own ON own.queue = p.queue AND own.scope = 'key'
                    AND own.name = p.key
                LEFT JOIN queue.limits AS every ON every.queue = p.queue AND every.scope = 'each_key'
                    AND every.name = '') AS l
              LEFT JOIN LATERAL (
                SELECT c.running, c.spent_until, c.awaited, c.ctid FROM queue.limit_counters AS c
                 WHERE (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL) AND c.queue = p.queue
                     AND c.scope = 'key' AND c.name = p.key
            AND c.tenant_id BETWEEN p.tenant_id AND p.tenant_id ORDER BY c.tenant_id DESC LIMIT 1
                   FOR NO KEY UPDATE SKIP LOCKED) AS c ON true) AS r;
        ELSE
          lane_rooms := array_fill(1000000000, ARRAY[cardinality(picked_lanes)]);
          lane_bits := array_fill(0, ARRAY[cardinality(picked_lanes)]);
        END IF;
        next_jobs := NULL;
        IF retry_orders ? target.queue THEN
          SELECT array_agg(f.next ORDER BY f.n) INTO next_jobs FROM (
            SELECT p.n, CASE WHEN p.room > 0 THEN coalesce((
              SELECT to_jsonb(c) FROM (
                SELECT c.id, c.kind, c.priority, c.run_at
                  FROM queue.limit_counters AS k JOIN queue.jobs AS c ON c.id = k.held_by
                 WHERE retry_orders ->> p.queue = 'block' AND k.queue = p.queue AND k.scope = 'key'
                     AND k.name = p.key
                   AND k.tenant_id = p.tenant_id AND c.status = 'retrying' AND c.queue = p.queue
                       AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL) AS c
            ), (
              WITH RECURSIVE lines AS (
                (SELECT c.kind, c.priority FROM queue.jobs AS c WHERE c.queue = p.queue AND c.key = p.key
                    AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL ORDER BY c.kind, c.priority
                         LIMIT 1)
                UNION ALL
                SELECT n.* FROM lines AS f CROSS JOIN LATERAL (
                  SELECT c.kind, c.priority FROM queue.jobs AS c
                   WHERE c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL
                         AND (c.kind, c.priority) > (f.kind, f.priority) ORDER BY c.kind, c.priority
                         LIMIT 1) AS n
              )
              SELECT to_jsonb(c) FROM lines AS f CROSS JOIN LATERAL (
                SELECT c.id, c.kind, c.priority, c.run_at FROM queue.jobs AS c
                 WHERE c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL AND c.kind = f.kind
                         AND c.priority = f.priority AND c.run_at <= at AND c.attempts < c.max_attempts
                         AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
                 ORDER BY c.run_at, c.id LIMIT 1) AS c
               ORDER BY c.priority, c.run_at, c.id LIMIT 1
            )) END AS next
              FROM unnest(picked_lanes, lane_rooms) WITH ORDINALITY
                   AS p (queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share, room, n)) AS
                       f;
          SELECT array_agg(d.id), array_agg(d.n), array_agg(d.bit) INTO ids, lane_numbers, job_bits FROM (
            SELECT d.id, p.n::integer AS n, p.bit
              FROM unnest(picked_lanes, lane_bits, next_jobs) WITH ORDINALITY
                   AS p (queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share, bit, next,
                       n)
             CROSS JOIN LATERAL (
               SELECT c.id FROM queue.jobs AS c
                WHERE c.id = (p.next ->> 'id')::uuid AND c.run_at = (p.next ->> 'run_at')::timestamptz
                    AND c.kind = p.kind AND c.priority = p.priority
                  AND c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                     AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL AND c.run_at <= at AND CASE
                         WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
                  FOR UPDATE SKIP LOCKED) AS d
             LIMIT allowed) AS d;
        ELSE
          SELECT array_agg(d.id), array_agg(d.n), array_agg(d.bit) INTO ids, lane_numbers, job_bits FROM (
            SELECT d.id, p.n::integer AS n, p.bit
              FROM unnest(picked_lanes, lane_rooms, lane_bits, quotas) WITH ORDINALITY
                   AS p (queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share, room, bit,
                       quota, n)
             CROSS JOIN LATERAL (
               SELECT c.id FROM queue.jobs AS c
                WHERE c.queue = p.queue AND c.kind = p.kind AND c.key = p.key
                    AND coalesce(c.tenant_id, '') = p.tenant_id
                AND c.priority = p.priority AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL
                AND c.run_at >= p.head_at AND c.run_at <= at AND CASE WHEN c.kind_version IS NULL
                    THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
                ORDER BY c.run_at, c.id
                LIMIT least(coalesce(p.room, 0), coalesce(p.quota, (allowed + cardinality(picked_lanes) - 1) /
                    cardinality(picked_lanes)))
                  FOR UPDATE SKIP LOCKED) AS d
             LIMIT allowed) AS d;
        END IF;
      ELSE
        at := clock_timestamp();
        ids := NULL;
        IF fair_queues ->> target.queue = 'tenant' THEN
          SELECT t.reached, t.turn INTO current_tenant, credit FROM queue.lane_turns AS t
           WHERE t.queue = target.queue AND t.priority = target.priority AND t.share = chr(9)
               FOR NO KEY UPDATE SKIP LOCKED;
          ids := '{}';
          first_idle_tenant := NULL;
          is_line_exhausted := false;
          visits := CASE WHEN FOUND THEN 0 END;
          others_hold := others_hold OR visits IS NULL;
          WHILE visits < 200 AND cardinality(ids) < allowed LOOP
            visits := visits + 1;
            IF credit < 1 THEN
              SELECT coalesce((
                SELECT c.tenant_id FROM queue.jobs AS c
                 WHERE c.tenant_id > coalesce(current_tenant, '') AND c.status IN ('queued', 'retrying') 
                 ORDER BY c.tenant_id, c.queue, coalesce(c.key, ''), c.priority
                     LIMIT 1), '') INTO current_tenant;
              EXIT WHEN current_tenant = first_idle_tenant;
              SELECT greatest(1, allowed / 16) * coalesce((
                SELECT r.weight FROM queue.limits AS r WHERE r.queue = target.queue AND r.scope = 'tenant'
                    AND r.name = current_tenant), 1) INTO credit;
            END IF;
            IF current_tenant = '' AND is_line_exhausted THEN
              found_ids := NULL;
            ELSIF current_tenant = '' THEN
              line := concat_ws('/', target.queue, target.priority, coalesce(target.kind, ''), '-');
          SELECT c.run_at, c.id INTO head_at, head_id FROM (
            SELECT c.* FROM queue.jobs AS c
             WHERE c.key IS NULL AND c.queue = target.queue AND c.priority = target.priority
                 AND c.status IN ('queued', 'retrying') AND c.run_at <= at AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, '00000000-0000-0000-0000-000000000000'))
                   ORDER BY c.run_at, c.id LIMIT 100000) AS c WHERE CASE WHEN c.kind_version IS NULL
                   THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END AND c.tenant_id IS NULL ORDER BY c.run_at, c.id
                            LIMIT 1;
          next_at := head_at;
          next_id := head_id;
          IF head_at IS NULL THEN
            SELECT c.run_at, c.id INTO next_at, next_id FROM queue.jobs AS c
             WHERE c.key IS NULL AND c.queue = target.queue AND c.priority = target.priority
                 AND c.status IN ('queued', 'retrying') AND c.run_at <= at AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, '00000000-0000-0000-0000-000000000000'))
                   ORDER BY c.run_at, c.id OFFSET 100000 LIMIT 1;
            hit_scan_limit := hit_scan_limit OR FOUND;
          END IF;
          new_line_positions := new_line_positions || jsonb_build_object(line, CASE
              WHEN next_at < at - interval '2 seconds'
            THEN jsonb_build_array(next_at, next_id) ELSE jsonb_build_array(at - interval '2 seconds',
                '00000000-0000-0000-0000-000000000000') END);
              SELECT array_agg(c.id) INTO found_ids FROM (
            SELECT c.id FROM (
              SELECT c.id FROM (
                SELECT c.* FROM queue.jobs AS c WHERE c.key IS NULL AND c.queue = target.queue
                    AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                    AND (c.run_at, c.id) >= (head_at, head_id)
                 ORDER BY c.run_at, c.id LIMIT 100000) AS c WHERE CASE WHEN c.kind_version IS NULL
                     THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END AND c.tenant_id IS NULL) AS l
             CROSS JOIN LATERAL (
              SELECT c.id FROM queue.jobs AS c WHERE c.id = l.id AND c.key IS NULL AND c.queue = target.queue
                  AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                  AND CASE WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END AND c.tenant_id IS NULL
                 FOR UPDATE SKIP LOCKED) AS c
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            ELSE
              head_at := '-infinity';
              head_id := '00000000-0000-0000-0000-000000000000';
              IF limited_kinds ? target.queue THEN
                line := concat_ws('/', target.queue, target.priority, coalesce(target.kind, ''), '-' ||
                    current_tenant);
          SELECT c.run_at, c.id INTO head_at, head_id FROM (
            SELECT c.* FROM queue.jobs AS c
             WHERE c.tenant_id = current_tenant AND coalesce(c.key, '') = '' AND c.queue = target.queue
                 AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                 AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, '00000000-0000-0000-0000-000000000000'))
                   ORDER BY c.run_at, c.id LIMIT 100000) AS c WHERE CASE WHEN c.kind_version IS NULL
                   THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END ORDER BY c.run_at, c.id LIMIT 1;
          next_at := head_at;
          next_id := head_id;
          IF head_at IS NULL THEN
            SELECT c.run_at, c.id INTO next_at, next_id FROM queue.jobs AS c
             WHERE c.tenant_id = current_tenant AND coalesce(c.key, '') = '' AND c.queue = target.queue
                 AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                 AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, '00000000-0000-0000-0000-000000000000'))
                   ORDER BY c.run_at, c.id OFFSET 100000 LIMIT 1;
            hit_scan_limit := hit_scan_limit OR FOUND;
          END IF;
          new_line_positions := new_line_positions || jsonb_build_object(line, CASE
              WHEN next_at < at - interval '2 seconds'
            THEN jsonb_build_array(next_at, next_id) ELSE jsonb_build_array(at - interval '2 seconds',
                '00000000-0000-0000-0000-000000000000') END);
              END IF;
              SELECT array_agg(c.id) INTO found_ids FROM (
            SELECT c.id FROM (
              SELECT c.id FROM (
                SELECT c.* FROM queue.jobs AS c WHERE c.tenant_id = current_tenant
                    AND coalesce(c.key, '') = '' AND c.queue = target.queue AND c.priority = target.priority
                    AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                    AND (c.run_at, c.id) >= (head_at, head_id)
                 ORDER BY c.run_at, c.id LIMIT 100000) AS c WHERE CASE WHEN c.kind_version IS NULL
                     THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END) AS l
             CROSS JOIN LATERAL (
              SELECT c.id FROM queue.jobs AS c WHERE c.id = l.id AND c.tenant_id = current_tenant
                  AND coalesce(c.key, '') = '' AND c.queue = target.queue AND c.priority = target.priority
                  AND c.status IN ('queued', 'retrying') AND c.run_at <= at AND CASE
                  WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END
                 FOR UPDATE SKIP LOCKED) AS c
               WHERE c.id <> ALL (ids) LIMIT least(credit, allowed - cardinality(ids))) AS c;
            END IF;
            is_line_exhausted := is_line_exhausted OR current_tenant = '' AND found_ids IS NULL;
            first_idle_tenant := CASE WHEN found_ids IS NULL THEN coalesce(first_idle_tenant, current_tenant)
                END;
            credit := CASE WHEN cardinality(found_ids) = least(credit, allowed - cardinality(ids))
                THEN credit - cardinality(found_ids) ELSE 0 END;
            ids := ids || coalesce(found_ids, '{}');
          END LOOP;
          IF cardinality(ids) > 0 OR visits = 200 THEN
            UPDATE queue.lane_turns AS t SET reached = current_tenant, turn = credit
             WHERE t.queue = target.queue AND t.priority = target.priority AND t.share = chr(9);
            is_incomplete := is_incomplete OR cardinality(ids) < allowed;
          ELSIF visits IS NOT NULL THEN
            ids := NULL;
          END IF;
        END IF;
        IF ids IS NULL THEN
          line := concat_ws('/', target.queue, target.priority, coalesce(target.kind, ''), '');
          SELECT c.run_at, c.id INTO head_at, head_id FROM (
            SELECT c.* FROM queue.jobs AS c
             WHERE c.key IS NULL AND c.queue = target.queue AND c.priority = target.priority
                 AND c.status IN ('queued', 'retrying') AND c.run_at <= at AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, '00000000-0000-0000-0000-000000000000'))
                   ORDER BY c.run_at, c.id LIMIT 100000) AS c WHERE CASE WHEN c.kind_version IS NULL
                   THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END ORDER BY c.run_at, c.id LIMIT 1;
          next_at := head_at;
          next_id := head_id;
          IF head_at IS NULL THEN
            SELECT c.run_at, c.id INTO next_at, next_id FROM queue.jobs AS c
             WHERE c.key IS NULL AND c.queue = target.queue AND c.priority = target.priority
                 AND c.status IN ('queued', 'retrying') AND c.run_at <= at AND (c.run_at, c.id) >= (
               coalesce((marks #>> ARRAY['lines', line, '0'])::timestamptz, '-infinity'),
               coalesce((marks #>> ARRAY['lines', line, '1'])::uuid, '00000000-0000-0000-0000-000000000000'))
                   ORDER BY c.run_at, c.id OFFSET 100000 LIMIT 1;
            hit_scan_limit := hit_scan_limit OR FOUND;
          END IF;
          new_line_positions := new_line_positions || jsonb_build_object(line, CASE
              WHEN next_at < at - interval '2 seconds'
            THEN jsonb_build_array(next_at, next_id) ELSE jsonb_build_array(at - interval '2 seconds',
                '00000000-0000-0000-0000-000000000000') END);
          SELECT array_agg(c.id) INTO ids FROM (
            SELECT c.id FROM (
              SELECT c.id FROM (
                SELECT c.* FROM queue.jobs AS c WHERE c.key IS NULL AND c.queue = target.queue
                    AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                    AND (c.run_at, c.id) >= (head_at, head_id)
                 ORDER BY c.run_at, c.id LIMIT 100000) AS c WHERE CASE WHEN c.kind_version IS NULL
                     THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END) AS l
             CROSS JOIN LATERAL (
              SELECT c.id FROM queue.jobs AS c WHERE c.id = l.id AND c.key IS NULL AND c.queue = target.queue
                  AND c.priority = target.priority AND c.status IN ('queued', 'retrying') AND c.run_at <= at
                  AND CASE WHEN c.kind_version IS NULL THEN c.kind = ANY(runnable)
                ELSE c.kind || '/' || c.kind_version = ANY(runnable) END
                AND (c.crashes = 0 OR NOT only_steady) AND c.attempts < c.max_attempts
                    AND (c.expires_at IS NULL OR c.status = 'retrying' OR c.expires_at > at)
               AND CASE WHEN target.kind IS NULL
                        THEN NOT coalesce(limited_kinds -> target.queue, '[]') ? c.kind
                            ELSE c.kind = target.kind END
                 FOR UPDATE SKIP LOCKED) AS c LIMIT allowed) AS c;
        END IF;
        lane_numbers := array_fill(0, ARRAY[coalesce(cardinality(ids), 0)]);
        job_bits := lane_numbers;
      END IF;
      claimed_count := coalesce(cardinality(ids), 0);
      weights := NULL;
      waiting_weight := NULL;
      waiting_lane := NULL;
      IF claimed_count > 0 THEN
        IF target.queue = ANY(rated_queues) AND EXISTS (SELECT FROM queue.jobs AS c
            WHERE c.id = ANY(ids) AND c.weight IS NOT NULL) THEN
          WITH weighed AS MATERIALIZED (
            SELECT t.*, coalesce(c.weight, 1) AS weight, p.key, coalesce(c.tenant_id, '') AS tenant_id
              FROM unnest(ids, lane_numbers, job_bits) WITH ORDINALITY AS t (id, n, bit, nth)
              JOIN queue.jobs AS c ON c.id = t.id
              LEFT JOIN unnest(picked_lanes) WITH ORDINALITY AS p (queue, kind, key, tenant_id, priority,
                  is_full, turn_at, head_at, share, n) ON p.n = t.n
          ), of_keys AS MATERIALIZED (
            SELECT p.key, p.tenant_id, l.rate_burst, floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer AS tokens
              FROM (SELECT DISTINCT target.queue AS queue, w.key, w.tenant_id FROM weighed AS w
                  WHERE w.key IS NOT NULL) AS p
             CROSS JOIN LATERAL (
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running)
                  ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     CASE WHEN own.rate_count IS NULL THEN every.rate_count
                         ELSE own.rate_count END AS rate_count, CASE WHEN own.rate_count IS NULL
                         THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms, CASE
                         WHEN own.rate_count IS NULL THEN every.rate_burst
                         ELSE own.rate_burst END AS rate_burst
                FROM (SELECT) AS one
                LEFT JOIN queue.limits AS own ON own.queue = p.queue AND own.scope = 'key'
                    AND own.name = p.key
                LEFT JOIN queue.limits AS every ON every.queue = p.queue AND every.scope = 'each_key'
                    AND every.name = '') AS l
              JOIN queue.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id
             WHERE l.rate_count IS NOT NULL
          ), fitting AS MATERIALIZED (
            SELECT w.*, coalesce(sum(least(w.weight, k.rate_burst)) OVER (PARTITION BY w.key, w.tenant_id
                ORDER BY w.nth) > k.tokens,
                                 false) AS awaits_key
              FROM weighed AS w LEFT JOIN of_keys AS k ON k.key = w.key AND k.tenant_id = w.tenant_id
          ), shared AS MATERIALIZED (
            SELECT l.scope, l.rate_burst, floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer AS tokens FROM queue.limits AS l JOIN queue.limit_counters AS c
              ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
           WHERE l.queue = target.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind'
               AND l.name = target.kind)
             AND l.rate_count IS NOT NULL
          ), first AS MATERIALIZED (
            SELECT min(o.nth) AS nth FROM (
              SELECT f.nth, sum(least(f.weight, s.rate_burst)) OVER (PARTITION BY s.scope
                  ORDER BY f.nth) > s.tokens AS awaits
                FROM fitting AS f CROSS JOIN shared AS s WHERE NOT f.awaits_key) AS o WHERE o.awaits
          ), started AS MATERIALIZED (
            SELECT f.* FROM fitting AS f CROSS JOIN first AS b
                WHERE NOT f.awaits_key AND f.nth < coalesce(b.nth, 1000000)
          )
          SELECT (SELECT array_agg(s.id ORDER BY s.nth) FROM started AS s), (SELECT array_agg(s.n
              ORDER BY s.nth) FROM started AS s),
                 (SELECT array_agg(s.bit ORDER BY s.nth) FROM started AS s),
                 coalesce((SELECT array_agg(s.weight ORDER BY s.nth) FROM started AS s), '{}'),
                 (SELECT array_agg((SELECT f.weight FROM fitting AS f WHERE f.n = p.n AND f.awaits_key
                     ORDER BY f.nth LIMIT 1) ORDER BY p.n)
                    FROM unnest(picked_lanes) WITH ORDINALITY AS p (queue, kind, key, tenant_id, priority,
                        is_full, turn_at, head_at, share, n)),
                 f.weight, f.n, f.tenant_id
            INTO ids, lane_numbers, job_bits, weights, waiting_weights, waiting_weight, waiting_lane,
                waiting_tenant
            FROM first AS b LEFT JOIN fitting AS f ON f.nth = b.nth;
          claimed_count := cardinality(weights);
        END IF;
        RETURN QUERY
        UPDATE queue.jobs AS j
           SET status = 'running', attempts = j.attempts + 1, lease_token = j.lease_token + 1, locked_at = at,
               locked_by = worker_name, updated_at = greatest(at, date_trunc('milliseconds', j.updated_at) +
                   interval '1 millisecond'), progress = NULL, progress_message = NULL,
               counted = nullif(base_bits + t.bit, 0)
          FROM unnest(ids, job_bits) AS t (id, bit) WHERE j.id = t.id
        RETURNING j.id, j.lease_token::bigint, j.queue::text, j.kind::text, j.kind_version::smallint,
            j.tenant_id::text,
          j.key::text, j.counted, j.priority::smallint, j.attempts::integer, j.max_attempts::integer,
          j.timeout_ms::integer, j.crashes::smallint, j.cancel_requested, j.trace_context,
              j.sensitive::text[], j.payload, j.retry_policy, j.metadata,
          j.run_at, j.expires_at, j.created_at, j.locked_at, j.ctid,
          NULL::jsonb;
        total := total + claimed_count;
        slot_left := slot_left - claimed_count;
        part := part - claimed_count;
        IF target.is_lane OR target.queue = ANY(limited_queues) THEN
          lane_total := lane_total + claimed_count;
        END IF;
        FOREACH limit_key IN ARRAY array_remove(ARRAY[target.queue || '/', target.queue || '/' ||
            target.kind], NULL) LOOP
          CONTINUE WHEN NOT rooms ? limit_key;
          rooms := rooms || jsonb_build_object(limit_key, (rooms ->> limit_key)::integer - claimed_count);
        END LOOP;
        IF rooms ?| ARRAY[target.queue || '/', target.queue || '/' || coalesce(target.kind, '')] THEN
          UPDATE queue.limit_counters AS c
             SET running = c.running + CASE WHEN l.max_running IS NULL THEN 0
                 ELSE claimed_count END, spent_until = CASE WHEN l.rate_count IS NULL THEN c.spent_until
        ELSE greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 *
            1000::float8) / l.rate_count::float8) * interval '1 microsecond')) + ceil((CASE
            WHEN weights IS NULL THEN claimed_count ELSE (SELECT coalesce(sum(least(w.weight, l.rate_burst)),
            0) FROM unnest(weights) AS w (weight)) END)::float8 * (l.rate_per_ms::float8 * 1000::float8) /
            l.rate_count::float8) * interval '1 microsecond' END, awaited = coalesce(waiting_weight, 1)
            FROM queue.limits AS l
           WHERE l.queue = target.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind'
               AND l.name = target.kind)
             AND c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
                 AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL);
        END IF;
        IF weights IS NOT NULL THEN
          SELECT rooms || coalesce(jsonb_object_agg(l.queue || '/' || l.name, CASE
              WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, 1000000000), coalesce(
                  CASE WHEN floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer < least(c.awaited, l.rate_burst) THEN 0 ELSE floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer END, 1000000000))) END), '{}') INTO rooms
            FROM queue.limits AS l JOIN queue.limit_counters AS c
              ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
           WHERE l.queue = target.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind'
               AND l.name = target.kind)
             AND l.rate_count IS NOT NULL;
          IF waiting_weight IS NOT NULL AND NOT target.is_lane AND fair_queues ->> target.queue = 'tenant'
              THEN
            UPDATE queue.lane_turns AS t SET reached = waiting_tenant, turn = 1
             WHERE t.queue = target.queue AND t.priority = target.priority AND t.share = chr(9);
          END IF;
        END IF;
      END IF;
      EXIT WHEN NOT target.is_lane;
      IF target.queue = ANY(keyed_queues) THEN
        IF claimed_count > 0 THEN
          UPDATE queue.limit_counters AS c
             SET running = c.running + CASE WHEN l.max_running IS NULL THEN 0 ELSE t.jobs END,
                 spent_until = CASE WHEN l.rate_count IS NULL THEN c.spent_until
        ELSE greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 *
            1000::float8) / l.rate_count::float8) * interval '1 microsecond')) + ceil((CASE
            WHEN weights IS NULL THEN t.jobs ELSE (SELECT coalesce(sum(least(w.weight, l.rate_burst)), 0)
            FROM unnest(lane_numbers, weights) AS w (n, weight)
            WHERE w.n = t.n) END)::float8 * (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) *
            interval '1 microsecond' END, awaited = 1,
                 held_by = CASE WHEN next_jobs IS NULL THEN c.held_by ELSE t.id END
            FROM (SELECT t.n, count(*)::integer AS jobs, (array_agg(t.id))[1] AS id
                    FROM unnest(lane_numbers, ids) AS t (n, id) GROUP BY t.n) AS t
           CROSS JOIN LATERAL (SELECT (picked_lanes[t.n]).queue, (picked_lanes[t.n]).key) AS p
           CROSS JOIN LATERAL (
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running)
                  ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     CASE WHEN own.rate_count IS NULL THEN every.rate_count
                         ELSE own.rate_count END AS rate_count, CASE WHEN own.rate_count IS NULL
                         THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms, CASE
                         WHEN own.rate_count IS NULL THEN every.rate_burst
                         ELSE own.rate_burst END AS rate_burst
                FROM (SELECT) AS one
                LEFT JOIN queue.limits AS own ON own.queue = p.queue AND own.scope = 'key'
                    AND own.name = p.key
                LEFT JOIN queue.limits AS every ON every.queue = p.queue AND every.scope = 'each_key'
                    AND every.name = '') AS l
           WHERE c.ctid = counter_ctids[t.n];
        END IF;
        FOR nth IN 1..claimed_count LOOP
          lane_rooms[lane_numbers[nth]] := lane_rooms[lane_numbers[nth]] - 1;
        END LOOP;
        IF weights IS NOT NULL THEN
          UPDATE queue.limit_counters AS c SET awaited = p.weight
            FROM unnest(picked_lanes, waiting_weights) AS p (queue, kind, key, tenant_id, priority, is_full,
                turn_at, head_at, share, weight)
           WHERE p.weight IS NOT NULL AND c.queue = p.queue AND c.scope = 'key' AND c.name = p.key
               AND c.tenant_id = p.tenant_id;
          lane_rooms := ARRAY(
            SELECT CASE WHEN p.room IS NULL OR l.rate_count IS NULL OR c.running IS NULL THEN p.room ELSE CASE
                WHEN l.paused_at IS NOT NULL THEN 0
                ELSE greatest(0, least(coalesce(l.max_running - c.running, 1000000000), coalesce(
                  CASE WHEN floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer < least(c.awaited, l.rate_burst) THEN 0 ELSE floor(
                  l.rate_burst::float8
                  - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                      (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                      '1 microsecond')) - at)::float8 * 1000::float8 * l.rate_count::float8 /
                      l.rate_per_ms::float8
                  + 1e-6::float8)::integer END, 1000000000))) END END
              FROM unnest(picked_lanes, lane_rooms) WITH ORDINALITY AS p (queue, kind, key, tenant_id,
                  priority, is_full, turn_at, head_at, share, room, n)
             CROSS JOIN LATERAL (
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running)
                  ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     CASE WHEN own.rate_count IS NULL THEN every.rate_count
                         ELSE own.rate_count END AS rate_count, CASE WHEN own.rate_count IS NULL
                         THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms, CASE
                         WHEN own.rate_count IS NULL THEN every.rate_burst
                         ELSE own.rate_burst END AS rate_burst
                FROM (SELECT) AS one
                LEFT JOIN queue.limits AS own ON own.queue = p.queue AND own.scope = 'key'
                    AND own.name = p.key
                LEFT JOIN queue.limits AS every ON every.queue = p.queue AND every.scope = 'each_key'
                    AND every.name = '') AS l
              LEFT JOIN queue.limit_counters AS c
                ON c.queue = p.queue AND c.scope = 'key' AND c.name = p.key AND c.tenant_id = p.tenant_id
                    ORDER BY p.n);
        END IF;
        -- An empty bucket refills by itself: an event opens its lane then. A missing counter is made by the
        -- next call.
        IF (0 < ALL (lane_rooms)) IS NOT TRUE THEN
          INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
          SELECT CASE WHEN c.running IS NULL THEN at
                      ELSE greatest(at, greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 *
                          (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                          '1 microsecond')) - ceil(((l.rate_burst - least(c.awaited, l.rate_burst)))::float8 *
                          (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
                          '1 microsecond') END,
                 p.queue, p.kind, p.key, p.tenant_id, CASE WHEN c.running IS NULL THEN p.priority END,
                 CASE WHEN c.running IS NOT NULL THEN 0 END
            FROM unnest(picked_lanes, lane_rooms) AS p (queue, kind, key, tenant_id, priority, is_full,
                turn_at, head_at, share, room)
           CROSS JOIN LATERAL (
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running)
                  ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     CASE WHEN own.rate_count IS NULL THEN every.rate_count
                         ELSE own.rate_count END AS rate_count, CASE WHEN own.rate_count IS NULL
                         THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms, CASE
                         WHEN own.rate_count IS NULL THEN every.rate_burst
                         ELSE own.rate_burst END AS rate_burst
                FROM (SELECT) AS one
                LEFT JOIN queue.limits AS own ON own.queue = p.queue AND own.scope = 'key'
                    AND own.name = p.key
                LEFT JOIN queue.limits AS every ON every.queue = p.queue AND every.scope = 'each_key'
                    AND every.name = '') AS l
            LEFT JOIN LATERAL (
              SELECT c.running, c.spent_until, c.awaited FROM queue.limit_counters AS c
                  WHERE c.queue = p.queue AND c.scope = 'key' AND c.name = p.key
            AND c.tenant_id BETWEEN p.tenant_id AND p.tenant_id ORDER BY c.tenant_id DESC
                LIMIT 1) AS c ON true
           WHERE p.room IS NULL AND c.running IS NULL
              OR p.room <= 0 AND l.paused_at IS NULL AND l.rate_count IS NOT NULL
                  AND c.running < coalesce(l.max_running, c.running + 1);
        END IF;
        others_hold := others_hold OR array_position(lane_rooms, NULL) IS NOT NULL;
        IF next_jobs IS NOT NULL THEN
          INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
          SELECT DISTINCT at, p.queue, p.next ->> 'kind', p.key, p.tenant_id, (p.next ->>
              'priority')::smallint
            FROM unnest(picked_lanes, next_jobs) AS p (queue, kind, key, tenant_id, priority, is_full,
                turn_at, head_at, share, next)
           WHERE (p.next ->> 'run_at')::timestamptz <= at AND NOT (p.next ->> 'kind' = p.kind
               AND (p.next ->> 'priority')::smallint = p.priority)
             AND NOT EXISTS (SELECT FROM queue.lanes AS l
                              WHERE l.queue = p.queue AND l.key = p.key AND l.tenant_id = p.tenant_id
                                AND l.kind = p.next ->> 'kind' AND l.priority = (p.next ->>
                                    'priority')::smallint AND NOT l.is_full);
          lane_rooms := ARRAY(
            SELECT CASE WHEN p.next ->> 'kind' = p.kind AND (p.next ->> 'priority')::smallint = p.priority
                AND (p.next ->> 'run_at')::timestamptz <= at OR p.next IS NULL THEN p.room ELSE 0 END
              FROM unnest(picked_lanes, lane_rooms, next_jobs) WITH ORDINALITY
                   AS p (queue, kind, key, tenant_id, priority, is_full, turn_at, head_at, share, room, next,
                       n) ORDER BY p.n);
        END IF;
      END IF;
      -- A lane that has given all that it was asked for may have more.
      IF claimed_count BETWEEN 1 AND allowed - 1 AND next_jobs IS NULL THEN
        is_left := is_left OR EXISTS (
          SELECT FROM unnest(lane_numbers) AS t (n) GROUP BY t.n HAVING lane_rooms[t.n] > 0
             AND count(*) >= coalesce(quotas[t.n], (allowed + cardinality(picked_lanes) - 1) /
                 cardinality(picked_lanes)));
      END IF;
      -- What remains in each picked lane. An empty lane is deleted, unless it only seems empty because the
      -- clock was
      -- set back.
      WITH remaining AS MATERIALIZED (
        SELECT p.ctid, p.queue, p.kind, p.key, p.tenant_id, p.priority, p.room, p.head_at, h.run_at AS
            next_at, p.n
          FROM unnest(picked_lanes, ctids, lane_rooms) WITH ORDINALITY AS p (queue, kind, key, tenant_id,
              priority, is_full, turn_at, head_at, share, ctid, room, n)
          LEFT JOIN LATERAL (SELECT c.run_at FROM queue.jobs AS c
              WHERE c.queue = p.queue AND c.kind = p.kind AND c.key = p.key
              AND coalesce(c.tenant_id, '') = p.tenant_id
                AND c.priority = p.priority AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL
                AND c.run_at >= p.head_at ORDER BY c.run_at, c.id LIMIT 1) AS h ON true
      ), left_over AS (
        INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
        SELECT n.next_at, n.queue, n.kind, n.key, n.tenant_id, n.priority, CASE WHEN n.next_at <= at
            THEN 0 END FROM remaining AS n
         WHERE target.is_direct_lane AND n.next_at <= at + interval '1 minute'
      ), emptied AS (
        DELETE FROM queue.lanes AS l USING remaining AS n
         WHERE (n.next_at IS NULL OR n.next_at > at) AND l.ctid = n.ctid
        RETURNING n.queue, n.kind, n.key, n.tenant_id, n.priority, n.next_at
      ), later AS (
        INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
        SELECT e.next_at, e.queue, e.kind, e.key, e.tenant_id, e.priority FROM emptied AS e
         WHERE e.next_at <= at + interval '1 minute'
      )
      UPDATE queue.lanes AS l
         SET turn_at = CASE WHEN n.n >= waiting_lane THEN l.turn_at
             ELSE clock_timestamp() END, head_at = n.next_at, is_full = n.room <= 0
        FROM remaining AS n
       WHERE n.next_at <= at AND n.room IS NOT NULL AND l.ctid = n.ctid;
      GET DIAGNOSTICS kept_count = ROW_COUNT;
      has_advanced := has_advanced OR claimed_count > 0 OR kept_count < cardinality(picked_lanes)
          OR coalesce(0 >= ANY (lane_rooms), false);
      IF quotas IS NOT NULL THEN
        UPDATE queue.lane_turns AS t SET turn = t.turn + g.jobs / coalesce((
              SELECT r.weight FROM queue.limits AS r
               WHERE r.queue = t.queue AND r.scope = fair_queues ->> t.queue
                   AND r.name = split_part(t.share, chr(9), 1)), 1)::float8
          FROM (SELECT p.queue, p.priority, p.share, count(*) AS jobs
                  FROM unnest(lane_numbers) AS t (n)
                 CROSS JOIN LATERAL (SELECT (picked_lanes[t.n]).queue, (picked_lanes[t.n]).priority,
                     (picked_lanes[t.n]).share) AS p
                 GROUP BY p.queue, p.priority, p.share) AS g WHERE t.queue = g.queue
                     AND t.priority = g.priority AND t.share = g.share;
        DELETE FROM queue.lane_turns AS t
         USING (SELECT DISTINCT p.queue, p.priority, p.share FROM unnest(picked_lanes) AS p) AS g
         WHERE t.queue = g.queue AND t.priority = g.priority AND t.share = g.share AND NOT EXISTS (
           SELECT FROM queue.lanes AS l
            WHERE l.queue = t.queue AND l.priority = t.priority AND l.share = t.share AND NOT l.is_full);
        is_incomplete := is_incomplete OR claimed_count > 0 AND EXISTS (
          SELECT FROM queue.lane_turns AS t WHERE t.queue = target.queue AND t.priority = target.priority
              AND t.share <> chr(9));
      END IF;
      -- The lanes that are left may start jobs. If none of these rounds has closed one, the next call would
      -- find the same.
      is_incomplete := is_incomplete OR round = 3;
      is_left := is_left OR round = 3 AND has_advanced;
      -- Other claims have locked the turns of some shares: their parts are not claimed here.
      others_hold := others_hold OR quotas IS NOT NULL AND others_hold_turns;
      EXIT WHEN others_hold;
    END LOOP;
    is_busy := is_busy OR others_hold;
    is_left := others_hold OR least(coalesce((rooms ->> (target.queue || '/'))::integer, wanted),
                    coalesce((rooms ->> (target.queue || '/' || coalesce(target.kind, '')))::integer, wanted))
                        > 0 AND (is_left OR part <= 0 OR target.is_direct_lane
                        AND target.queue = ANY(unread_queues));
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
    INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority, counted)
    SELECT f.head_at, f.queue, f.kind, f.key, f.tenant_id, f.priority, 0
      FROM unnest(direct_lanes) WITH ORDINALITY AS f (queue, kind, key, tenant_id, priority, is_full, turn_at,
          head_at, share, n) WHERE f.n <> ALL (used_numbers);
  END IF;

  line_positions := coalesce(marks -> 'lines', '{}') || new_line_positions;
  marks := marks || jsonb_build_object('lines_of', line_filter,
    'lines', CASE WHEN (SELECT count(*) FROM jsonb_object_keys(line_positions)) <= 200 THEN line_positions
        ELSE new_line_positions END,
    'lines_until', CASE WHEN scans_from_start OR hit_scan_limit
      THEN to_jsonb(greatest(clock_timestamp() + interval '8 seconds', clock_timestamp() + 20 *
          (clock_timestamp() - started_at),
        CASE WHEN NOT scans_from_start THEN (marks ->> 'lines_until')::timestamptz END + 20 *
            (clock_timestamp() - started_at)))
      ELSE marks -> 'lines_until' END);
  has_more := has_more OR hit_scan_limit;

  -- When the caller should claim again: when an event is due, or a bucket refills that was empty when this
  -- call began.
  SELECT min(e.due_at), marks || jsonb_build_object('events', jsonb_object_agg(q.name, least(e.due_at,
      started_at) - interval '200 milliseconds'))
    INTO next_due, marks FROM unnest(open_queues) AS q (name) LEFT JOIN LATERAL (
      SELECT min(e.due_at) AS due_at FROM (
        SELECT e.due_at FROM (
          SELECT e.due_at FROM queue.lane_events AS e WHERE e.queue = q.name AND e.counted IS NOT NULL
              AND e.due_at >= coalesce((marks -> 'events' ->> q.name)::timestamptz, '-infinity')
           ORDER BY e.due_at LIMIT 1) AS e
        UNION ALL
        SELECT e.due_at FROM unnest('{0,1,2,3,4,5,6,7,8,9}'::smallint[]) AS p (priority) CROSS JOIN LATERAL (
          SELECT e.due_at FROM queue.lane_events AS e WHERE e.queue = q.name AND e.priority = p.priority
              AND e.due_at >= coalesce((marks -> 'events' ->> q.name)::timestamptz, '-infinity')
           ORDER BY e.due_at LIMIT 1) AS e) AS e) AS e ON true;
  IF NOT reads_all_lanes AND total < wanted THEN
    next_due := least(next_due, (marks ->> 'at')::timestamptz + interval '1 second');
  END IF;
  IF is_rated THEN
    SELECT least(next_due, min(o.opens_at)) INTO next_due FROM (
    SELECT greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 *
        1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - ceil(((l.rate_burst -
        least(c.awaited, l.rate_burst)))::float8 * (l.rate_per_ms::float8 * 1000::float8) /
        l.rate_count::float8) * interval '1 microsecond' AS opens_at
      FROM queue.limits AS l JOIN queue.limit_counters AS c
        ON c.queue = l.queue AND c.scope = l.scope AND c.name = l.name AND c.tenant_id = ''
     WHERE l.queue = ANY(open_queues) AND l.scope IN ('queue', 'kind') AND l.rate_count IS NOT NULL) AS o
     WHERE o.opens_at > started_at;
  END IF;
  RETURN QUERY SELECT NULL::uuid, NULL::bigint, NULL, NULL, NULL::smallint, NULL, NULL, NULL::smallint,
      NULL::smallint,
    NULL::integer, NULL::integer, NULL::integer, NULL::smallint, NULL::boolean, NULL, NULL::text[],
        NULL::jsonb, NULL::jsonb, NULL::jsonb,
    NULL::timestamptz, NULL::timestamptz, NULL::timestamptz, NULL::timestamptz, NULL::tid,
    jsonb_build_object('left_lanes', left_lanes, 'left_lines', left_lines, 'unread_lines', unread_lines,
        'lane_jobs', lane_total,
      'open_queues', open_queues, 'is_busy', is_busy, 'taken_ms', floor(extract(epoch
          FROM at) * 1000), 'is_active', coalesce(lease_end > started_at, false),
      'is_too_late', is_late, 'more', has_more OR total >= wanted OR is_incomplete AND total > 0,
      'marks', marks, 'next_in_ms', CASE WHEN is_busy THEN 5 WHEN is_incomplete THEN 100
        WHEN next_due IS NOT NULL THEN greatest(5, ceil(extract(epoch
            FROM next_due - clock_timestamp()) * 1000)) END);
END $function$;

REVOKE ALL ON FUNCTION queue.claim_lanes(text, text[], smallint[], text[], integer[], text[], integer,
    boolean, double precision, double precision, jsonb) FROM PUBLIC;
