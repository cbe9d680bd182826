WITH seen AS MATERIALIZED (
  SELECT j.status, j.lease_token FROM "queue"."jobs" AS j WHERE j.id = $1::uuid
), locked AS MATERIALIZED (
  SELECT j.* FROM "queue"."jobs" AS j WHERE j.id = $2::uuid FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "locked") AS locked
), target AS MATERIALIZED (
  SELECT t.*, coalesce(t.next_expiry > t.at, true) AS in_time
    FROM (SELECT j.*, clock.at, clock.at + $3::float8 * interval '1 millisecond' AS next_expiry FROM locked AS
        j CROSS JOIN clock) AS t
), changed AS (
  UPDATE "queue"."jobs" AS j
     SET status = 'queued'::"queue"."job_status", attempts = 0, cancel_requested = false, run_at = target.at,
         result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL, updated_at = greatest(target.at,
             date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
         expires_at = target.next_expiry, cancel_reason = NULL, unique_scope = nullif(j.unique_scope,
             'waiting')
    FROM target JOIN seen ON seen.status = target.status AND seen.lease_token = target.lease_token
   WHERE j.id = target.id AND target.status IN ('failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
     AND target.stripped_at IS NULL AND target.in_time AND target.unique_scope IS DISTINCT FROM 'live'
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
), kept AS (
  INSERT INTO "queue"."requeued_jobs" (job_id, tenant_id, requeued_at, job, dead_letter)
  SELECT c.id, c.tenant_id, c.updated_at, jsonb_build_object('status', b."status", 'attempts',
      b."attempts", 'run_at', b."run_at", 'finished_at', b."finished_at", 'expires_at', b."expires_at",
      'cancel_requested', b."cancel_requested", 'cancel_reason', b."cancel_reason", 'unique_scope',
      b."unique_scope", 'result', b."result", 'progress', b."progress", 'progress_message',
      b."progress_message"),
         (SELECT to_jsonb(d) - ARRAY['payload', 'metadata', 'lease_token']
            FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = c.id)
    FROM "changed" AS c JOIN "target" AS b ON b.id = c.id
   ORDER BY c.id
  ON CONFLICT (job_id) DO UPDATE SET (requeued_at, job, dead_letter)
    = ROW (EXCLUDED.requeued_at, EXCLUDED.job, EXCLUDED.dead_letter)
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d USING changed WHERE d.job_id = changed.id
)
SELECT true AS changed, true AS in_time, "c"."id"::text AS "id", "c"."queue" AS "queue", "c"."kind" AS "kind",
    "c"."kind_version"::text AS "kind_version", "c"."tenant_id" AS "tenant_id", "c"."key" AS "key",
    "c"."weight"::text AS "weight", "c"."payload"::text AS "payload", "c"."metadata"::text AS "metadata",
    "c"."status" AS "status", "c"."priority"::text AS "priority", "c"."attempts"::text AS "attempts",
    "c"."max_attempts"::text AS "max_attempts", "c"."timeout_ms"::text AS "timeout_ms", "c"."retry_policy"::text
    AS "retry_policy", "c"."crashes"::text AS "crashes", "c"."last_error" AS "last_error",
    "c"."result"::text AS "result", "c"."progress"::text AS "progress", "c"."progress_message" AS "progress_message",
    (round(date_part('epoch', "c"."run_at") * 1000000::float8)::bigint / 1000)::text AS "run_at",
    (round(date_part('epoch', "c"."expires_at") * 1000000::float8)::bigint / 1000)::text AS "expires_at",
    (round(date_part('epoch', "c"."locked_at") * 1000000::float8)::bigint / 1000)::text AS "locked_at",
    "c"."locked_by" AS "locked_by", "c"."cancel_requested" AS "cancel_requested", "c"."cancel_reason" AS "cancel_reason",
    "c"."idempotency_key" AS "idempotency_key", "c"."unique_key" AS "unique_key", "c"."unique_scope" AS "unique_scope",
    "c"."trace_context" AS "trace_context", array_to_json("c"."sensitive")::text AS "sensitive",
    "c"."open_results" AS "open_results", (round(date_part('epoch', "c"."created_at") * 1000000::float8)::bigint
    / 1000)::text AS "created_at", (round(date_part('epoch', "c"."updated_at") * 1000000::float8)::bigint / 1000)::text
    AS "updated_at", (round(date_part('epoch', "c"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS "stripped_at",
    (round(date_part('epoch', "c"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at" FROM
    changed AS c
UNION ALL
SELECT false AS changed, t.in_time, "t"."id"::text AS "id", "t"."queue" AS "queue", "t"."kind" AS "kind",
    "t"."kind_version"::text AS "kind_version", "t"."tenant_id" AS "tenant_id", "t"."key" AS "key",
    "t"."weight"::text AS "weight", "t"."payload"::text AS "payload", "t"."metadata"::text AS "metadata",
    "t"."status" AS "status", "t"."priority"::text AS "priority", "t"."attempts"::text AS "attempts",
    "t"."max_attempts"::text AS "max_attempts", "t"."timeout_ms"::text AS "timeout_ms", "t"."retry_policy"::text
    AS "retry_policy", "t"."crashes"::text AS "crashes", "t"."last_error" AS "last_error",
    "t"."result"::text AS "result", "t"."progress"::text AS "progress", "t"."progress_message" AS "progress_message",
    (round(date_part('epoch', "t"."run_at") * 1000000::float8)::bigint / 1000)::text AS "run_at",
    (round(date_part('epoch', "t"."expires_at") * 1000000::float8)::bigint / 1000)::text AS "expires_at",
    (round(date_part('epoch', "t"."locked_at") * 1000000::float8)::bigint / 1000)::text AS "locked_at",
    "t"."locked_by" AS "locked_by", "t"."cancel_requested" AS "cancel_requested", "t"."cancel_reason" AS "cancel_reason",
    "t"."idempotency_key" AS "idempotency_key", "t"."unique_key" AS "unique_key", "t"."unique_scope" AS "unique_scope",
    "t"."trace_context" AS "trace_context", array_to_json("t"."sensitive")::text AS "sensitive",
    "t"."open_results" AS "open_results", (round(date_part('epoch', "t"."created_at") * 1000000::float8)::bigint
    / 1000)::text AS "created_at", (round(date_part('epoch', "t"."updated_at") * 1000000::float8)::bigint / 1000)::text
    AS "updated_at", (round(date_part('epoch', "t"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS "stripped_at",
    (round(date_part('epoch', "t"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at" FROM
    target AS t WHERE NOT EXISTS (SELECT FROM changed)
