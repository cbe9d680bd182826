import { currentTenant } from '../database/tenant-names.ts'
import { isCountOf, waitingUpTo } from '../database/waiting-counts.ts'
import { enqueueJobsFunctions, enqueueJobsSignatures } from './0001-enqueue-jobs.ts'
import { updatedAt } from './0001-updated-at.ts'
import { dropOperationTriggers, operationFunctions, operationSignatures } from './0001-operation-functions.ts'

/**
 * The functions of the schema, for triggers, psql and other languages. The bounds are those of domain/limits.ts, and a test
 * compares the functions with the TypeScript enqueue.
 *
 * `enqueue` and `cancel` run with the rights of their owner, with a search path of their own, and name everything with
 * its schema. PUBLIC may call none of the functions. `queue-migrate roles` lets a role call these two, and gives all of them
 * to an owner that has no other rights.
 */
export const functions = (schema: string): string[] => [
  canonicalNumber(schema),
  canonicalJson(schema),
  payloadFault(schema),
  metadataFault(schema),
  retryPolicy(schema),
  changeWaiting(schema, 'change_waiting', ''),
  changeWaiting(schema, 'tenant_change_waiting', ` AND j.tenant_id = ${currentTenant}`),
  ...enqueueJobsFunctions(schema),
  stripJobs(schema),
  payloadKey(schema),
  enqueue(schema),
  cancel(schema),
  editJob(schema),
  editTenantJob(schema),
  ...operationFunctions(schema),
  ...signatures.map((signature) => `REVOKE ALL ON FUNCTION ${schema}.${signature} FROM PUBLIC`),
]

export const dropFunctions = (schema: string): string[] => [
  ...dropOperationTriggers(schema),
  ...signatures.toReversed().map((signature) => `DROP FUNCTION ${schema}.${signature}`),
]

const changeWaitingTypes =
  'uuid, boolean, timestamptz, timestamptz, text, smallint, jsonb, jsonb, smallint, integer, integer, jsonb, timestamptz, text, text, integer, text[], boolean'

const signatures = [
  'canonical_number(numeric)',
  'canonical_json(jsonb)',
  'payload_fault(jsonb)',
  'metadata_fault(jsonb)',
  'complete_retry_policy(jsonb)',
  `change_waiting(${changeWaitingTypes})`,
  `tenant_change_waiting(${changeWaitingTypes})`,
  ...enqueueJobsSignatures,
  'strip_jobs(uuid[])',
  'payload_key(text, jsonb)',
  'enqueue(text, jsonb, text, integer, timestamptz, bigint, integer, integer, jsonb, text, text, text, text, jsonb, timestamptz, bigint, text, text, bigint, bigint, text, text, integer)',
  'cancel(uuid)',
  'edit_job(uuid, jsonb, timestamptz)',
  'edit_tenant_job(uuid, jsonb, timestamptz)',
  ...operationSignatures,
]

/**
 * The double nearest to a number, written as JavaScript writes it: the shortest digits, and an exponent from 1e21 and
 * below 1e-6. PostgreSQL writes more digits than JavaScript where the shortest ones lie halfway between two doubles; 15
 * digits are never halfway.
 */
const canonicalNumber = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.canonical_number(value numeric) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp SET extra_float_digits = 1 AS $function$
DECLARE
  float_text text;
  digits text;
  exponent integer;
  point integer;
  sign text := CASE WHEN value < 0 THEN '-' ELSE '' END;
  nearest float8;
  candidate text;
  step integer;
BEGIN
  IF value = trunc(value) AND abs(value) < 1e15 THEN
    RETURN trunc(value)::text;
  END IF;
  IF abs(value) < 2.4703282292062328e-324 THEN
    RETURN '0';
  END IF;
  nearest := abs(value)::float8;
  float_text := nearest::text;
  exponent := coalesce(substring(float_text FROM 'e(.*)$')::integer, 0);
  float_text := regexp_replace(float_text, 'e.*$', '');
  point := CASE WHEN strpos(float_text, '.') = 0 THEN length(float_text) ELSE strpos(float_text, '.') - 1 END;
  digits := replace(float_text, '.', '');
  point := point + exponent - (length(digits) - length(ltrim(digits, '0')));
  digits := rtrim(ltrim(digits, '0'), '0');
  IF digits = '' THEN
    RETURN '0';
  END IF;
  <<shorter>>
  FOR digit_count IN 15 .. length(digits) - 1 LOOP
    FOREACH step IN ARRAY CASE WHEN substr(digits, digit_count + 1, 1) >= '5' THEN ARRAY[1, 0] ELSE ARRAY[0, 1] END LOOP
      candidate := (left(digits, digit_count)::numeric + step)::text;
      CONTINUE WHEN (candidate || 'e' || (point - digit_count))::numeric > 1.7976931348623158e308;
      IF (candidate || 'e' || (point - digit_count))::float8 = nearest THEN
        point := point + length(candidate) - digit_count;
        digits := rtrim(candidate, '0');
        EXIT shorter;
      END IF;
    END LOOP;
  END LOOP;
  RETURN sign || CASE
    WHEN point > 21 OR point <= -6 THEN
      left(digits, 1) || CASE WHEN length(digits) > 1 THEN '.' || substr(digits, 2) ELSE '' END
      || 'e' || CASE WHEN point > 0 THEN '+' ELSE '-' END || abs(point - 1)
    WHEN point <= 0 THEN '0.' || repeat('0', -point) || digits
    WHEN length(digits) <= point THEN digits || repeat('0', point - length(digits))
    ELSE left(digits, point) || '.' || substr(digits, point + 1)
  END;
END $function$`

/**
 * The text from which the idempotency fingerprint is made: no spaces, numbers as JavaScript writes them, and members in
 * the order of a JavaScript object: index names by number, then the others by their UTF-16 code units. UTF-16 sorts
 * code points above U+FFFF before U+E000; the prefix before U+E000 and above gives the same order by code point.
 */
const canonicalJson = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.canonical_json(document jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  CASE jsonb_typeof(document)
    WHEN 'object' THEN
      RETURN (
        SELECT '{' || coalesce(string_agg(to_json(m.key)::text || ':' || ${schema}.canonical_json(m.value), ','
                 ORDER BY m.index, regexp_replace(replace(m.key, chr(1114111), chr(1114111) || chr(1)),
                   E'([\\\\uE000-\\\\uFFFF])', chr(1114111) || E'\\\\1', 'g') COLLATE "C"), '') || '}'
          FROM (SELECT e.key, e.value,
                       CASE WHEN e.key ~ '^(0|[1-9][0-9]{0,9})$' AND e.key::bigint < 4294967295 THEN e.key::bigint END AS index
                  FROM jsonb_each(document) AS e) AS m);
    WHEN 'array' THEN
      RETURN (
        SELECT '[' || coalesce(string_agg(${schema}.canonical_json(e.value), ',' ORDER BY e.position), '') || ']'
          FROM jsonb_array_elements(document) WITH ORDINALITY AS e (value, position));
    WHEN 'number' THEN
      RETURN ${schema}.canonical_number(document::numeric);
    ELSE
      RETURN document::text;
  END CASE;
END $function$`

/**
 * Whether a document has a number that a double does not keep, or an integer beyond 2^53 that JavaScript writes without
 * an exponent, which a double may have rounded. A number of at most 15 digits is kept.
 */
const hasRoundedNumber = (
  schema: string,
  document: string,
): string => `octet_length(${document}::text) > 15 AND EXISTS (
       SELECT FROM jsonb_path_query(${document}, 'strict $.** ? (@.type() == "number")') AS d (value)
        CROSS JOIN LATERAL (SELECT d.value::numeric AS number) AS n
        WHERE length(d.value::text) > 15
          AND (n.number = trunc(n.number) AND abs(n.number) > 9007199254740992 AND abs(n.number) < 1e21
               OR ${schema}.canonical_number(n.number)::numeric <> n.number))`

const roundedNumber = 'contains a number that a double does not keep: send it as a text'

/**
 * Why a payload cannot be stored; null if it can. The text of a jsonb is longer than the canonical text: it has a space
 * after each comma and colon.
 */
const payloadFault = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.payload_fault(payload jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF payload IS NULL THEN
    RETURN 'is required';
  END IF;
  IF jsonb_path_exists(payload, 'strict $.**{65}') THEN
    RETURN 'nested deeper than 64';
  END IF;
  -- The text is only a hint: the end of a longer name may look like it.
  IF strpos(payload::text, '"__proto__":') > 0 AND jsonb_path_exists(payload, '$.**."__proto__"') THEN
    RETURN 'has a member named __proto__';
  END IF;
  IF octet_length(payload::text) > 100000 AND (SELECT count(*) FROM jsonb_path_query(payload, 'strict $.**')) > 100000 THEN
    RETURN 'is a document of more than 100000 values';
  END IF;
  IF octet_length(payload::text) > 300 AND jsonb_path_exists(payload,
       'strict $.** ? (@.type() == "number" && (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308))') THEN
    RETURN 'contains a number beyond the range of a double';
  END IF;
  IF ${hasRoundedNumber(schema, 'payload')} THEN
    RETURN '${roundedNumber}';
  END IF;
  IF octet_length(payload::text) > 1048576 AND octet_length(${schema}.canonical_json(payload)) > 1048576 THEN
    RETURN 'is larger than 1048576 bytes';
  END IF;
  RETURN NULL;
END $function$`

/** Why metadata cannot be stored; null if it can. */
const metadataFault = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.metadata_fault(metadata jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  IF jsonb_typeof(metadata) <> 'object' THEN
    RETURN 'must be an object';
  END IF;
  IF (SELECT count(*) FROM jsonb_object_keys(metadata)) > 20 THEN
    RETURN 'has more than 20 members';
  END IF;
  IF EXISTS (SELECT FROM jsonb_object_keys(metadata) AS k (name) WHERE k.name !~ '^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$') THEN
    RETURN 'has a name that does not match ^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$';
  END IF;
  IF EXISTS (SELECT FROM jsonb_each(metadata) AS m WHERE jsonb_typeof(m.value) NOT IN ('string', 'number', 'boolean')) THEN
    RETURN 'has a value that is not a text, a number or a boolean';
  END IF;
  IF jsonb_path_exists(metadata, '$.* ? (@.type() == "number" && (@ > 1.7976931348623157e308 || @ < -1.7976931348623157e308))') THEN
    RETURN 'contains a number beyond the range of a double';
  END IF;
  IF ${hasRoundedNumber(schema, 'metadata')} THEN
    RETURN '${roundedNumber}';
  END IF;
  IF octet_length(${schema}.canonical_json(metadata)) > 4096 THEN
    RETURN 'is larger than 4096 bytes';
  END IF;
  RETURN NULL;
END $function$`

/**
 * Metadata whose numbers have the text that those of TypeScript have once they are stored: without zeros at the end, which a
 * `numeric` such as 10.00 keeps. Jobs are found by that text.
 */
const withTrimmedNumbers = (metadata: string): string => `coalesce((
      SELECT jsonb_object_agg(m.key, CASE jsonb_typeof(m.value) WHEN 'number' THEN to_jsonb(trim_scale(m.value::numeric)) ELSE m.value END)
        FROM jsonb_each(${metadata}) AS m), ${metadata})`

/** The retry policy with its defaults filled in, as it is stored; null if it is not valid. */
const retryPolicy = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.complete_retry_policy(policy jsonb) RETURNS jsonb
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
      completed := jsonb_build_object('base_ms', CASE completed ->> 'jitter' WHEN 'proportional' THEN 5000 ELSE 1000 END) || completed;
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
  IF base <> trunc(base) OR cap <> trunc(cap) OR base NOT BETWEEN 1 AND 86400000 OR cap NOT BETWEEN 1 AND 604800000
     OR (completed ? 'cap_ms' AND cap < base) THEN
    RETURN NULL;
  END IF;
  completed := completed || jsonb_build_object('base_ms', base::bigint);
  RETURN CASE WHEN completed ? 'cap_ms' THEN completed || jsonb_build_object('cap_ms', cap::bigint) ELSE completed END;
END $function$`

/**
 * The key of a job at the JSON pointer of its kind, as `keyOf` of domain/job-key.ts finds it: null if there is no
 * pointer or no value, and the empty text for a value that cannot be a key.
 */
const payloadKey = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.payload_key(pointer text, payload jsonb) RETURNS text
LANGUAGE plpgsql IMMUTABLE SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  value jsonb := payload;
  step text;
BEGIN
  IF pointer IS NULL THEN
    RETURN NULL;
  END IF;
  FOREACH step IN ARRAY (string_to_array(pointer, '/'))[2:] LOOP
    step := replace(replace(step, '~1', '/'), '~0', '~');
    value := CASE jsonb_typeof(value) WHEN 'object' THEN value -> step
                                      WHEN 'array' THEN CASE WHEN step ~ '^(0|[1-9][0-9]{0,8})$' THEN value -> step::integer END END;
  END LOOP;
  RETURN CASE jsonb_typeof(value) WHEN 'string' THEN value #>> '{}'
                                  WHEN 'number' THEN ${schema}.canonical_number(value::numeric)
                                  WHEN 'boolean' THEN value::text
                                  WHEN 'object' THEN ''
                                  WHEN 'array' THEN '' END;
END $function$`

/** What is wrong with the arguments of `enqueue`: an array of texts. */
const enqueueFaults = `array_remove(ARRAY[
    CASE WHEN enqueue.kind IS NULL OR enqueue.kind !~ '^[a-z0-9][a-z0-9_.-]{0,62}$'
         THEN 'kind: must match ^[a-z0-9][a-z0-9_.-]{0,62}$' END,
    CASE WHEN job_queue !~ '^[a-z0-9][a-z0-9_.-]{0,62}$' THEN 'queue: must match ^[a-z0-9][a-z0-9_.-]{0,62}$' END,
    'payload: ' || payload_fault,
    CASE WHEN job_priority NOT BETWEEN 0 AND 9 THEN 'priority: must be 0 to 9' END,
    CASE WHEN job_max_attempts NOT BETWEEN 1 AND 100 THEN 'max_attempts: must be 1 to 100' END,
    CASE WHEN enqueue.timeout_ms NOT BETWEEN 1 AND 86400000 THEN 'timeout_ms: must be 1 to 86400000' END,
    CASE WHEN enqueue.delay_ms NOT BETWEEN 0 AND 315360000000 THEN 'delay_ms: must be 0 to 315360000000' END,
    CASE WHEN enqueue.run_at >= '10000-01-01 00:00:00+00' THEN 'run_at: must be before the year 10000' END,
    CASE WHEN enqueue.run_at IS NOT NULL AND enqueue.delay_ms IS NOT NULL THEN 'delay_ms: give run_at or delay_ms, not both' END,
    CASE WHEN enqueue.retry_policy IS NOT NULL AND policy IS NULL THEN 'retry_policy: is not a valid retry policy' END,
    CASE WHEN enqueue.idempotency_key = '' OR char_length(enqueue.idempotency_key) > 255
         THEN 'idempotency_key: must be 1 to 255 characters' END,
    CASE WHEN starts_with(enqueue.idempotency_key, 'schedule:')
         THEN 'idempotency_key: must not begin with schedule:, which is reserved for the runs of schedules' END,
    CASE WHEN enqueue.tenant_id = '' OR char_length(enqueue.tenant_id) > 255 THEN 'tenant_id: must be 1 to 255 characters' END,
    CASE WHEN job_key = '' OR char_length(job_key) > 255
         THEN 'key: must be a text of 1 to 255 characters, a number or a boolean' END,
    CASE WHEN job_weight NOT BETWEEN 1 AND 1000000 THEN 'weight: must be 1 to 1000000' END,
    CASE WHEN length(enqueue.trace_context) > 255
           OR enqueue.trace_context !~ '^(?!ff)[0-9a-f]{2}-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$'
         THEN 'trace_context: is not a W3C traceparent' END,
    'metadata: ' || metadata_fault,
    CASE WHEN enqueue.expires_in_ms NOT BETWEEN 1 AND 315360000000 THEN 'expires_in_ms: must be 1 to 315360000000' END,
    CASE WHEN enqueue.expires_at >= '10000-01-01 00:00:00+00' THEN 'expires_at: must be before the year 10000' END,
    CASE WHEN enqueue.expires_at IS NOT NULL AND enqueue.expires_in_ms IS NOT NULL
         THEN 'expires_in_ms: give expires_at or expires_in_ms, not both' END,
    CASE WHEN enqueue.on_mismatch IS NULL OR enqueue.on_mismatch NOT IN ('replay', 'reject')
         THEN 'on_mismatch: must be replay or reject' END,
    CASE WHEN enqueue.unique_key = '' OR char_length(enqueue.unique_key) > 255 THEN 'unique_key: must be 1 to 255 characters' END,
    CASE WHEN (enqueue.unique_key IS NULL) <> (enqueue.unique_scope IS NULL)
         THEN 'unique_key: give unique_key and unique_scope together' END,
    CASE WHEN enqueue.unique_scope NOT IN ('waiting', 'live', 'window') THEN 'unique_scope: must be waiting, live or window' END,
    CASE WHEN (enqueue.unique_scope = 'window') IS TRUE <> (enqueue.unique_window_ms IS NOT NULL)
         THEN 'unique_window_ms: give it with unique_scope window, and only then' END,
    CASE WHEN enqueue.unique_window_ms NOT BETWEEN 1 AND 3153600000000 THEN 'unique_window_ms: must be 1 to 3153600000000' END,
    CASE WHEN on_conflict NOT IN ('return', 'refuse', 'replace', 'reschedule')
         THEN 'on_conflict: must be return, refuse, replace or reschedule' END,
    CASE WHEN on_conflict IN ('replace', 'reschedule') AND enqueue.unique_scope IS DISTINCT FROM 'waiting'
         THEN 'on_conflict: ' || on_conflict || ' needs unique_scope waiting' END,
    CASE WHEN enqueue.unique_max_wait_ms IS NOT NULL AND on_conflict IS DISTINCT FROM 'reschedule'
         THEN 'unique_max_wait_ms: give it only with on_conflict reschedule' END,
    CASE WHEN enqueue.unique_max_wait_ms NOT BETWEEN 1 AND 315360000000 THEN 'unique_max_wait_ms: must be 1 to 315360000000' END
  ], NULL)`

/**
 * Moves the start of a job that waits under its unique key and, with `replaces`, replaces its payload and options.
 * Returns the job, or no row if the job does not wait or another transaction has locked it. A caller can change no
 * other job with it: none that was ever claimed, and none outside `tenantCondition`. A start that is already due stays.
 */
const changeWaiting = (
  schema: string,
  name: string,
  tenantCondition: string,
): string => `CREATE FUNCTION ${schema}.${name}(
  job uuid, replaces boolean, start_at timestamptz, start_max timestamptz, queue text, kind_version smallint, payload jsonb,
  metadata jsonb, priority smallint, max_attempts integer, timeout_ms integer, retry_policy jsonb, expires_at timestamptz,
  trace_context text, key text, weight integer, sensitive text[], open_results boolean
) RETURNS SETOF ${schema}.jobs
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  at timestamptz := clock_timestamp();
  old_job record;
  latest_start timestamptz;
BEGIN
  SELECT j.tenant_id, j.metadata, j.run_at, j.queue, j.kind, j.key, j.priority INTO old_job FROM ${schema}.jobs AS j
   WHERE j.id = job AND j.status = 'queued' AND j.unique_scope = 'waiting' AND j.lease_token % 1000000000 = 0${tenantCondition}
     FOR NO KEY UPDATE SKIP LOCKED;
  IF NOT FOUND THEN
    RETURN;
  END IF;
  IF replaces THEN
    UPDATE ${schema}.jobs AS j
       SET queue = ${name}.queue, kind_version = ${name}.kind_version, payload = ${name}.payload, metadata = ${name}.metadata,
           priority = ${name}.priority, max_attempts = ${name}.max_attempts, timeout_ms = ${name}.timeout_ms,
           retry_policy = ${name}.retry_policy, expires_at = ${name}.expires_at, trace_context = ${name}.trace_context,
           key = ${name}.key, weight = nullif(${name}.weight, 1), sensitive = ${name}.sensitive, open_results = ${name}.open_results
     WHERE j.id = job;
    DELETE FROM ${schema}.job_metadata AS m USING jsonb_each_text(old_job.metadata) AS d
     WHERE m.tenant_id = coalesce(old_job.tenant_id, '') AND m.name = d.key AND m.value = left(d.value, 200) AND m.job_id = job;
    INSERT INTO ${schema}.job_metadata (tenant_id, name, value, job_id)
    SELECT coalesce(old_job.tenant_id, ''), d.key, left(d.value, 200), job FROM jsonb_each_text(${name}.metadata) AS d;
  END IF;
  latest_start := greatest(old_job.run_at, coalesce(start_max, 'infinity'));
  RETURN QUERY UPDATE ${schema}.jobs AS j
     SET updated_at = ${updatedAt('at')}, run_at = CASE WHEN start_at <= at THEN least(old_job.run_at, at)
                                        WHEN old_job.run_at <= at THEN old_job.run_at ELSE least(start_at, latest_start) END
   WHERE j.id = job RETURNING j.*;
  INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
  SELECT j.run_at, j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.priority FROM ${schema}.jobs AS j
   WHERE j.id = job AND j.key IS NOT NULL
  UNION ALL
  SELECT at, old_job.queue, old_job.kind, old_job.key, coalesce(old_job.tenant_id, ''), old_job.priority WHERE old_job.key IS NOT NULL;
END $function$`

/**
 * Removes payload, result and metadata from jobs that have ended and have an idempotency key, and returns their ids. A
 * caller can change no other job with it.
 */
const stripJobs = (
  schema: string,
): string => `CREATE FUNCTION ${schema}.strip_jobs(ids uuid[]) RETURNS SETOF uuid
LANGUAGE sql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
  WITH ended AS MATERIALIZED (
    SELECT j.id, coalesce(j.tenant_id, '') AS tenant_id, j.metadata FROM ${schema}.jobs AS j
     WHERE j.id = ANY(ids) AND j.finished_at IS NOT NULL AND j.idempotency_key IS NOT NULL AND j.stripped_at IS NULL
       FOR UPDATE
  ), removed_metadata AS (
    DELETE FROM ${schema}.job_metadata AS m USING ended CROSS JOIN LATERAL jsonb_each_text(ended.metadata) AS d
     WHERE m.tenant_id = ended.tenant_id AND m.name = d.key AND m.value = left(d.value, 200) AND m.job_id = ended.id
  )
  UPDATE ${schema}.jobs AS j
     SET payload = 'null', metadata = NULL, key = NULL, result = NULL, progress = NULL, progress_message = NULL, last_error = NULL,
         started_at = NULL, worker_id = NULL,
         stripped_at = now(), updated_at = ${updatedAt('now()')}
    FROM ended WHERE j.id = ended.id AND j.id = ANY(ids)
  RETURNING j.id
$function$`

/**
 * Checks the arguments as TypeScript checks a request, and lets `enqueue_jobs` write the job. The id is a UUIDv7 of the
 * beginning; its microseconds keep the ids of one session in order.
 */
const enqueue = (schema: string): string => `CREATE FUNCTION ${schema}.enqueue(
  kind text, payload jsonb, queue text DEFAULT 'default', priority integer DEFAULT 4, run_at timestamptz DEFAULT NULL,
  delay_ms bigint DEFAULT NULL, max_attempts integer DEFAULT 3, timeout_ms integer DEFAULT NULL, retry_policy jsonb DEFAULT NULL,
  idempotency_key text DEFAULT NULL, tenant_id text DEFAULT NULL, trace_context text DEFAULT NULL, on_mismatch text DEFAULT 'replay',
  metadata jsonb DEFAULT NULL, expires_at timestamptz DEFAULT NULL, expires_in_ms bigint DEFAULT NULL,
  unique_key text DEFAULT NULL, unique_scope text DEFAULT NULL, unique_window_ms bigint DEFAULT NULL,
  unique_max_wait_ms bigint DEFAULT NULL, on_conflict text DEFAULT 'return', key text DEFAULT NULL, weight integer DEFAULT NULL
) RETURNS uuid
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  job_queue text := coalesce(enqueue.queue, 'default');
  job_priority integer := coalesce(enqueue.priority, 4);
  job_max_attempts integer := coalesce(enqueue.max_attempts, 3);
  policy jsonb := ${schema}.complete_retry_policy(enqueue.retry_policy);
  payload_fault text := ${schema}.payload_fault(enqueue.payload);
  metadata_fault text := ${schema}.metadata_fault(enqueue.metadata);
  kind_defaults jsonb := (SELECT k.defaults || jsonb_build_object('version', k.version, 'sensitive', k.sensitive::text,
                                   'hides_all', '' = ANY (k.sensitive) OR cardinality(k.sensitive) > 200)
                            FROM ${schema}.job_kinds AS k WHERE k.kind = enqueue.kind ORDER BY k.version DESC LIMIT 1);
  -- The job is of the first version. Where a later one is registered, its declaration does not apply, and everything is hidden.
  is_declared boolean := (kind_defaults ->> 'version')::integer = 1;
  job_key text := coalesce(enqueue.key, ${schema}.payload_key(kind_defaults ->> 'key', enqueue.payload));
  job_weight integer := coalesce(enqueue.weight, (kind_defaults ->> 'weight')::integer, 1);
  faults text[];
  at_us bigint := floor(extract(epoch FROM clock_timestamp()) * 1000000);
  is_due boolean := enqueue.run_at IS NULL AND coalesce(enqueue.delay_ms, 0) = 0;
  fingerprint text;
  id_bytes bytea;
  answer record;
BEGIN
  faults := ${enqueueFaults};
  IF cardinality(faults) > 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = array_to_string(faults, '; ');
  END IF;
  IF enqueue.idempotency_key IS NOT NULL THEN
    fingerprint := encode(sha256(convert_to(enqueue.kind || chr(10) || job_queue || chr(10) || ${schema}.canonical_json(enqueue.payload), 'UTF8')), 'hex');
  END IF;
  id_bytes := overlay(uuid_send(gen_random_uuid()) PLACING substring(int8send(at_us / 1000) FROM 3) FROM 1 FOR 6);
  id_bytes := set_byte(id_bytes, 6, 112 | ((at_us % 1000) * 4096 / 1000 >> 8)::integer);
  id_bytes := set_byte(id_bytes, 7, ((at_us % 1000) * 4096 / 1000 & 255)::integer);
  SELECT e.* INTO answer FROM ${schema}.enqueue_jobs(
    jsonb_build_array(jsonb_build_object('id', encode(id_bytes, 'hex')::uuid, 'slot_rank', 0, 'kind', enqueue.kind, 'queue', job_queue,
      'payload', enqueue.payload, 'metadata', ${withTrimmedNumbers('enqueue.metadata')}, 'priority', job_priority, 'max_attempts', job_max_attempts,
      'timeout_ms', enqueue.timeout_ms, 'retry_policy', policy, 'run_at_ms', greatest(extract(epoch FROM nullif(enqueue.run_at, '-infinity')), CASE WHEN enqueue.run_at IS NOT NULL THEN 0 END) * 1000,
      'delay_ms', enqueue.delay_ms, 'expires_at_ms', greatest(extract(epoch FROM nullif(enqueue.expires_at, '-infinity')), CASE WHEN enqueue.expires_at IS NOT NULL THEN 0 END) * 1000,
      'expires_in_ms', enqueue.expires_in_ms, 'idempotency_key', enqueue.idempotency_key, 'idempotency_fingerprint', fingerprint,
      'tenant_id', enqueue.tenant_id, 'key', job_key, 'weight', nullif(job_weight, 1), 'trace_context', enqueue.trace_context,
      'unique_key', enqueue.unique_key, 'unique_scope', enqueue.unique_scope, 'window_ms', enqueue.unique_window_ms,
      'sensitive', CASE WHEN is_declared AND NOT (kind_defaults ->> 'hides_all')::boolean THEN kind_defaults ->> 'sensitive' END,
      'open_results', CASE WHEN is_declared AND (kind_defaults ->> 'open_results')::boolean THEN true END,
      'max_wait_ms', enqueue.unique_max_wait_ms, 'on_conflict', enqueue.on_conflict)),
    jsonb_build_object('holds', true, 'has_idempotency', true, 'has_window', true, 'has_expiry', true, 'has_metadata', true, 'has_keys', true,
      'rejects', CASE WHEN enqueue.on_mismatch = 'reject' THEN '["mismatched"]'::jsonb ELSE '[]' END,
      'channel', '${unquote(schema)}.jobs', 'notifications', CASE WHEN is_due THEN jsonb_build_array(job_queue) ELSE '[]' END)
    || CASE WHEN enqueue.unique_key IS NULL THEN '{}' ELSE '{"has_unique": true}'::jsonb END) AS e;
  CASE answer.outcome
    WHEN 'new' THEN
      ${refuseWhereFull(schema)}
      RETURN answer.request;
    WHEN 'known' THEN
      IF answer.taken_back THEN
        RAISE EXCEPTION USING ERRCODE = 'unique_violation',
          MESSAGE = format('the idempotency key belongs to a different request, job %s', (answer.job).id);
      END IF;
      RETURN (answer.job).id;
    WHEN 'refused' THEN
      RAISE EXCEPTION USING ERRCODE = 'unique_violation', MESSAGE = format('job %s holds the unique key', (answer.job).id);
    WHEN 'expired' THEN
      RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value',
        MESSAGE = CASE WHEN enqueue.expires_at IS NULL THEN 'expires_in_ms' ELSE 'expires_at' END || ': must be after the earliest start of the job';
    WHEN 'too_old' THEN
      RAISE EXCEPTION USING ERRCODE = 'object_not_in_prerequisite_state', MESSAGE = 'the enqueue has waited for more than an hour; repeat it';
    WHEN 'idempotency_key_locked', 'unique_key_locked' THEN
      RAISE EXCEPTION USING ERRCODE = 'lock_not_available',
        MESSAGE = CASE answer.outcome WHEN 'unique_key_locked' THEN 'another open transaction holds the unique key or its job; try again'
                                      ELSE 'another open transaction holds the idempotency key; try again' END;
    WHEN 'refused_by_database' THEN
      RAISE EXCEPTION USING ERRCODE = answer.state, MESSAGE = answer.message;
    ELSE
      RETURN (answer.job).id;
  END CASE;
END $function$`

/**
 * Raises an error, which takes the new job back, if its queue is full. A count that is older than 2 seconds is not
 * used: the jobs are counted instead, less the new one.
 */
const refuseWhereFull = (schema: string): string => `IF EXISTS (
        SELECT FROM ${schema}.waiting_counts AS w JOIN ${schema}.limits AS l ON ${isCountOf}
         WHERE w.queue = job_queue AND w.tenant_id IN ('', coalesce(enqueue.tenant_id, ''))
           AND l.max_waiting <= CASE WHEN w.counted_at > clock_timestamp() - interval '2 seconds' THEN w.waiting
                                     ELSE ${waitingUpTo(schema, '(l.max_waiting + 1)')} - 1 END) THEN
        RAISE EXCEPTION USING ERRCODE = 'configuration_limit_exceeded',
          MESSAGE = format('the queue %s is full: as many jobs wait as its limit allows; try again later', job_queue);
      END IF;`

/** The transition of cancel-job.ts, as a function. */
const cancel = (schema: string): string => `CREATE FUNCTION ${schema}.cancel(id uuid) RETURNS text
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  old_status ${schema}.job_status;
  at timestamptz;
BEGIN
  SELECT j.status INTO old_status FROM ${schema}.jobs AS j WHERE j.id = cancel.id FOR UPDATE;
  at := clock_timestamp();
  IF NOT FOUND AND NOT EXISTS (SELECT FROM ${schema}.ended_jobs AS e WHERE e.id = cancel.id) THEN
    RAISE EXCEPTION USING ERRCODE = 'no_data_found', MESSAGE = format('there is no job %s', cancel.id);
  END IF;
  IF old_status IN ('queued', 'retrying') THEN
    UPDATE ${schema}.jobs AS j SET status = 'cancelled', finished_at = at, cancel_requested = true, updated_at = ${updatedAt('at')}
     WHERE j.id = cancel.id;
    INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
    SELECT at, j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.priority FROM ${schema}.jobs AS j
     WHERE j.id = cancel.id AND j.key IS NOT NULL;
    RETURN 'cancelled';
  END IF;
  IF old_status = 'running' THEN
    UPDATE ${schema}.jobs AS j SET cancel_requested = true, updated_at = ${updatedAt('at')}
     WHERE j.id = cancel.id AND NOT j.cancel_requested;
    PERFORM pg_notify('${unquote(schema)}.jobs', 'x:' || cancel.id);
    RETURN 'requested';
  END IF;
  RETURN 'already_terminal';
END $function$`

/** What is wrong with the changes of an edit: an array of texts. */
const editFaults = `array_remove(ARRAY[
    CASE WHEN changes ? 'payload' THEN 'payload: ' || payload_fault END,
    'metadata: ' || metadata_fault,
    CASE WHEN (changes ->> 'max_attempts')::integer NOT BETWEEN 1 AND 100 THEN 'max_attempts: must be 1 to 100' END,
    CASE WHEN (changes ->> 'weight')::integer NOT BETWEEN 1 AND 1000000 THEN 'weight: must be 1 to 1000000' END,
    CASE WHEN (changes ->> 'timeout_ms')::integer NOT BETWEEN 1 AND 86400000 THEN 'timeout_ms: must be 1 to 86400000' END,
    CASE WHEN (changes ->> 'run_at')::timestamptz >= '10000-01-01 00:00:00+00' THEN 'run_at: must be before the year 10000' END
  ], NULL)`

/**
 * What an edited job hides: all that it hid before, and what the new payload hides. Null, and more pointers than a job
 * may keep, hide everything.
 */
const mergedSensitive = `(SELECT CASE WHEN j.sensitive IS NOT NULL AND changes ->> 'sensitive' IS NOT NULL AND count(*) <= 200
                                THEN coalesce(array_agg(p.pointer ORDER BY p.pointer), '{}') END
                           FROM (SELECT DISTINCT pointer FROM unnest(j.sensitive || (changes ->> 'sensitive')::text[]) AS u (pointer)) AS p)`

/**
 * Edits a job that waits, and no other: the outcome is `edited`, `unchanged` where it had these values, or why not. A role
 * that may call this still cannot touch the work of a running job. Each edit moves `updated_at` by at least one millisecond, so that the next edit
 * notices that it has read an older version. The fingerprint of the idempotency key stays that of the original request.
 */
const editJob = (schema: string): string => `CREATE FUNCTION ${schema}.edit_job(
  id uuid, changes jsonb, unchanged_since timestamptz DEFAULT NULL
) RETURNS TABLE (outcome text, previous jsonb, job ${schema}.jobs)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
DECLARE
  old_job ${schema}.jobs;
  payload_fault text := ${schema}.payload_fault(changes -> 'payload');
  new_metadata jsonb := nullif(changes -> 'metadata', 'null');
  metadata_fault text := ${schema}.metadata_fault(new_metadata);
  faults text[] := ${editFaults};
  at timestamptz;
BEGIN
  IF cardinality(faults) > 0 THEN
    RAISE EXCEPTION USING ERRCODE = 'invalid_parameter_value', MESSAGE = array_to_string(faults, '; ');
  END IF;
  new_metadata := ${withTrimmedNumbers('new_metadata')};
  SELECT j.* INTO old_job FROM ${schema}.jobs AS j WHERE j.id = edit_job.id FOR UPDATE;
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
    WHEN old_job.status = 'queued' AND old_job.expires_at <= (changes ->> 'run_at')::timestamptz THEN 'starts_too_late'
    ELSE 'edited' END;
  IF outcome = 'edited' THEN
    UPDATE ${schema}.jobs AS j
       SET priority = coalesce((changes ->> 'priority')::smallint, j.priority),
           run_at = CASE WHEN changes ? 'run_at' THEN greatest(at, (changes ->> 'run_at')::timestamptz) ELSE j.run_at END,
           max_attempts = coalesce((changes ->> 'max_attempts')::integer, j.max_attempts),
           timeout_ms = CASE WHEN changes ? 'timeout_ms' THEN (changes ->> 'timeout_ms')::integer ELSE j.timeout_ms END,
           metadata = CASE WHEN changes ? 'metadata' THEN new_metadata ELSE j.metadata END,
           payload = CASE WHEN changes ? 'payload' THEN changes -> 'payload' ELSE j.payload END,
           kind_version = CASE WHEN changes ? 'payload' THEN nullif((changes ->> 'kind_version')::smallint, 1::smallint)
                               ELSE j.kind_version END,
           sensitive = CASE WHEN changes ? 'payload' THEN ${mergedSensitive} ELSE j.sensitive END,
           open_results = CASE WHEN changes ? 'payload' THEN j.open_results AND (changes ->> 'open_results')::boolean ELSE j.open_results END,
           key = coalesce(changes ->> 'key', j.key),
           weight = CASE WHEN changes ? 'weight' THEN nullif((changes ->> 'weight')::integer, 1) ELSE j.weight END,
           updated_at = ${updatedAt('at')}
     WHERE j.id = old_job.id RETURNING j.* INTO job;
    INSERT INTO ${schema}.lane_events (due_at, queue, kind, key, tenant_id, priority)
    SELECT job.run_at, job.queue, job.kind, job.key, coalesce(job.tenant_id, ''), job.priority WHERE job.key IS NOT NULL
    UNION ALL
    SELECT at, old_job.queue, old_job.kind, old_job.key, coalesce(old_job.tenant_id, ''), old_job.priority WHERE old_job.key IS NOT NULL;
    IF changes ? 'metadata' THEN
      DELETE FROM ${schema}.job_metadata AS m USING jsonb_each_text(old_job.metadata) AS d
       WHERE m.tenant_id = coalesce(old_job.tenant_id, '') AND m.name = d.key AND m.value = left(d.value, 200) AND m.job_id = old_job.id;
      INSERT INTO ${schema}.job_metadata (tenant_id, name, value, job_id)
      SELECT coalesce(old_job.tenant_id, ''), d.key, left(d.value, 200), old_job.id FROM jsonb_each_text(new_metadata) AS d;
    END IF;
    IF to_jsonb(job) - 'updated_at' = to_jsonb(old_job) - 'updated_at' THEN
      outcome := 'unchanged';
    END IF;
    previous := (SELECT jsonb_object_agg(c.name, to_jsonb(old_job) -> c.name) FROM jsonb_object_keys(changes) AS c (name));
  END IF;
  RETURN NEXT;
END $function$`

/** The same for a caller that acts for one tenant: it finds only jobs of that tenant. A job never changes its tenant. */
const editTenantJob = (schema: string): string => `CREATE FUNCTION ${schema}.edit_tenant_job(
  id uuid, changes jsonb, unchanged_since timestamptz DEFAULT NULL
) RETURNS TABLE (outcome text, previous jsonb, job ${schema}.jobs)
LANGUAGE plpgsql VOLATILE SECURITY DEFINER SET search_path = pg_catalog, pg_temp AS $function$
BEGIN
  RETURN QUERY SELECT e.outcome, e.previous, e.job
    FROM ${schema}.jobs AS j CROSS JOIN LATERAL ${schema}.edit_job(j.id, changes, unchanged_since) AS e
   WHERE j.id = edit_tenant_job.id AND j.tenant_id = ${currentTenant};
END $function$`

/** The name without the quotes of a quoted identifier. Names of schemas contain no quotes. */
function unquote(schema: string): string {
  return schema.replaceAll('"', '')
}
