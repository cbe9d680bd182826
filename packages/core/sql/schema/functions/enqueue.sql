CREATE FUNCTION queue.enqueue(
  kind text, payload jsonb, queue text DEFAULT 'default', priority integer DEFAULT 4, run_at timestamptz
      DEFAULT NULL,
  delay_ms bigint DEFAULT NULL, max_attempts integer DEFAULT 3, timeout_ms integer DEFAULT NULL, retry_policy
      jsonb DEFAULT NULL,
  idempotency_key text DEFAULT NULL, tenant_id text DEFAULT NULL, trace_context text DEFAULT NULL, on_mismatch
      text DEFAULT 'replay',
  metadata jsonb DEFAULT NULL, expires_at timestamptz DEFAULT NULL, expires_in_ms bigint DEFAULT NULL,
  unique_key text DEFAULT NULL, unique_scope text DEFAULT NULL, unique_window_ms bigint DEFAULT NULL,
  unique_max_wait_ms bigint DEFAULT NULL, on_conflict text DEFAULT 'return', key text DEFAULT NULL, weight
      integer DEFAULT NULL
) RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  job_queue text := coalesce(enqueue.queue, 'default');
  job_priority integer := coalesce(enqueue.priority, 4);
  job_max_attempts integer := coalesce(enqueue.max_attempts, 3);
  policy jsonb := queue.complete_retry_policy(enqueue.retry_policy);
  payload_fault text := queue.payload_fault(enqueue.payload);
  metadata_fault text := queue.metadata_fault(enqueue.metadata);
  kind_defaults jsonb := (SELECT k.defaults || jsonb_build_object('version', k.version, 'sensitive',
      k.sensitive::text,
                                   'hides_all', '' = ANY (k.sensitive) OR cardinality(k.sensitive) > 200)
                            FROM queue.job_kinds AS k WHERE k.kind = enqueue.kind ORDER BY k.version DESC
                                LIMIT 1);
  -- The job is of the first version. Where a later one is registered, its declaration does not apply, and
  -- everything is hidden.
  is_declared boolean := (kind_defaults ->> 'version')::integer = 1;
  job_key text := coalesce(enqueue.key, queue.payload_key(kind_defaults ->> 'key', enqueue.payload));
  job_weight integer := coalesce(enqueue.weight, (kind_defaults ->> 'weight')::integer, 1);
  faults text[];
  at_us bigint := floor(extract(epoch FROM clock_timestamp()) * 1000000);
  is_due boolean := enqueue.run_at IS NULL AND coalesce(enqueue.delay_ms, 0) = 0;
  fingerprint text;
  id_bytes bytea;
  answer record;
BEGIN
  faults := array_remove(ARRAY[
    CASE WHEN enqueue.kind IS NULL OR enqueue.kind !~ '^[a-z0-9][a-z0-9_.-]{0,62}$'
         THEN 'kind: must match ^[a-z0-9][a-z0-9_.-]{0,62}$' END,
    CASE WHEN job_queue !~ '^[a-z0-9][a-z0-9_.-]{0,62}$' THEN 'queue: must match ^[a-z0-9][a-z0-9_.-]{0,62}$'
        END,
    'payload: ' || payload_fault,
    CASE WHEN job_priority NOT BETWEEN 0 AND 9 THEN 'priority: must be 0 to 9' END,
    CASE WHEN job_max_attempts NOT BETWEEN 1 AND 100 THEN 'max_attempts: must be 1 to 100' END,
    CASE WHEN enqueue.timeout_ms NOT BETWEEN 1 AND 86400000 THEN 'timeout_ms: must be 1 to 86400000' END,
    CASE WHEN enqueue.delay_ms NOT BETWEEN 0 AND 315360000000 THEN 'delay_ms: must be 0 to 315360000000' END,
    CASE WHEN enqueue.run_at >= '10000-01-01 00:00:00+00' THEN 'run_at: must be before the year 10000' END,
    CASE WHEN enqueue.run_at IS NOT NULL AND enqueue.delay_ms IS NOT NULL
        THEN 'delay_ms: give run_at or delay_ms, not both' END,
    CASE WHEN enqueue.retry_policy IS NOT NULL AND policy IS NULL
        THEN 'retry_policy: is not a valid retry policy' END,
    CASE WHEN enqueue.idempotency_key = '' OR char_length(enqueue.idempotency_key) > 255
         THEN 'idempotency_key: must be 1 to 255 characters' END,
    CASE WHEN starts_with(enqueue.idempotency_key, 'schedule:')
         THEN 'idempotency_key: must not begin with schedule:, which is reserved for the runs of schedules'
             END,
    CASE WHEN enqueue.tenant_id = '' OR char_length(enqueue.tenant_id) > 255
        THEN 'tenant_id: must be 1 to 255 characters' END,
    CASE WHEN job_key = '' OR char_length(job_key) > 255
         THEN 'key: must be a text of 1 to 255 characters, a number or a boolean' END,
    CASE WHEN job_weight NOT BETWEEN 1 AND 1000000 THEN 'weight: must be 1 to 1000000' END,
    CASE WHEN length(enqueue.trace_context) > 255
           OR enqueue.trace_context !~
               '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$'
         THEN 'trace_context: is not a W3C traceparent' END,
    'metadata: ' || metadata_fault,
    CASE WHEN enqueue.expires_in_ms NOT BETWEEN 1 AND 315360000000
        THEN 'expires_in_ms: must be 1 to 315360000000' END,
    CASE WHEN enqueue.expires_at >= '10000-01-01 00:00:00+00'
        THEN 'expires_at: must be before the year 10000' END,
    CASE WHEN enqueue.expires_at IS NOT NULL AND enqueue.expires_in_ms IS NOT NULL
         THEN 'expires_in_ms: give expires_at or expires_in_ms, not both' END,
    CASE WHEN enqueue.on_mismatch IS NULL OR enqueue.on_mismatch NOT IN ('replay', 'reject')
         THEN 'on_mismatch: must be replay or reject' END,
    CASE WHEN enqueue.unique_key = '' OR char_length(enqueue.unique_key) > 255
        THEN 'unique_key: must be 1 to 255 characters' END,
    CASE WHEN (enqueue.unique_key IS NULL) <> (enqueue.unique_scope IS NULL)
         THEN 'unique_key: give unique_key and unique_scope together' END,
    CASE WHEN enqueue.unique_scope NOT IN ('waiting', 'live', 'window')
        THEN 'unique_scope: must be waiting, live or window' END,
    CASE WHEN (enqueue.unique_scope = 'window') IS TRUE <> (enqueue.unique_window_ms IS NOT NULL)
         THEN 'unique_window_ms: give it with unique_scope window, and only then' END,
    CASE WHEN enqueue.unique_window_ms NOT BETWEEN 1 AND 3153600000000
        THEN 'unique_window_ms: must be 1 to 3153600000000' END,
    CASE WHEN on_conflict NOT IN ('return', 'refuse', 'replace', 'reschedule')
         THEN 'on_conflict: must be return, refuse, replace or reschedule' END,
    CASE WHEN on_conflict IN ('replace', 'reschedule') AND enqueue.unique_scope IS DISTINCT FROM 'waiting'
         THEN 'on_conflict: ' || on_conflict || ' needs unique_scope waiting' END,
    CASE WHEN enqueue.unique_max_wait_ms IS NOT NULL AND on_conflict IS DISTINCT FROM 'reschedule'
         THEN 'unique_max_wait_ms: give it only with on_conflict reschedule' END,
    CASE WHEN enqueue.unique_max_wait_ms NOT BETWEEN 1 AND 315360000000
        THEN 'unique_max_wait_ms: must be 1 to 315360000000' END
  ], NULL);
  IF cardinality(faults) > 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = array_to_string(faults, '; ');
  END IF;
  IF enqueue.idempotency_key IS NOT NULL THEN
    fingerprint := encode(sha256(convert_to(enqueue.kind || chr(10) || job_queue || chr(10) ||
        queue.canonical_json(enqueue.payload), 'UTF8')), 'hex');
  END IF;
  id_bytes := overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(at_us / 1000) FROM 3) FROM 1
      FOR 6);
  id_bytes := set_byte(id_bytes, 6, 112 | ((at_us % 1000) * 4096 / 1000 >> 8)::integer);
  id_bytes := set_byte(id_bytes, 7, ((at_us % 1000) * 4096 / 1000 & 255)::integer);
  SELECT e.* INTO answer FROM queue.enqueue_jobs(
    jsonb_build_array(jsonb_build_object('id', encode(id_bytes, 'hex')::uuid, 'slot_rank', 0, 'kind',
        enqueue.kind, 'queue', job_queue,
      'payload', enqueue.payload, 'metadata', coalesce((
      SELECT jsonb_object_agg(m.key, CASE jsonb_typeof(m.value) WHEN 'number'
          THEN to_jsonb(trim_scale(m.value::numeric)) ELSE m.value END)
        FROM jsonb_each(enqueue.metadata) AS m), enqueue.metadata), 'priority', job_priority, 'max_attempts',
            job_max_attempts,
      'timeout_ms', enqueue.timeout_ms, 'retry_policy', policy, 'run_at_ms', greatest(extract(epoch
          FROM nullif(enqueue.run_at, '-infinity')), CASE WHEN enqueue.run_at IS NOT NULL THEN 0 END) * 1000,
      'delay_ms', enqueue.delay_ms, 'expires_at_ms', greatest(extract(epoch
          FROM nullif(enqueue.expires_at, '-infinity')), CASE WHEN enqueue.expires_at IS NOT NULL
          THEN 0 END) * 1000,
      'expires_in_ms', enqueue.expires_in_ms, 'idempotency_key', enqueue.idempotency_key,
          'idempotency_fingerprint', fingerprint,
      'tenant_id', enqueue.tenant_id, 'key', job_key, 'weight', nullif(job_weight, 1), 'trace_context',
          enqueue.trace_context,
      'unique_key', enqueue.unique_key, 'unique_scope', enqueue.unique_scope, 'window_ms',
          enqueue.unique_window_ms,
      'sensitive', CASE WHEN is_declared AND NOT (kind_defaults ->> 'hides_all')::boolean
          THEN kind_defaults ->> 'sensitive' END,
      'open_results', CASE WHEN is_declared AND (kind_defaults ->> 'open_results')::boolean THEN true END,
      'max_wait_ms', enqueue.unique_max_wait_ms, 'on_conflict', enqueue.on_conflict)),
    jsonb_build_object('holds', true, 'has_idempotency', true, 'has_window', true, 'has_expiry', true,
        'has_metadata', true, 'has_keys', true,
      'rejects', CASE WHEN enqueue.on_mismatch = 'reject' THEN '["mismatched"]'::jsonb ELSE '[]' END,
      'channel', 'queue.jobs', 'notifications', CASE WHEN is_due THEN jsonb_build_array(job_queue)
          ELSE '[]' END)
    || CASE WHEN enqueue.unique_key IS NULL THEN '{}' ELSE '{"has_unique": true}'::jsonb END) AS e;
  CASE answer.outcome
    WHEN 'new' THEN
      IF EXISTS (
        SELECT FROM queue.waiting_counts AS w JOIN queue.limits AS l ON l.queue = w.queue
            AND l.scope = CASE w.tenant_id WHEN '' THEN 'queue' ELSE 'tenant' END AND l.name = w.tenant_id
                  AND l.max_waiting IS NOT NULL
         WHERE w.queue = job_queue AND w.tenant_id IN ('', coalesce(enqueue.tenant_id, ''))
           AND l.max_waiting <= CASE WHEN w.counted_at > clock_timestamp() - interval '2 seconds'
               THEN w.waiting
                                     ELSE CASE w.tenant_id WHEN '' THEN (
                                 SELECT count(*) FROM (
                                   (SELECT FROM queue.jobs AS j WHERE j.key IS NULL AND j.queue = w.queue
                                       AND j.status IN ('queued', 'retrying')
                                   ORDER BY j.priority, j.run_at, j.id LIMIT (l.max_waiting + 1))
                                   UNION ALL
                                   (SELECT FROM queue.jobs AS j WHERE coalesce(j.key, '') <> ''
                                       AND j.queue = w.queue AND j.status IN ('queued', 'retrying')
                                   ORDER BY j.priority, j.run_at, j.id LIMIT (l.max_waiting + 1))
                                   LIMIT (l.max_waiting + 1)) AS j)
                               ELSE (
                                 SELECT count(*) FROM (
                                   (SELECT FROM queue.jobs AS j WHERE j.tenant_id = w.tenant_id
                                       AND j.queue = w.queue AND j.status IN ('queued', 'retrying')
                                   ORDER BY coalesce(j.key, ''), j.priority, j.run_at, j.id
                                       LIMIT (l.max_waiting + 1))) AS j) END::integer - 1 END) THEN
        RAISE EXCEPTION USING ERRCODE = 'configuration_limit_exceeded',
          MESSAGE = format('the queue %s is full: as many jobs wait as its limit allows; try again later',
              job_queue);
      END IF;
      RETURN answer.request;
    WHEN 'known' THEN
      IF answer.taken_back THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation',
          MESSAGE = format('the idempotency key belongs to a different request, job %s', (answer.job).id);
      END IF;
      RETURN (answer.job).id;
    WHEN 'refused' THEN
      RAISE EXCEPTION USING ERRCODE = 'unique_violation', MESSAGE = format('job %s holds the unique key',
          (answer.job).id);
    WHEN 'expired' THEN
      RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
        MESSAGE = CASE WHEN enqueue.expires_at IS NULL THEN 'expires_in_ms'
            ELSE 'expires_at' END || ': must be after the earliest start of the job';
    WHEN 'too_old' THEN
      RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE =
          'the enqueue has waited for more than an hour; repeat it';
    WHEN 'idempotency_key_locked', 'unique_key_locked' THEN
      RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
        MESSAGE = CASE answer.outcome WHEN 'unique_key_locked'
            THEN 'another open transaction holds the unique key or its job; try again'
                                      ELSE 'another open transaction holds the idempotency key; try again'
                                          END;
    WHEN 'refused_by_database' THEN
      RAISE EXCEPTION USING ERRCODE = answer.state, MESSAGE = answer.message;
    ELSE
      RETURN (answer.job).id;
  END CASE;
END $function$;

REVOKE ALL ON FUNCTION queue.enqueue(text, jsonb, text, integer, timestamptz, bigint, integer, integer, jsonb,
    text, text, text, text, jsonb, timestamptz, bigint, text, text, bigint, bigint, text, text, integer)
    FROM PUBLIC;
