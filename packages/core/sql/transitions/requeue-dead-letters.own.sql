WITH dead_letters AS MATERIALIZED (
  SELECT d.* FROM "queue"."tenant_dead_letter_jobs" AS d WHERE d.id = ANY($1::uuid[])
), present AS MATERIALIZED (
  SELECT j.* FROM (SELECT l.job_id, l.lease_token FROM dead_letters AS l ORDER BY l.job_id) AS l
   CROSS JOIN LATERAL (
     SELECT j.* FROM "queue"."tenant_jobs" AS j
      WHERE j.id = l.job_id AND j.lease_token = l.lease_token AND j.stripped_at IS NULL FOR UPDATE
   ) AS j
), revived AS (
  UPDATE "queue"."tenant_jobs" AS j
     SET status = 'queued'::"queue"."job_status", attempts = 0, cancel_requested = false, run_at = statement_timestamp(),
         result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL,
         updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
             expires_at = NULL, cancel_reason = NULL, unique_scope = nullif(j.unique_scope,
             'waiting')
    FROM present AS p
   WHERE j.id = p.id AND j.id = ANY(ARRAY(SELECT present.id FROM present))
     AND p.status = 'failed_permanent'::"queue"."job_status"
  RETURNING j.*
), reborn AS (
  INSERT INTO "queue"."tenant_jobs" (id, "queue", "kind", "kind_version", "tenant_id", "key",
      "weight", "payload", "metadata", "priority", "max_attempts", "timeout_ms", "retry_policy",
      "lease_token", "crashes", "last_error", "idempotency_key", "idempotency_fingerprint",
      "unique_key", "unique_scope", "trace_context", "sensitive", "open_results", "created_at")
  SELECT l.job_id, l."queue", l."kind", l."kind_version", l."tenant_id", l."key", l."weight",
      l."payload", l."metadata", l."priority", l."max_attempts", l."timeout_ms", l."retry_policy",
      l.lease_token + 1, l."crashes", l."last_error", CASE WHEN NOT EXISTS (
SELECT FROM "queue"."tenant_jobs" AS o
 WHERE coalesce(o.tenant_id, '') = coalesce(l.tenant_id, '') AND o.idempotency_key = l.idempotency_key
   AND o.idempotency_key IS NOT NULL) THEN l.idempotency_key END, CASE WHEN NOT EXISTS (
SELECT FROM "queue"."tenant_jobs" AS o
 WHERE coalesce(o.tenant_id, '') = coalesce(l.tenant_id, '') AND o.idempotency_key = l.idempotency_key
   AND o.idempotency_key IS NOT NULL) THEN l.idempotency_fingerprint END, l."unique_key", nullif(l.unique_scope,
       'waiting'), l."trace_context", l."sensitive", l."open_results", l."created_at"
    FROM dead_letters AS l
   WHERE NOT EXISTS (SELECT FROM "queue"."tenant_jobs" AS j WHERE j.id = l.job_id OFFSET 0)
   ORDER BY l.job_id
  ON CONFLICT DO NOTHING
  RETURNING *), described AS (
  INSERT INTO "queue"."tenant_job_metadata" (tenant_id, name, value, job_id) SELECT coalesce(g.tenant_id,
      '') AS tenant_id, d.key AS name, left(d.value, 200) AS value,
         g.id::uuid AS job_id
    FROM "reborn" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d
), lives AS (
  SELECT * FROM revived UNION ALL SELECT * FROM reborn
), noted AS (
  INSERT INTO "queue"."tenant_lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "lives" AS w WHERE w.key IS NOT NULL
), before AS (
  SELECT p.id, p."status", p."attempts", p."run_at", p."finished_at", p."expires_at", p."cancel_requested",
      p."cancel_reason", p."unique_scope", p."result", p."progress", p."progress_message" FROM present AS p
  UNION ALL
  SELECT l.job_id, 'failed_permanent'::"queue"."job_status", l.attempts, statement_timestamp(),
      statement_timestamp(), NULL, false, NULL, l.unique_scope, NULL, NULL, NULL
    FROM dead_letters AS l WHERE l.job_id NOT IN (SELECT p.id FROM present AS p)), kept AS (
  INSERT INTO "queue"."tenant_requeued_jobs" (job_id, tenant_id, requeued_at, job, dead_letter)
  SELECT c.id, c.tenant_id, c.updated_at, jsonb_build_object('status', b."status", 'attempts',
      b."attempts", 'run_at', b."run_at", 'finished_at', b."finished_at", 'expires_at', b."expires_at",
      'cancel_requested', b."cancel_requested", 'cancel_reason', b."cancel_reason", 'unique_scope',
      b."unique_scope", 'result', b."result", 'progress', b."progress", 'progress_message',
      b."progress_message"),
         (SELECT to_jsonb(d) - ARRAY['payload', 'metadata', 'lease_token']
            FROM "queue"."tenant_dead_letter_jobs" AS d WHERE d.job_id = c.id)
    FROM "lives" AS c JOIN "before" AS b ON b.id = c.id
   ORDER BY c.id
  ON CONFLICT (job_id) DO UPDATE SET (requeued_at, job, dead_letter)
    = ROW (EXCLUDED.requeued_at, EXCLUDED.job, EXCLUDED.dead_letter)
), removed_dead_letters AS (
  DELETE FROM "queue"."tenant_dead_letter_jobs" AS d WHERE d.job_id = ANY(ARRAY(SELECT lives.id FROM lives))
)
SELECT "l"."id", "l"."queue", "l"."status", (round(date_part('epoch', "l"."updated_at") * 1000000::float8)::bigint
    / 1000) AS changed_at FROM lives AS l ORDER BY l.id
