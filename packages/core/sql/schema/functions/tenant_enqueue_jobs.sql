CREATE FUNCTION queue.tenant_enqueue_jobs(requests jsonb, settings jsonb)
RETURNS TABLE (request uuid, outcome text, same boolean, created_at timestamptz, starts_at timestamptz, job
    queue.jobs, taken_back boolean, state text, message text)
LANGUAGE plpgsql VOLATILE SET search_path = pg_catalog, pg_temp AS $function$
#variable_conflict use_column
DECLARE
  rejects text[] := ARRAY(SELECT jsonb_array_elements_text(settings -> 'rejects'));
  queues text[] := CASE WHEN jsonb_typeof(settings -> 'queues') = 'array'
      THEN ARRAY(SELECT jsonb_array_elements_text(settings -> 'queues')) END;
  kinds text[] := CASE WHEN jsonb_typeof(settings -> 'kinds') = 'array'
      THEN ARRAY(SELECT jsonb_array_elements_text(settings -> 'kinds')) END;
  holds boolean := coalesce((settings ->> 'holds')::boolean, false);
  sees_commits boolean := current_setting('transaction_isolation') = 'read committed';
  waits_for uuid[] := '{}';
  locked_jobs integer;
  waiting_for text := 'idempotency_key_locked';
  -- The ids of one call share their millisecond. A clock that was set back meanwhile must not put a job
  -- before its id.
  minted_at timestamptz := to_timestamp(('x' || left(translate(requests -> 0 ->> 'id', '-', ''),
      12))::bit(48)::bigint / 1000::float8);
  at timestamptz;
  q record;
  found_job queue.jobs;
  holder_id uuid;
  holder_scope text;
  result text;
  is_same boolean;
  refused boolean;
  made uuid[];
  bulk_ids uuid[];
  bulk_starts timestamptz[];
  bulk_at timestamptz;
  new_ids uuid[];
  placeholders uuid[];
  failed uuid;
  answered uuid[];
  results text[];
  sames boolean[];
  created timestamptz[];
  starts timestamptz[];
  found_jobs queue.jobs[];
BEGIN
  IF settings ->> 'lock_timeout_ms' IS NOT NULL THEN
    PERFORM set_config('lock_timeout', (settings ->> 'lock_timeout_ms') || 'ms', true);
  END IF;
  FOR attempt IN 1..10 LOOP
    answered := '{}'; results := '{}'; sames := '{}'; created := '{}'; starts := '{}'; found_jobs := '{}';
    made := '{}'; new_ids := '{}'; placeholders := '{}'; refused := false;
    BEGIN
      waiting_for := 'unique_key_locked';
      IF cardinality(waits_for) > 0 THEN
        SELECT coalesce(array_agg(w.id) FILTER (WHERE w.status IN ('queued', 'retrying')), '{}'), count(*)
            INTO waits_for, locked_jobs
          FROM (SELECT w.id, j.status FROM (SELECT w.id FROM unnest(waits_for) AS w (id) ORDER BY w.id) AS w
                 CROSS JOIN LATERAL (SELECT j.status FROM queue.tenant_jobs AS j WHERE j.id = w.id
                     FOR NO KEY UPDATE) AS j) AS w;
        IF locked_jobs > cardinality(waits_for) THEN
          RAISE EXCEPTION USING ERRCODE = 'QU003';
        END IF;
      END IF;
      IF settings ? 'has_unique' THEN
        WITH made_slots AS (
          INSERT INTO queue.tenant_job_unique_slots AS s (tenant_id, kind, key, scope, job_id, expires_at)
          SELECT f.tenant_id, f.kind, f.unique_key, f.unique_scope, f.id, clock_timestamp() + f.window_ms *
              interval '1 millisecond'
            FROM (SELECT DISTINCT ON (q.slot_rank) q.slot_rank, coalesce(q.tenant_id, '') AS tenant_id,
                q.kind, q.unique_key, q.unique_scope, q.id, q.window_ms
                    FROM jsonb_to_recordset(requests) AS q (place integer, slot_rank integer, id uuid, kind
                        text, kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean) WHERE q.unique_key IS NOT NULL
              ORDER BY q.slot_rank, q.place) AS f
           ORDER BY f.slot_rank
              ON CONFLICT (tenant_id, kind, key) DO UPDATE SET job_id = EXCLUDED.job_id WHERE false
          RETURNING s.job_id
        )
        SELECT coalesce(array_agg(m.job_id), '{}') INTO made FROM made_slots AS m;
      END IF;
      -- Requests that most probably become new jobs are written together. The loop looks at the others, one
      -- after the other.
      waiting_for := CASE WHEN settings ? 'has_unique' AND NOT settings ? 'has_idempotency'
          THEN 'unique_key_locked' ELSE 'idempotency_key_locked' END;
      at := greatest(clock_timestamp(), minted_at);
      bulk_at := at;
      WITH written AS (
        INSERT INTO queue.tenant_jobs AS j (id, kind, kind_version, queue, payload, metadata, priority,
            max_attempts, timeout_ms, retry_policy, run_at,
        expires_at, idempotency_key, idempotency_fingerprint, tenant_id, key, weight, trace_context,
            unique_key, unique_scope,
        sensitive, open_results, created_at, updated_at)
        SELECT q.id, q.kind, q.kind_version, q.queue, coalesce(q.payload, 'null'), q.metadata, q.priority,
            q.max_attempts, q.timeout_ms, q.retry_policy,
        greatest(at, coalesce(to_timestamp(q.run_at_ms / 1000), at + coalesce(q.delay_ms, 0) * interval
            '1 millisecond')), coalesce(to_timestamp(q.expires_at_ms / 1000), at + q.expires_in_ms * interval
            '1 millisecond'), q.idempotency_key, decode(q.idempotency_fingerprint, 'hex'), q.tenant_id, q.key,
            q.weight,
        q.trace_context, q.unique_key, q.unique_scope, q.sensitive::text[], q.open_results, at, at
            FROM jsonb_to_recordset(requests) AS q (place integer, slot_rank integer, id uuid, kind text,
            kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean) WHERE q.unique_key IS NULL OR q.id = ANY (made)
            ON CONFLICT DO NOTHING RETURNING j.id, j.run_at
      )
      SELECT coalesce(array_agg(w.id), '{}'), coalesce(array_agg(w.run_at), '{}') INTO bulk_ids, bulk_starts
          FROM written AS w;
      IF attempt <= 3 AND clock_timestamp() > at + interval '20 milliseconds' + cardinality(bulk_ids) *
          interval '500 microseconds' THEN
        RAISE EXCEPTION USING ERRCODE = 'QU003';
      END IF;
      new_ids := bulk_ids;
      IF minted_at <= at - interval '1 hour' THEN
        RAISE EXCEPTION USING ERRCODE = 'QU005';
      END IF;
      IF settings ? 'has_full' THEN
        refused := EXISTS (SELECT FROM jsonb_to_recordset(requests) AS q (place integer, slot_rank integer, id
            uuid, kind text, kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean) WHERE q.is_full AND q.id = ANY (bulk_ids));
      END IF;
      IF settings ? 'has_expiry' THEN
        SELECT q.id INTO failed FROM jsonb_to_recordset(requests) AS q (place integer, slot_rank integer, id
            uuid, kind text, kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean) WHERE q.id = ANY (bulk_ids)
              AND coalesce(to_timestamp(q.expires_at_ms / 1000), at + q.expires_in_ms * interval
              '1 millisecond') <= greatest(at, coalesce(to_timestamp(q.run_at_ms / 1000), at +
              coalesce(q.delay_ms, 0) * interval '1 millisecond')) LIMIT 1;
        IF FOUND THEN
          RAISE EXCEPTION USING ERRCODE = 'QU004';
        END IF;
      END IF;
      IF settings ? 'has_window' THEN
        UPDATE queue.tenant_job_unique_slots AS s SET taken_at = at, expires_at = at + q.window_ms * interval
            '1 millisecond'
          FROM jsonb_to_recordset(requests) AS q (place integer, slot_rank integer, id uuid, kind text,
              kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean)
         WHERE q.id = ANY (bulk_ids) AND q.unique_scope = 'window' AND s.tenant_id = coalesce(q.tenant_id, '')
             AND s.kind = q.kind AND s.key = q.unique_key
           AND s.job_id = q.id;
      END IF;
      FOR q IN SELECT q.* FROM jsonb_to_recordset(requests) AS q (place integer, slot_rank integer, id uuid,
          kind text, kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean) WHERE cardinality(bulk_ids) < jsonb_array_length(requests)
              AND q.id <> ALL (bulk_ids) LOOP
        result := NULL;
        is_same := true;
        found_job := NULL;
        FOR try IN 1..3 LOOP
          IF q.idempotency_key IS NOT NULL THEN
            SELECT j.* INTO found_job FROM queue.tenant_jobs AS j
             WHERE coalesce(j.tenant_id, '') = coalesce(q.tenant_id, '')
                 AND j.idempotency_key = q.idempotency_key
               AND j.idempotency_key IS NOT NULL;
            IF FOUND THEN
              result := CASE WHEN found_job.id = q.id THEN 'own' ELSE 'known' END;
              is_same := found_job.idempotency_fingerprint IS NOT DISTINCT
                  FROM decode(q.idempotency_fingerprint, 'hex');
              EXIT;
            END IF;
          END IF;
          IF q.unique_key IS NOT NULL THEN
            SELECT s.scope INTO holder_scope FROM queue.tenant_job_unique_slots AS s
             WHERE s.tenant_id = coalesce(q.tenant_id, '') AND s.kind = q.kind AND s.key = q.unique_key;
            SELECT j.* INTO found_job
              FROM queue.tenant_job_unique_slots AS s JOIN queue.tenant_jobs AS j ON j.id = s.job_id
             WHERE s.tenant_id = coalesce(q.tenant_id, '') AND s.kind = q.kind AND s.key = q.unique_key
                 AND CASE s.scope WHEN 'window' THEN s.expires_at > clock_timestamp()
                         WHEN 'live' THEN j.finished_at IS NULL AND NOT (j.status = 'queued'
                             AND coalesce(j.expires_at <= clock_timestamp(), false))
                         ELSE j.status = 'queued' AND j.unique_scope = 'waiting'
                             AND j.lease_token % 1000000000 = 0 AND NOT (j.status = 'queued'
                             AND coalesce(j.expires_at <= clock_timestamp(), false)) END;
            IF FOUND THEN
              IF NOT sees_commits THEN
                -- A row that has changed since the transaction's snapshot ends the transaction with a
                -- serialization failure.
                PERFORM FROM queue.tenant_jobs AS j WHERE j.id = found_job.id FOR KEY SHARE SKIP LOCKED;
                IF NOT FOUND THEN
                  holder_id := found_job.id;
                  RAISE EXCEPTION USING ERRCODE = 'QU001';
                END IF;
              END IF;
              IF found_job.id = q.id THEN
                result := 'own';
              ELSIF NOT (found_job.queue = ANY (coalesce(queues, ARRAY[found_job.queue]))
                  AND found_job.kind = ANY (coalesce(kinds, ARRAY[found_job.kind])))
                OR q.on_conflict = 'refuse' OR (q.on_conflict <> 'return' AND holder_scope <> 'waiting') THEN
                result := 'refused';
              ELSIF q.on_conflict = 'return' THEN
                IF holds AND found_job.status IN ('queued', 'retrying') THEN
                  PERFORM FROM queue.tenant_jobs AS j WHERE j.id = found_job.id
                      AND j.status IN ('queued', 'retrying') FOR NO KEY UPDATE SKIP LOCKED;
                  IF NOT FOUND THEN
                    holder_id := found_job.id;
                    RAISE EXCEPTION USING ERRCODE = 'QU001';
                  END IF;
                END IF;
                result := 'returned';
              ELSE
                at := greatest(clock_timestamp(), minted_at);
                holder_id := found_job.id;
                SELECT c.* INTO found_job FROM queue.tenant_change_waiting(holder_id, q.on_conflict =
                    'replace', greatest(at, coalesce(to_timestamp(q.run_at_ms / 1000), at +
                    coalesce(q.delay_ms, 0) * interval '1 millisecond')),
                  found_job.created_at + q.max_wait_ms * interval '1 millisecond', q.queue, q.kind_version,
                      coalesce(q.payload, 'null'), q.metadata,
                  q.priority, q.max_attempts, q.timeout_ms, q.retry_policy,
                      coalesce(to_timestamp(q.expires_at_ms / 1000), at + q.expires_in_ms * interval
                      '1 millisecond'), q.trace_context, q.key, q.weight,
                  q.sensitive::text[], q.open_results) AS c;
                IF found_job.id IS NULL THEN
                  RAISE EXCEPTION USING ERRCODE = 'QU001';
                END IF;
                IF found_job.expires_at <= greatest(found_job.run_at, at) THEN
                  failed := q.id;
                  RAISE EXCEPTION USING ERRCODE = 'QU004';
                END IF;
                result := CASE q.on_conflict WHEN 'replace' THEN 'replaced' ELSE 'rescheduled' END;
              END IF;
              EXIT;
            END IF;
            IF holder_scope = 'live' OR (holder_scope = 'waiting' AND NOT sees_commits) THEN
              -- A live job that has expired in the queue: a claim from before its expiry may be about to
              -- commit. Or any that has
              -- expired in the transaction's snapshot: a request may have given it a later expiry since.
              SELECT j.id INTO holder_id FROM queue.tenant_job_unique_slots AS s
                  JOIN queue.tenant_jobs AS j ON j.id = s.job_id
               WHERE s.tenant_id = coalesce(q.tenant_id, '') AND s.kind = q.kind AND s.key = q.unique_key
                   AND j.status = 'queued';
              IF FOUND THEN
                PERFORM FROM queue.tenant_jobs AS j WHERE j.id = holder_id AND j.status = 'queued'
                    FOR NO KEY UPDATE SKIP LOCKED;
                IF NOT FOUND THEN
                  RAISE EXCEPTION USING ERRCODE = 'QU001';
                END IF;
              END IF;
            END IF;
          END IF;
          waiting_for := CASE WHEN q.idempotency_key IS NULL THEN 'unique_key_locked'
              ELSE 'idempotency_key_locked' END;
          at := greatest(clock_timestamp(), minted_at);
          INSERT INTO queue.tenant_jobs AS j (id, kind, kind_version, queue, payload, metadata, priority,
              max_attempts, timeout_ms, retry_policy, run_at,
        expires_at, idempotency_key, idempotency_fingerprint, tenant_id, key, weight, trace_context,
            unique_key, unique_scope,
        sensitive, open_results, created_at, updated_at) SELECT q.id, q.kind, q.kind_version, q.queue,
            coalesce(q.payload, 'null'), q.metadata, q.priority, q.max_attempts, q.timeout_ms, q.retry_policy,
        greatest(at, coalesce(to_timestamp(q.run_at_ms / 1000), at + coalesce(q.delay_ms, 0) * interval
            '1 millisecond')), coalesce(to_timestamp(q.expires_at_ms / 1000), at + q.expires_in_ms * interval
            '1 millisecond'), q.idempotency_key, decode(q.idempotency_fingerprint, 'hex'), q.tenant_id, q.key,
            q.weight,
        q.trace_context, q.unique_key, q.unique_scope, q.sensitive::text[], q.open_results, at, at ON CONFLICT
            DO NOTHING;
          IF FOUND THEN
            IF clock_timestamp() > at + interval '20 milliseconds' AND attempt <= 3 THEN
              RAISE EXCEPTION USING ERRCODE = 'QU003';
            END IF;
            result := 'new';
            EXIT;
          END IF;
          SELECT j.* INTO found_job FROM queue.tenant_jobs AS j WHERE j.id = q.id;
          IF FOUND THEN
            result := 'own';
            EXIT;
          END IF;
        END LOOP;
        IF result IS NULL THEN
          RAISE EXCEPTION USING ERRCODE = 'lock_not_available', MESSAGE =
              'jobs with this idempotency key are written and removed all the time';
        END IF;
        IF result = 'new' THEN
          new_ids := new_ids || q.id;
          refused := refused OR q.is_full IS TRUE;
          IF coalesce(to_timestamp(q.expires_at_ms / 1000), at + q.expires_in_ms * interval '1 millisecond')
              <= greatest(at, coalesce(to_timestamp(q.run_at_ms / 1000), at + coalesce(q.delay_ms, 0) *
              interval '1 millisecond')) THEN
            failed := q.id;
            RAISE EXCEPTION USING ERRCODE = 'QU004';
          END IF;
          IF q.unique_key IS NOT NULL THEN
            UPDATE queue.tenant_job_unique_slots AS s
               SET scope = q.unique_scope, job_id = q.id, taken_at = at, expires_at = at + q.window_ms *
                   interval '1 millisecond'
             WHERE s.tenant_id = coalesce(q.tenant_id, '') AND s.kind = q.kind AND s.key = q.unique_key
               AND (s.job_id <> q.id OR q.unique_scope = 'window');
          END IF;
        ELSE
          IF q.unique_key IS NOT NULL AND result <> 'own' THEN
            placeholders := placeholders || q.id;
          END IF;
          refused := refused OR (result = 'known' AND NOT is_same AND 'mismatched' = ANY (rejects))
            OR (result = 'refused' AND 'refused' = ANY (rejects))
            OR ('hidden' = ANY (rejects) AND NOT (found_job.queue = ANY (coalesce(queues,
                ARRAY[found_job.queue]))
                                                   AND found_job.kind = ANY (coalesce(kinds,
                                                       ARRAY[found_job.kind]))));
        END IF;
        answered := answered || q.id;
        results := results || result;
        sames := sames || is_same;
        created := created || CASE WHEN result = 'new' THEN at END;
        starts := starts || CASE WHEN result = 'new' THEN greatest(at, coalesce(to_timestamp(q.run_at_ms /
            1000), at + coalesce(q.delay_ms, 0) * interval '1 millisecond')) END;
        found_jobs := array_append(found_jobs, CASE WHEN result = 'new' THEN NULL ELSE found_job END);
      END LOOP;
      IF refused THEN
        RAISE EXCEPTION USING ERRCODE = 'QU002';
      END IF;
      IF cardinality(placeholders) > 0 THEN
        DELETE FROM queue.tenant_job_unique_slots AS s USING jsonb_to_recordset(requests) AS q (place integer,
            slot_rank integer, id uuid, kind text, kind_version smallint,
          queue text, payload jsonb, metadata jsonb, priority smallint, max_attempts integer, timeout_ms
              integer, retry_policy jsonb,
          run_at_ms float8, delay_ms float8, expires_at_ms float8, expires_in_ms float8, idempotency_key text,
          idempotency_fingerprint text, tenant_id text, key text, weight integer, trace_context text,
              unique_key text,
          unique_scope text, sensitive text, open_results boolean, window_ms float8, max_wait_ms float8,
              on_conflict text, is_full boolean)
         WHERE q.id = ANY (placeholders) AND s.tenant_id = coalesce(q.tenant_id, '') AND s.kind = q.kind
             AND s.key = q.unique_key
           AND s.job_id = q.id;
      END IF;
      IF cardinality(new_ids) > 0 THEN
        IF settings ? 'has_metadata' THEN
          -- A new job that a later request of the call has replaced has its rows already.
          INSERT INTO queue.tenant_job_metadata (tenant_id, name, value, job_id)
          SELECT coalesce(j.tenant_id, ''), d.key, left(d.value, 200), j.id
            FROM queue.tenant_jobs AS j CROSS JOIN LATERAL jsonb_each_text(j.metadata) AS d
                WHERE j.id = ANY (new_ids)
              ON CONFLICT DO NOTHING;
        END IF;
        IF settings ? 'has_keys' THEN
          INSERT INTO queue.tenant_lane_events (due_at, queue, kind, key, tenant_id, priority)
          SELECT DISTINCT j.run_at, j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.priority
            FROM queue.tenant_jobs AS j WHERE j.id = ANY (new_ids) AND j.key IS NOT NULL;
        END IF;
      END IF;
      PERFORM pg_notify(settings ->> 'channel', n.value) FROM jsonb_array_elements_text(settings ->
          'notifications') AS n;
      EXIT;
    EXCEPTION
      WHEN SQLSTATE 'QU001' THEN
        waits_for := waits_for || holder_id;
        answered := NULL;
      WHEN SQLSTATE 'QU002' THEN
        EXIT;
      WHEN SQLSTATE 'QU003' THEN
        answered := NULL;
      WHEN SQLSTATE 'QU004' THEN
        RETURN QUERY SELECT failed, 'expired', NULL::boolean, NULL::timestamptz, NULL::timestamptz,
            NULL::queue.jobs, true, NULL::text, NULL::text;
        RETURN;
      WHEN SQLSTATE 'QU005' THEN
        RETURN QUERY SELECT NULL::uuid, 'too_old', NULL::boolean, NULL::timestamptz, NULL::timestamptz,
            NULL::queue.jobs, true, NULL::text, NULL::text;
        RETURN;
      WHEN lock_not_available OR deadlock_detected THEN
        RETURN QUERY SELECT NULL::uuid, waiting_for, NULL::boolean, NULL::timestamptz, NULL::timestamptz,
            NULL::queue.jobs, true, SQLSTATE::text, SQLERRM;
        RETURN;
      WHEN data_exception OR integrity_constraint_violation OR program_limit_exceeded
          OR triggered_data_change_violation
        OR triggered_action_exception OR with_check_option_violation OR raise_exception THEN
        RETURN QUERY SELECT NULL::uuid, 'refused_by_database', NULL::boolean, NULL::timestamptz,
            NULL::timestamptz, NULL::queue.jobs, true, SQLSTATE::text, SQLERRM;
        RETURN;
    END;
  END LOOP;
  IF answered IS NULL THEN
    RETURN QUERY SELECT NULL::uuid, 'unique_key_locked', NULL::boolean, NULL::timestamptz, NULL::timestamptz,
        NULL::queue.jobs, true, NULL::text, NULL::text;
    RETURN;
  END IF;
  RETURN QUERY SELECT n.id, 'new', true, bulk_at, n.starts_at, NULL::queue.jobs, refused, NULL::text,
      NULL::text
    FROM unnest(bulk_ids, bulk_starts) AS n (id, starts_at);
  FOR i IN 1..cardinality(answered) LOOP
    request := answered[i];
    outcome := results[i];
    same := sames[i];
    created_at := created[i];
    starts_at := starts[i];
    job := found_jobs[i];
    taken_back := refused;
    RETURN NEXT;
  END LOOP;
END $function$;

REVOKE ALL ON FUNCTION queue.tenant_enqueue_jobs(jsonb, jsonb) FROM PUBLIC;
