/**
 * What workers do for an operation beyond the rights of their role. Each function works only for an operation that is
 * running, and runs with the rights of its owner and a search path of its own.
 */
export const operationFunctions = (schema: string): string[] => [
  operationKey(schema),
  noteBatch(schema),
  eraseFromAudit(schema),
  forgetJobs(schema),
  `CREATE TRIGGER forget_jobs BEFORE UPDATE OF state ON ${schema}.operations FOR EACH ROW
  WHEN (NEW.state <> 'running') EXECUTE FUNCTION ${schema}.forget_jobs()`,
]

export const dropOperationTriggers = (schema: string): string[] => [
  `DROP TRIGGER forget_jobs ON ${schema}.operations`,
]

export const operationSignatures = [
  'operation_key(uuid)',
  'note_batch(uuid, integer, uuid[])',
  'erase_from_audit(uuid, uuid[])',
  'forget_jobs()',
]

/** What the API key that requested an operation may do now. The digest of the key is not returned. */
const operationKey = (schema: string): string => `CREATE FUNCTION ${schema}.operation_key(operation uuid)
RETURNS TABLE (
  role text, permissions text[], tenant_id text, queues text[], kinds text[], revoked boolean, expires_in_ms bigint
)
LANGUAGE sql STABLE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  SELECT k.role, k.permissions, k.tenant_id, k.queues, k.kinds,
         EXISTS (SELECT FROM ${schema}.api_key_revocations AS r WHERE r.key_id = k.id),
         (extract(epoch FROM k.expires_at - now()) * 1000)::bigint
    FROM ${schema}.operations AS o JOIN ${schema}.api_keys AS k ON k.id = o.actor
   WHERE o.id = operation AND o.state = 'running' AND o.actor_type = 'key'
$function$`

/**
 * Writes the audit entry of a batch. The actor comes from the operation and not from the caller; the database role is
 * the one that has connected. The entry of an erasure names no jobs.
 */
const noteBatch = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.note_batch(operation uuid, count integer, job_ids uuid[]) RETURNS void
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  INSERT INTO ${schema}.audit_log
         (tenant_id, act, actor_type, actor, actor_name, database_role, address, request_id, count, target, job_ids)
  SELECT o.tenant_id,
         CASE o.act WHEN 'requeue_dead_letters' THEN 'dead_letter.requeue' WHEN 'purge' THEN 'queue.purge' ELSE 'job.' || o.act END,
         o.actor_type, o.actor, o.actor_name, session_user, o.address, o.request_id, note_batch.count, o.id::text,
         CASE o.act WHEN 'erase' THEN '{}' ELSE note_batch.job_ids END
    FROM ${schema}.operations AS o
   WHERE o.id = operation AND o.state = 'running' AND o.actor_type IS NOT NULL AND o.actor IS NOT NULL
$function$`

/**
 * Removes deleted jobs from the audit entries that name them, together with what may identify whose jobs they were: the
 * filter of each entry, and that of an operation that has changed them, in its first entry and in its row. The entry of a
 * duplicate names the original job as its target. An erasure by a tenant removes no filter of somebody who is bound to none, or to
 * another one: that may be of many tenants.
 */
const eraseFromAudit = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.erase_from_audit(operation uuid, job_ids uuid[]) RETURNS void
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  deleted_ids uuid[] := ARRAY(SELECT i FROM unnest(erase_from_audit.job_ids) AS i WHERE NOT EXISTS (SELECT FROM ${schema}.all_jobs AS j WHERE j.id = i OFFSET 0));
  targets text[];
  eraser text := (SELECT o.tenant_id FROM ${schema}.operations AS o WHERE o.id = operation AND o.act = 'erase' AND o.state = 'running');
BEGIN
  IF eraser IS NOT NULL THEN
    WITH named AS (
      UPDATE ${schema}.audit_log AS a
         SET filter = CASE WHEN eraser IN ('', a.tenant_id) THEN NULL ELSE a.filter END,
             job_ids = ARRAY(SELECT i FROM unnest(a.job_ids) WITH ORDINALITY AS u (i, n) WHERE i <> ALL(deleted_ids) ORDER BY n)
       WHERE a.job_ids && deleted_ids RETURNING a.target
    )
    SELECT array_agg(DISTINCT n.target) INTO targets FROM named AS n WHERE n.target ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$';
    UPDATE ${schema}.audit_log AS a SET filter = NULL
     WHERE a.target = ANY(targets) AND a.filter IS NOT NULL AND eraser IN ('', a.tenant_id);
    UPDATE ${schema}.operations AS o SET filter = 'null' WHERE o.id = ANY(targets::uuid[]) AND o.state <> 'running' AND eraser IN ('', o.tenant_id);
    UPDATE ${schema}.audit_log AS a SET target = NULL WHERE a.target = ANY(deleted_ids::text[]) AND a.act = 'job.duplicate';
  END IF;
END $function$`

/**
 * The row of an operation that has ended names no job any more: the ids between which it worked end with it, whoever ends
 * it. So does the filter of an erasure, which may tell whose the jobs were. A trigger makes the change, because no role may
 * change the bounds of an operation.
 */
const forgetJobs = (schema: string): string => `CREATE FUNCTION ${schema}.forget_jobs() RETURNS trigger
LANGUAGE plpgsql SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  NEW.up_to := NEW.id;
  NEW.reached := NULL;
  IF NEW.act = 'erase' THEN
    NEW.filter := 'null';
  END IF;
  RETURN NEW;
END $function$`
