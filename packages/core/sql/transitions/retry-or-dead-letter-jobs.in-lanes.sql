WITH input AS MATERIALIZED (
  SELECT i.* FROM unnest($1::uuid[], $2::bigint[],
  $3::text[], $4::float8[],
  $5::boolean[],
  $6::text[],
  $7::text[])
  AS i (id, lease_token, error, wait_ms, permanent, error_class, fingerprint) WHERE i.lease_token = i.lease_token
      + 0
), held AS MATERIALIZED (
  SELECT j.* , i."error", i."wait_ms", i."permanent", nullif(i."error_class", '') AS "error_class",
      nullif(i."fingerprint", '') AS "fingerprint"
    FROM input AS i
   CROSS JOIN LATERAL (
     SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested,
         j.run_at,
            j.counted, j.locked_by AS worker_id, j.locked_at AS started_at
       FROM "queue"."jobs" AS j
      WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"
        FOR UPDATE
   ) AS j
), next AS (
  SELECT h.*, CASE WHEN h.cancel_requested THEN 'cancelled'::"queue"."job_status" ELSE CASE WHEN h.permanent OR
      h.attempt >= h.max_attempts THEN 'failed_permanent'::"queue"."job_status"
           ELSE 'retrying'::"queue"."job_status" END END AS next_status, statement_timestamp() + h.wait_ms * interval
               '1 millisecond' AS next_run_at FROM held AS h
), ended AS (
  UPDATE "queue"."jobs" AS j
     SET status = h.next_status,
         attempts = j.attempts + 0,
         run_at = CASE WHEN h.next_status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN h.next_run_at ELSE j.run_at END,
         finished_at = CASE WHEN h.next_status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN NULL ELSE statement_timestamp() END,
         last_error = coalesce(h.error, j.last_error),
         result = NULL,
         updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
             locked_at = NULL, locked_by = NULL, counted = NULL
    FROM next AS h
   WHERE j.id = h.id
  RETURNING h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, h.cancel_requested ,
      h."error", h."wait_ms", h."permanent", h."error_class", h."fingerprint",
            j.status, j.crashes, j.run_at, h.counted, j.queue, j.kind, j.key, j.tenant_id,
                j.priority
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority, counted,
      jobs)
  SELECT statement_timestamp(), c.*, count(*) FROM (
    SELECT h.queue, h.kind, CASE WHEN h.counted & 4 <> 0 THEN h.key END AS key,
           CASE WHEN h.counted & 4 <> 0 THEN coalesce(h.tenant_id, '') ELSE '' END AS tenant_id,
               NULL::smallint, h.counted
      FROM ended AS h WHERE h.counted IS NOT NULL
  ) AS c GROUP BY 2, 3, 4, 5, 6, 7
  UNION ALL
  SELECT DISTINCT h.run_at, h.queue, h.kind, h.key, coalesce(h.tenant_id, ''), h.priority,
      NULL::smallint, 0
    FROM ended AS h
   WHERE h.key IS NOT NULL AND h.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
), history AS (
  INSERT INTO "queue"."job_executions"
    (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error, error_class,
        fingerprint)
  SELECT h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, greatest(statement_timestamp(),
      h.started_at),
         CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'failed' END, h.error, h.error_class,
             h.fingerprint
    FROM ended AS h
), trimmed AS (
  DELETE FROM "queue"."job_executions" AS x USING (
    SELECT h.id, (SELECT e.lease_token FROM "queue"."job_executions" AS e WHERE e.job_id = h.id
                   ORDER BY e.lease_token DESC OFFSET 99 LIMIT 1) AS newest_beyond
      FROM ended AS h WHERE h.lease_token > 100 OFFSET 0
  ) AS long
   WHERE x.job_id = long.id AND x.lease_token <= long.newest_beyond
), dead_lettered AS (
  INSERT INTO "queue"."dead_letter_jobs" AS d ("job_id", "dead_lettered_at", "queue", "kind",
      "kind_version", "tenant_id", "key", "weight", "payload", "metadata", "priority", "attempts",
      "max_attempts", "timeout_ms", "retry_policy", "lease_token", "crashes", "last_error",
      "idempotency_key", "idempotency_fingerprint", "unique_key", "unique_scope", "trace_context",
      "sensitive", "open_results", "created_at", "fingerprint", "execution_history")
  SELECT j.id, statement_timestamp(), j."queue", j."kind", j."kind_version", j."tenant_id",
      j."key", j."weight", j."payload", j."metadata", j."priority", h.attempt, j."max_attempts",
      j."timeout_ms", j."retry_policy", h.lease_token, h.crashes, coalesce(h.error, j.last_error),
      j."idempotency_key", j."idempotency_fingerprint", j."unique_key", j."unique_scope", j."trace_context",
      j."sensitive", j."open_results", j."created_at", h.fingerprint,
         (SELECT coalesce(jsonb_agg(jsonb_build_object('lease_token', x.lease_token, 'attempt',
             x.attempt, 'worker_id', x.worker_id,
             'started_at', x.started_at, 'finished_at', x.finished_at, 'outcome', x.outcome,
                 'error', x.error,
             'error_class', x.error_class, 'fingerprint', x.fingerprint) ORDER BY x.lease_token),
                 '[]')
            FROM (SELECT * FROM "queue"."job_executions" AS e WHERE e.job_id = h.id
                   ORDER BY e.lease_token DESC LIMIT 99) AS x)
           || (SELECT jsonb_build_object('lease_token', x.lease_token, 'attempt', x.attempt,
               'worker_id', x.worker_id,
             'started_at', x.started_at, 'finished_at', x.finished_at, 'outcome', x.outcome,
                 'error', x.error,
             'error_class', x.error_class, 'fingerprint', x.fingerprint) FROM (SELECT h.lease_token,
                 h.attempt, h.worker_id, h.started_at,
                      greatest(statement_timestamp(), h.started_at) AS finished_at, CASE WHEN h.cancel_requested
                          THEN 'cancelled' ELSE 'failed' END AS outcome, h.error AS error,
                      h.error_class AS error_class, h.fingerprint AS fingerprint) AS x)
    FROM ended AS h JOIN "queue"."jobs" AS j ON j.id = h.id
   WHERE h.status = 'failed_permanent'::"queue"."job_status"
   ORDER BY h.id
  ON CONFLICT (job_id) DO UPDATE SET
    ("job_id", "dead_lettered_at", "queue", "kind", "kind_version", "tenant_id", "key", "weight",
        "payload", "metadata", "priority", "attempts", "max_attempts", "timeout_ms", "retry_policy",
        "lease_token", "crashes", "last_error", "idempotency_key", "idempotency_fingerprint",
        "unique_key", "unique_scope", "trace_context", "sensitive", "open_results", "created_at",
        "fingerprint", "execution_history") = ROW (EXCLUDED."job_id", EXCLUDED."dead_lettered_at",
        EXCLUDED."queue", EXCLUDED."kind", EXCLUDED."kind_version", EXCLUDED."tenant_id", EXCLUDED."key",
        EXCLUDED."weight", EXCLUDED."payload", EXCLUDED."metadata", EXCLUDED."priority", EXCLUDED."attempts",
        EXCLUDED."max_attempts", EXCLUDED."timeout_ms", EXCLUDED."retry_policy", EXCLUDED."lease_token",
        EXCLUDED."crashes", EXCLUDED."last_error", EXCLUDED."idempotency_key", EXCLUDED."idempotency_fingerprint",
        EXCLUDED."unique_key", EXCLUDED."unique_scope", EXCLUDED."trace_context", EXCLUDED."sensitive",
        EXCLUDED."open_results", EXCLUDED."created_at", EXCLUDED."fingerprint", EXCLUDED."execution_history")
), failures AS MATERIALIZED (
  SELECT coalesce(j.tenant_id, '') AS tenant_id, j.queue, h.fingerprint, j.kind, h.error_class,
      h.error, h.id, w.version
    FROM ended AS h JOIN "queue"."jobs" AS j ON j.id = h.id LEFT JOIN "queue"."workers" AS w ON w.id = h.worker_id
   WHERE h.fingerprint IS NOT NULL AND NOT h.cancel_requested
), counted AS (
  INSERT INTO "queue"."job_errors" AS e (tenant_id, queue, fingerprint, kind, error_class,
      count, first_seen_at,
         last_seen_at, first_version, worker_versions, day_versions, sampled_at, sample_job_id,
             sample_error)
  SELECT f.tenant_id, f.queue, f.fingerprint, f.kind, f.error_class, f.count, statement_timestamp(),
         statement_timestamp(), f.first_version, f.versions, f.versions, statement_timestamp(),
             f.job_id, f.error
    FROM (SELECT tenant_id, queue, fingerprint, min(kind) AS kind, min(error_class) AS error_class,
        count(*) AS count,
                 (array_agg(version ORDER BY id))[1] AS first_version,
                 (coalesce(array_agg(DISTINCT version) FILTER (WHERE version IS NOT NULL),
                     '{}'))[1:10] AS versions,
                 (array_agg(id ORDER BY id))[1] AS job_id, (array_agg(error ORDER BY id))[1] AS error
            FROM failures GROUP BY 1, 2, 3) AS f
   ORDER BY f.tenant_id, f.queue, f.fingerprint
  ON CONFLICT (tenant_id, queue, fingerprint) DO UPDATE SET
    count = e.count + EXCLUDED.count, last_seen_at = greatest(e.last_seen_at, EXCLUDED.last_seen_at),
    worker_versions = CASE WHEN e.worker_versions @> EXCLUDED.worker_versions THEN e.worker_versions
      ELSE ("excluded"."worker_versions" || ARRAY(SELECT v FROM unnest("e"."worker_versions") AS v WHERE v <> ALL("excluded"."worker_versions")))[1:10]
          END,
    day_versions = CASE WHEN date_trunc('day', "e"."last_seen_at", 'UTC') < date_trunc('day',
        "excluded"."last_seen_at", 'UTC') THEN EXCLUDED.day_versions
      WHEN e.day_versions @> EXCLUDED.day_versions THEN e.day_versions
      ELSE ("e"."day_versions" || ARRAY(SELECT v FROM unnest("excluded"."day_versions") AS v WHERE v <> ALL("e"."day_versions")))[1:10]
          END,
    "sample_job_id" = CASE WHEN e.sampled_at < EXCLUDED.sampled_at - interval '1 hour'
                      THEN EXCLUDED."sample_job_id" ELSE e."sample_job_id" END, "sample_error" = CASE WHEN e.sampled_at
                          < EXCLUDED.sampled_at - interval '1 hour'
                      THEN EXCLUDED."sample_error" ELSE e."sample_error" END, "sampled_at" = CASE WHEN e.sampled_at
                          < EXCLUDED.sampled_at - interval '1 hour'
                      THEN EXCLUDED."sampled_at" ELSE e."sampled_at" END
  RETURNING id, tenant_id, queue, fingerprint, last_seen_at, day_versions
), counted_by_hour AS (
  INSERT INTO "queue"."job_error_days" AS d (error_id, day, version, tenant_id, count, hours)
  SELECT s.id, s.day, s.version, s.tenant_id, s.count,
         array_fill(0, ARRAY[s.hour]) || s.count::integer || array_fill(0, ARRAY[23 - s.hour])
    FROM (SELECT c.id, c.tenant_id, date_trunc('day', "c"."last_seen_at", 'UTC') AS day,
                 extract(hour FROM c.last_seen_at AT TIME ZONE 'UTC')::integer AS hour,
                 CASE WHEN f.version = ANY(c.day_versions) THEN f.version ELSE '' END AS version,
                     count(*) AS count
            FROM counted AS c FULL JOIN failures AS f USING (tenant_id, queue, fingerprint)
           GROUP BY 1, 2, 3, 4, 5) AS s
  ON CONFLICT (error_id, day, version) DO UPDATE SET count = d.count + EXCLUDED.count,
    hours = ARRAY(SELECT h.before + h.added FROM unnest(d.hours, EXCLUDED.hours) AS h (before,
        added))
)
SELECT id, lease_token::text AS lease_token, status FROM ended
 WHERE status <> 'retrying'::"queue"."job_status"
UNION ALL
SELECT i.id, i.lease_token::text, NULL FROM input AS i
 WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)
