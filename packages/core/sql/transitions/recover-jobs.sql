WITH lost AS (
  UPDATE "queue"."workers" AS w SET state = 'lost'
    FROM (SELECT x.id FROM "queue"."workers" AS x
           WHERE x.state = 'active' AND x.lease_expires_at < now()
           ORDER BY x.id FOR UPDATE SKIP LOCKED) AS expired
   WHERE w.id = expired.id AND w.state = 'active' AND w.lease_expires_at < now()
  RETURNING w.id
), gone AS (
  SELECT unnest(ARRAY(SELECT w.id FROM "queue"."workers" AS w WHERE w.state <> 'active'
                       UNION ALL SELECT lost.id FROM lost)) AS id
), known AS MATERIALIZED (
  SELECT ARRAY(SELECT w.id FROM "queue"."workers" AS w ORDER BY w.id) AS ids
), gaps AS (
  SELECT gap.low, gap.high FROM known, unnest('{""}' || known.ids, known.ids) AS gap (low,
      high)
), candidates AS MATERIALIZED (
  SELECT orphan.* FROM gone CROSS JOIN LATERAL (
    SELECT j.id, j.lease_token FROM "queue"."jobs" AS j WHERE j.locked_by = gone.id
     ORDER BY j.locked_by, j.locked_at LIMIT 500) AS orphan
  UNION ALL
  SELECT orphan.* FROM gaps CROSS JOIN LATERAL (
    SELECT j.id, j.lease_token FROM "queue"."jobs" AS j WHERE j.locked_by > gaps.low AND j.locked_by < gaps.high
     ORDER BY j.locked_by, j.locked_at LIMIT 500) AS orphan
  UNION ALL
  SELECT orphan.* FROM gaps CROSS JOIN LATERAL (
    SELECT j.id, j.lease_token FROM "queue"."jobs" AS j WHERE j.locked_by > gaps.low
     ORDER BY j.locked_by, j.locked_at LIMIT 500) AS orphan WHERE gaps.high IS NULL
   LIMIT 500
), held AS MATERIALIZED (
  SELECT j.* FROM (SELECT c.* FROM candidates AS c ORDER BY c.id) AS c
   CROSS JOIN LATERAL (
     SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested,
            j.counted, j.locked_by AS worker_id, j.locked_at AS started_at
       FROM "queue"."jobs" AS j
      WHERE j.id = c.id AND j.lease_token = c.lease_token AND j.status = 'running'::"queue"."job_status"
        FOR UPDATE SKIP LOCKED
   ) AS j
), ended AS (
  UPDATE "queue"."jobs" AS j
     SET status = h.next_status,
         run_at = CASE WHEN h.next_status = 'retrying'::"queue"."job_status" THEN statement_timestamp() + random()
             * 5000::float8 * interval '1 millisecond' ELSE j.run_at END,
         finished_at = CASE WHEN h.next_status = 'retrying'::"queue"."job_status" THEN NULL ELSE statement_timestamp()
             END,
         crashes = least(j.crashes + 1, 32767),
         last_error = 'the worker ' || h.worker_id || ' was lost during the attempt', updated_at = greatest(statement_timestamp(),
             date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'), locked_at = NULL,
             locked_by = NULL, counted = NULL
    FROM (SELECT h.*, CASE WHEN h.cancel_requested THEN 'cancelled'::"queue"."job_status" ELSE CASE WHEN h.attempt
        >= h.max_attempts THEN 'failed_permanent'::"queue"."job_status"
         ELSE 'retrying'::"queue"."job_status" END END AS next_status FROM held AS h) AS h
   WHERE j.id = h.id AND j.id = ANY(ARRAY(SELECT held.id FROM held))
  RETURNING h.*, j.status, j.crashes, j.run_at, j.queue, j.kind, j.key, j.tenant_id, j.priority),
      noted AS (
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
    (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error)
  SELECT h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, greatest(statement_timestamp(),
      h.started_at),
         CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'lost' END, 'the worker ' || h.worker_id || ' was lost during the attempt'
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
      j."timeout_ms", j."retry_policy", h.lease_token, h.crashes, coalesce('the worker ' || h.worker_id || ' was lost during the attempt',
      j.last_error), j."idempotency_key", j."idempotency_fingerprint", j."unique_key", j."unique_scope",
      j."trace_context", j."sensitive", j."open_results", j."created_at", NULL::text,
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
                          THEN 'cancelled' ELSE 'lost' END AS outcome, 'the worker ' || h.worker_id || ' was lost during the attempt'
                          AS error,
                      NULL::text AS error_class, NULL::text AS fingerprint) AS x)
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
)
SELECT id, kind, queue, tenant_id AS "tenantId", attempt, worker_id AS "workerId", status,
       (round(date_part('epoch', statement_timestamp()) * 1000000::float8)::bigint / 1000) AS recovered_at FROM
           ended
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, lost.id, NULL, NULL FROM lost
UNION ALL
SELECT NULL, NULL, NULL, NULL, NULL, NULL, NULL, NULL WHERE (SELECT true FROM "queue"."jobs" AS j WHERE j.status
    NOT IN ('running'::"queue"."job_status", 'retrying'::"queue"."job_status", 'succeeded'::"queue"."job_status",
    'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status") AND j.expires_at IS NOT NULL AND
    j.expires_at <= now() ORDER BY j.expires_at LIMIT 1)
