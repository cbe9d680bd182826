CREATE FUNCTION queue.erase_from_audit(operation uuid, job_ids uuid[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  deleted_ids uuid[] := ARRAY(SELECT i FROM unnest(erase_from_audit.job_ids) AS i WHERE NOT EXISTS (SELECT
      FROM queue.all_jobs AS j WHERE j.id = i OFFSET 0));
  targets text[];
  eraser text := (SELECT o.tenant_id FROM queue.operations AS o
      WHERE o.id = operation AND o.act = 'erase' AND o.state = 'running');
BEGIN
  IF eraser IS NOT NULL THEN
    WITH named AS (
      UPDATE queue.audit_log AS a
         SET filter = CASE WHEN eraser IN ('', a.tenant_id) THEN NULL ELSE a.filter END,
             job_ids = ARRAY(SELECT i FROM unnest(a.job_ids) WITH ORDINALITY AS u (i, n)
                 WHERE i <> ALL(deleted_ids) ORDER BY n)
       WHERE a.job_ids && deleted_ids RETURNING a.target
    )
    SELECT array_agg(DISTINCT n.target) INTO targets FROM named AS n
        WHERE n.target ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
    UPDATE queue.audit_log AS a SET filter = NULL
     WHERE a.target = ANY(targets) AND a.filter IS NOT NULL AND eraser IN ('', a.tenant_id);
    UPDATE queue.operations AS o SET filter = 'null' WHERE o.id = ANY(targets::uuid[])
        AND o.state <> 'running' AND eraser IN ('', o.tenant_id);
    UPDATE queue.audit_log AS a SET target = NULL WHERE a.target = ANY(deleted_ids::text[])
        AND a.act = 'job.duplicate';
  END IF;
END $function$;

REVOKE ALL ON FUNCTION queue.erase_from_audit(uuid, uuid[]) FROM PUBLIC;
