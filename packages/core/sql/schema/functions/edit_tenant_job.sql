CREATE FUNCTION queue.edit_tenant_job(
  id uuid, changes jsonb, unchanged_since timestamptz DEFAULT NULL
) RETURNS TABLE (outcome text, previous jsonb, job queue.jobs)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  RETURN QUERY SELECT e.outcome, e.previous, e.job
    FROM queue.jobs AS j CROSS JOIN LATERAL queue.edit_job(j.id, changes, unchanged_since) AS e
   WHERE j.id = edit_tenant_job.id AND j.tenant_id = nullif(current_setting('queue.tenant', true), '');
END $function$;

REVOKE ALL ON FUNCTION queue.edit_tenant_job(uuid, jsonb, timestamptz) FROM PUBLIC;
