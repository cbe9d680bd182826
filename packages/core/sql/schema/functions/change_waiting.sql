CREATE FUNCTION queue.change_waiting(
  job uuid, replaces boolean, start_at timestamptz, start_max timestamptz, queue text, kind_version smallint,
      payload jsonb,
  metadata jsonb, priority smallint, max_attempts integer, timeout_ms integer, retry_policy jsonb, expires_at
      timestamptz,
  trace_context text, key text, weight integer, sensitive text[], open_results boolean
) RETURNS SETOF queue.jobs
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  at timestamptz := clock_timestamp();
  old_job record;
  latest_start timestamptz;
BEGIN
  SELECT j.tenant_id, j.metadata, j.run_at, j.queue, j.kind, j.key, j.priority INTO old_job
      FROM queue.jobs AS j
   WHERE j.id = job AND j.status = 'queued' AND j.unique_scope = 'waiting' AND j.lease_token % 1000000000 = 0
     FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF replaces THEN
    UPDATE queue.jobs AS j
       SET queue = change_waiting.queue, kind_version = change_waiting.kind_version, payload =
           change_waiting.payload, metadata = change_waiting.metadata,
           priority = change_waiting.priority, max_attempts = change_waiting.max_attempts, timeout_ms =
               change_waiting.timeout_ms,
           retry_policy = change_waiting.retry_policy, expires_at = change_waiting.expires_at, trace_context =
               change_waiting.trace_context,
           key = change_waiting.key, weight = nullif(change_waiting.weight, 1), sensitive =
               change_waiting.sensitive, open_results = change_waiting.open_results
     WHERE j.id = job;
    DELETE FROM queue.job_metadata AS m USING jsonb_each_text(old_job.metadata) AS d
     WHERE m.tenant_id = coalesce(old_job.tenant_id, '') AND m.name = d.key AND m.value = left(d.value, 200)
         AND m.job_id = job;
    INSERT INTO queue.job_metadata (tenant_id, name, value, job_id)
    SELECT coalesce(old_job.tenant_id, ''), d.key, left(d.value, 200), job
        FROM jsonb_each_text(change_waiting.metadata) AS d;
  END IF;
  latest_start := greatest(old_job.run_at, coalesce(start_max, 'infinity'));
  RETURN QUERY UPDATE queue.jobs AS j
     SET updated_at = greatest(at, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
         run_at = CASE WHEN start_at <= at THEN least(old_job.run_at, at)
                                        WHEN old_job.run_at <= at THEN old_job.run_at
                                            ELSE least(start_at, latest_start) END
   WHERE j.id = job RETURNING j.*;
  INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
  SELECT j.run_at, j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.priority FROM queue.jobs AS j
   WHERE j.id = job AND j.key IS NOT NULL
  UNION ALL
  SELECT at, old_job.queue, old_job.kind, old_job.key, coalesce(old_job.tenant_id, ''), old_job.priority
      WHERE old_job.key IS NOT NULL;
END $function$;

REVOKE ALL ON FUNCTION queue.change_waiting(uuid, boolean, timestamptz, timestamptz, text, smallint, jsonb,
    jsonb, smallint, integer, integer, jsonb, timestamptz, text, text, integer, text[], boolean) FROM PUBLIC;
