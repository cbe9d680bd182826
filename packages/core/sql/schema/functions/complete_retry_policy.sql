CREATE FUNCTION queue.complete_retry_policy(policy jsonb) RETURNS jsonb
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  completed jsonb;
  allowed text[];
  base numeric;
  cap numeric;
BEGIN
  IF jsonb_typeof(policy) <> 'object' OR jsonb_typeof(policy -> 'type') IS DISTINCT FROM 'string' THEN
    RETURN NULL;
  END IF;
  CASE policy ->> 'type'
    WHEN 'decorrelated' THEN
      allowed := '{type,base_ms,cap_ms}';
      completed := '{"base_ms": 1000, "cap_ms": 60000}'::jsonb || policy;
    WHEN 'exponential' THEN
      allowed := '{type,base_ms,cap_ms,jitter}';
      completed := '{"jitter": "full", "cap_ms": 300000}'::jsonb || policy;
      completed := jsonb_build_object('base_ms', CASE completed ->> 'jitter' WHEN 'proportional' THEN 5000
          ELSE 1000 END) || completed;
      IF completed -> 'jitter' NOT IN ('"full"', '"none"', '"proportional"') THEN
        RETURN NULL;
      END IF;
    WHEN 'fixed' THEN
      allowed := '{type,base_ms}';
      completed := policy;
    ELSE
      RETURN NULL;
  END CASE;
  IF EXISTS (SELECT FROM jsonb_object_keys(completed) AS k (name) WHERE k.name <> ALL (allowed))
     OR jsonb_typeof(completed -> 'base_ms') IS DISTINCT FROM 'number'
     OR ('cap_ms' = ANY (allowed) AND jsonb_typeof(completed -> 'cap_ms') IS DISTINCT FROM 'number') THEN
    RETURN NULL;
  END IF;
  base := completed ->> 'base_ms';
  cap := coalesce(completed ->> 'cap_ms', '86400000');
  IF base <> trunc(base) OR cap <> trunc(cap) OR base NOT BETWEEN 1 AND 86400000 OR cap NOT BETWEEN 1
      AND 604800000
     OR (completed ? 'cap_ms' AND cap < base) THEN
    RETURN NULL;
  END IF;
  completed := completed || jsonb_build_object('base_ms', base::bigint);
  RETURN CASE WHEN completed ? 'cap_ms' THEN completed || jsonb_build_object('cap_ms', cap::bigint)
      ELSE completed END;
END $function$;

REVOKE ALL ON FUNCTION queue.complete_retry_policy(jsonb) FROM PUBLIC;
