CREATE FUNCTION queue.strip_jobs(ids uuid[]) RETURNS SETOF uuid
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  WITH ended AS MATERIALIZED (
    SELECT j.id, coalesce(j.tenant_id, '') AS tenant_id, j.metadata FROM queue.jobs AS j
     WHERE j.id = ANY(ids) AND j.finished_at IS NOT NULL AND j.idempotency_key IS NOT NULL
         AND j.stripped_at IS NULL
       FOR UPDATE
  ), removed_metadata AS (
    DELETE FROM queue.job_metadata AS m USING ended CROSS JOIN LATERAL jsonb_each_text(ended.metadata) AS d
     WHERE m.tenant_id = ended.tenant_id AND m.name = d.key AND m.value = left(d.value, 200)
         AND m.job_id = ended.id
  )
  UPDATE queue.jobs AS j
     SET payload = 'null', metadata = NULL, key = NULL, result = NULL, progress = NULL, progress_message =
         NULL, last_error = NULL,
         started_at = NULL, worker_id = NULL,
         stripped_at = now(), updated_at = greatest(now(), date_trunc('milliseconds', j.updated_at) + interval
             '1 millisecond')
    FROM ended WHERE j.id = ended.id AND j.id = ANY(ids)
  RETURNING j.id
$function$;

REVOKE ALL ON FUNCTION queue.strip_jobs(uuid[]) FROM PUBLIC;
