CREATE FUNCTION queue.note_batch(operation uuid, count integer, job_ids uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  INSERT INTO queue.audit_log
         (tenant_id, act, actor_type, actor, actor_name, database_role, address, request_id, count, target,
             job_ids)
  SELECT o.tenant_id,
         CASE o.act WHEN 'requeue_dead_letters' THEN 'dead_letter.requeue' WHEN 'purge' THEN 'queue.purge'
             ELSE 'job.' || o.act END,
         o.actor_type, o.actor, o.actor_name, session_user, o.address, o.request_id, note_batch.count,
             o.id::text,
         CASE o.act WHEN 'erase' THEN '{}' ELSE note_batch.job_ids END
    FROM queue.operations AS o
   WHERE o.id = operation AND o.state = 'running' AND o.actor_type IS NOT NULL AND o.actor IS NOT NULL
$function$;

REVOKE ALL ON FUNCTION queue.note_batch(uuid, integer, uuid[]) FROM PUBLIC;
