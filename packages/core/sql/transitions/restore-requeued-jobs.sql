WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status = 'queued'::"queue"."job_status"
AND (j.id, date_trunc('milliseconds', j.updated_at)) IN (
  SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8) FROM unnest($2::uuid[], $3::float8[]) AS g (id,
      changed_at_ms))
AND EXISTS (SELECT FROM "queue"."requeued_jobs" AS k WHERE k.job_id = j.id AND k.requeued_at = j.updated_at)
   ORDER BY j.id FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "target") AS locked
), kept AS MATERIALIZED (
  SELECT k.job_id, k.job, k.dead_letter FROM "queue"."requeued_jobs" AS k WHERE k.job_id = ANY(ARRAY(SELECT target.id
      FROM target))
), changed AS (
  UPDATE "queue"."jobs" AS j
     SET "status" = b."status", "attempts" = b."attempts", "run_at" = b."run_at", "finished_at" = b."finished_at",
         "expires_at" = b."expires_at", "cancel_requested" = b."cancel_requested", "cancel_reason" = b."cancel_reason",
         "unique_scope" = b."unique_scope", "result" = b."result", "progress" = b."progress",
         "progress_message" = b."progress_message", updated_at = greatest(clock.at, date_trunc('milliseconds',
         j.updated_at) + interval '1 millisecond')
    FROM clock CROSS JOIN kept AS k CROSS JOIN LATERAL jsonb_populate_record(NULL::"queue"."jobs",
        k.job) AS b
   WHERE j.id = k.job_id AND j.id = ANY(ARRAY(SELECT target.id FROM target))
  RETURNING j.*
), noted_left AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
), restored_dead_letters AS (
  INSERT INTO "queue"."dead_letter_jobs" ("id", "job_id", "queue", "kind", "kind_version",
      "tenant_id", "key", "weight", "payload", "metadata", "priority", "attempts", "max_attempts",
      "timeout_ms", "retry_policy", "lease_token", "crashes", "last_error", "idempotency_key",
      "idempotency_fingerprint", "unique_key", "unique_scope", "trace_context", "sensitive",
      "open_results", "created_at", "dead_lettered_at", "fingerprint", "execution_history")
  SELECT "d"."id", "d"."job_id", "d"."queue", "d"."kind", "d"."kind_version", "d"."tenant_id",
      "d"."key", "d"."weight", "c"."payload", "c"."metadata", "d"."priority", "d"."attempts",
      "d"."max_attempts", "d"."timeout_ms", "d"."retry_policy", "c"."lease_token", "d"."crashes",
      "d"."last_error", "d"."idempotency_key", "d"."idempotency_fingerprint", "d"."unique_key",
      "d"."unique_scope", "d"."trace_context", "d"."sensitive", "d"."open_results", "d"."created_at",
      "d"."dead_lettered_at", "d"."fingerprint", "d"."execution_history"
    FROM changed AS c JOIN kept AS k ON k.job_id = c.id
   CROSS JOIN LATERAL jsonb_populate_record(NULL::"queue"."dead_letter_jobs", k.dead_letter) AS d
   WHERE k.dead_letter IS NOT NULL
), used AS (
  DELETE FROM "queue"."requeued_jobs" AS k WHERE k.job_id = ANY(ARRAY(SELECT changed.id FROM changed))
)
SELECT c.id, c.queue, c.status FROM changed AS c ORDER BY c.id
