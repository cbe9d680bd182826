WITH input AS MATERIALIZED (
  SELECT i.* FROM unnest($1::uuid[], $2::bigint[],
  $3::text[], $4::text[])
  AS i (id, lease_token, result, note) WHERE i.lease_token = i.lease_token + 0
), archive AS MATERIALIZED (
  SELECT (lpad(to_hex(greatest(0, (extract(epoch FROM date_trunc('day', statement_timestamp() - interval '24 hours',
      'UTC')) * 1000::numeric)::bigint)), 12, '0') || '70008000000000000000')::uuid AS from_id,
         (SELECT d.below_id FROM "queue"."ended_days" AS d ORDER BY d.day DESC LIMIT 1) AS below_id
), ended AS (
  DELETE FROM "queue"."jobs" AS j USING input AS i
   WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"
     AND j.key IS NULL AND j.counted IS NULL AND NOT ("j".idempotency_key IS NOT NULL OR "j".unique_key IS NOT
         NULL
          OR pg_column_size("j".payload) > 512)
     AND j.id >= (SELECT archive.from_id FROM archive) AND j.id < (SELECT archive.below_id FROM archive)
  RETURNING j.*, i.result AS new_result, i.note
), archived AS (
  INSERT INTO "queue"."ended_jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "key",
      "weight", "payload", "metadata", "priority", "attempts", "max_attempts", "timeout_ms",
      "retry_policy", "lease_token", "crashes", "last_error", "result", "progress", "progress_message",
      "run_at", "expires_at", "started_at", "worker_id", "cancel_requested", "trace_context",
      "sensitive", "open_results", "created_at", "updated_at", "finished_at") SELECT "e"."id",
      "e"."queue", "e"."kind", "e"."kind_version", "e"."tenant_id", "e"."key", "e"."weight",
      "e"."payload", "e"."metadata", "e"."priority", "e"."attempts", "e"."max_attempts", "e"."timeout_ms",
      "e"."retry_policy", "e"."lease_token", "e"."crashes", coalesce(nullif(e.note, ''), e.last_error),
      nullif(e.new_result, '')::jsonb, "e"."progress", "e"."progress_message", "e"."run_at",
      "e"."expires_at", e.locked_at, e.locked_by, "e"."cancel_requested", "e"."trace_context",
      "e"."sensitive", "e"."open_results", "e"."created_at", greatest(statement_timestamp(),
      date_trunc('milliseconds', e.updated_at) + interval '1 millisecond'), statement_timestamp() FROM ended AS
      e
)
SELECT i.id, i.lease_token::text AS lease_token, NULL::"queue"."job_status" AS status FROM input AS i
 WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)
