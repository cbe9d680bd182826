CREATE FUNCTION queue.operation_key(operation uuid)
RETURNS TABLE (
  role text, permissions text[], tenant_id text, queues text[], kinds text[], revoked boolean, expires_in_ms
      bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  SELECT k.role, k.permissions, k.tenant_id, k.queues, k.kinds,
         EXISTS (SELECT FROM queue.api_key_revocations AS r WHERE r.key_id = k.id),
         (extract(epoch FROM k.expires_at - now()) * 1000)::bigint
    FROM queue.operations AS o JOIN queue.api_keys AS k ON k.id = o.actor
   WHERE o.id = operation AND o.state = 'running' AND o.actor_type = 'key'
$function$;

REVOKE ALL ON FUNCTION queue.operation_key(uuid) FROM PUBLIC;
