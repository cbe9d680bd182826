CREATE FUNCTION queue.edit_job(
  id uuid, changes jsonb, unchanged_since timestamptz DEFAULT NULL
) RETURNS TABLE (outcome text, previous jsonb, job queue.jobs)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  old_job queue.jobs;
  payload_fault text := queue.payload_fault(changes -> 'payload');
  new_metadata jsonb := nullif(changes -> 'metadata', 'null');
  metadata_fault text := queue.metadata_fault(new_metadata);
  faults text[] := array_remove(ARRAY[
    CASE WHEN changes ? 'payload' THEN 'payload: ' || payload_fault END,
    'metadata: ' || metadata_fault,
    CASE WHEN (changes ->> 'max_attempts')::integer NOT BETWEEN 1 AND 100
        THEN 'max_attempts: must be 1 to 100' END,
    CASE WHEN (changes ->> 'weight')::integer NOT BETWEEN 1 AND 1000000
        THEN 'weight: must be 1 to 1000000' END,
    CASE WHEN (changes ->> 'timeout_ms')::integer NOT BETWEEN 1 AND 86400000
        THEN 'timeout_ms: must be 1 to 86400000' END,
    CASE WHEN (changes ->> 'run_at')::timestamptz >= '10000-01-01 00:00:00+00'
        THEN 'run_at: must be before the year 10000' END
  ], NULL);
  at timestamptz;
BEGIN
  IF cardinality(faults) > 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = array_to_string(faults, '; ');
  END IF;
  new_metadata := coalesce((
      SELECT jsonb_object_agg(m.key, CASE jsonb_typeof(m.value) WHEN 'number'
          THEN to_jsonb(trim_scale(m.value::numeric)) ELSE m.value END)
        FROM jsonb_each(new_metadata) AS m), new_metadata);
  SELECT j.* INTO old_job FROM queue.jobs AS j WHERE j.id = edit_job.id FOR UPDATE;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  at := clock_timestamp();
  job := old_job;
  outcome := CASE
    WHEN old_job.status NOT IN ('queued', 'retrying') THEN 'not_waiting'
    WHEN old_job.status = 'queued' AND old_job.expires_at <= at THEN 'expired'
    WHEN date_trunc('milliseconds', old_job.updated_at) <> unchanged_since THEN 'changed'
    WHEN changes ->> 'kind' <> old_job.kind THEN 'other_kind'
    WHEN (changes ->> 'max_attempts')::integer <= old_job.attempts THEN 'attempts_used'
    WHEN old_job.status = 'queued' AND old_job.expires_at <= (changes ->> 'run_at')::timestamptz
        THEN 'starts_too_late'
    ELSE 'edited' END;
  IF outcome = 'edited' THEN
    UPDATE queue.jobs AS j
       SET priority = coalesce((changes ->> 'priority')::smallint, j.priority),
           run_at = CASE WHEN changes ? 'run_at' THEN greatest(at, (changes ->> 'run_at')::timestamptz)
               ELSE j.run_at END,
           max_attempts = coalesce((changes ->> 'max_attempts')::integer, j.max_attempts),
           timeout_ms = CASE WHEN changes ? 'timeout_ms' THEN (changes ->> 'timeout_ms')::integer
               ELSE j.timeout_ms END,
           metadata = CASE WHEN changes ? 'metadata' THEN new_metadata ELSE j.metadata END,
           payload = CASE WHEN changes ? 'payload' THEN changes -> 'payload' ELSE j.payload END,
           kind_version = CASE WHEN changes ? 'payload' THEN nullif((changes ->> 'kind_version')::smallint,
               1::smallint)
                               ELSE j.kind_version END,
           sensitive = CASE WHEN changes ? 'payload' THEN (SELECT CASE
               WHEN j.sensitive IS NOT NULL AND changes ->> 'sensitive' IS NOT NULL AND count(*) <= 200
                                THEN coalesce(array_agg(p.pointer ORDER BY p.pointer), '{}') END
                           FROM (SELECT DISTINCT pointer FROM unnest(j.sensitive || (changes ->>
                               'sensitive')::text[]) AS u (pointer)) AS p) ELSE j.sensitive END,
           open_results = CASE WHEN changes ? 'payload' THEN j.open_results
               AND (changes ->> 'open_results')::boolean ELSE j.open_results END,
           key = coalesce(changes ->> 'key', j.key),
           weight = CASE WHEN changes ? 'weight' THEN nullif((changes ->> 'weight')::integer, 1)
               ELSE j.weight END,
           updated_at = greatest(at, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
     WHERE j.id = old_job.id RETURNING j.* INTO job;
    INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
    SELECT job.run_at, job.queue, job.kind, job.key, coalesce(job.tenant_id, ''), job.priority
        WHERE job.key IS NOT NULL
    UNION ALL
    SELECT at, old_job.queue, old_job.kind, old_job.key, coalesce(old_job.tenant_id, ''), old_job.priority
        WHERE old_job.key IS NOT NULL;
    IF changes ? 'metadata' THEN
      DELETE FROM queue.job_metadata AS m USING jsonb_each_text(old_job.metadata) AS d
       WHERE m.tenant_id = coalesce(old_job.tenant_id, '') AND m.name = d.key AND m.value = left(d.value, 200)
           AND m.job_id = old_job.id;
      INSERT INTO queue.job_metadata (tenant_id, name, value, job_id)
      SELECT coalesce(old_job.tenant_id, ''), d.key, left(d.value, 200), old_job.id
          FROM jsonb_each_text(new_metadata) AS d;
    END IF;
    IF to_jsonb(job) - 'updated_at' = to_jsonb(old_job) - 'updated_at' THEN
      outcome := 'unchanged';
    END IF;
    previous := (SELECT jsonb_object_agg(c.name, to_jsonb(old_job) -> c.name)
        FROM jsonb_object_keys(changes) AS c (name));
  END IF;
  RETURN NEXT;
END $function$;

REVOKE ALL ON FUNCTION queue.edit_job(uuid, jsonb, timestamptz) FROM PUBLIC;
