WITH target AS MATERIALIZED (
  SELECT j.* FROM "queue"."jobs" AS j WHERE j.id = $1::uuid FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "target") AS locked
), changed AS (
  UPDATE "queue"."jobs" AS j SET run_at = clock.at, updated_at = greatest(clock.at, date_trunc('milliseconds',
      j.updated_at) + interval '1 millisecond')
    FROM target CROSS JOIN clock
   WHERE j.id = target.id AND target.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
       AND NOT ("target"."status" = 'queued'::"queue"."job_status" AND coalesce("target"."expires_at" <= clock.at,
       false)) AND target.run_at > clock.at
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT true AS changed, true AS due, false AS expired, "c"."id"::text AS "id", "c"."queue" AS "queue",
    "c"."kind" AS "kind", "c"."kind_version"::text AS "kind_version", "c"."tenant_id" AS "tenant_id",
    "c"."key" AS "key", "c"."weight"::text AS "weight", "c"."payload"::text AS "payload", "c"."metadata"::text
    AS "metadata", "c"."status" AS "status", "c"."priority"::text AS "priority", "c"."attempts"::text AS "attempts",
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
SELECT false AS changed, target.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND
    NOT ("target"."status" = 'queued'::"queue"."job_status" AND coalesce("target"."expires_at" <= clock.at,
    false)) AS due, ("target"."status" = 'queued'::"queue"."job_status" AND coalesce("target"."expires_at" <= clock.at,
    false)) AS expired, "target"."id"::text AS "id", "target"."queue" AS "queue", "target"."kind" AS "kind",
    "target"."kind_version"::text AS "kind_version", "target"."tenant_id" AS "tenant_id", "target"."key" AS "key",
    "target"."weight"::text AS "weight", "target"."payload"::text AS "payload", "target"."metadata"::text AS "metadata",
    "target"."status" AS "status", "target"."priority"::text AS "priority", "target"."attempts"::text AS "attempts",
    "target"."max_attempts"::text AS "max_attempts", "target"."timeout_ms"::text AS "timeout_ms",
    "target"."retry_policy"::text AS "retry_policy", "target"."crashes"::text AS "crashes",
    "target"."last_error" AS "last_error", "target"."result"::text AS "result", "target"."progress"::text AS "progress",
    "target"."progress_message" AS "progress_message", (round(date_part('epoch', "target"."run_at") * 1000000::float8)::bigint
    / 1000)::text AS "run_at", (round(date_part('epoch', "target"."expires_at") * 1000000::float8)::bigint / 1000)::text
    AS "expires_at", (round(date_part('epoch', "target"."locked_at") * 1000000::float8)::bigint / 1000)::text AS
    "locked_at", "target"."locked_by" AS "locked_by", "target"."cancel_requested" AS "cancel_requested",
    "target"."cancel_reason" AS "cancel_reason", "target"."idempotency_key" AS "idempotency_key",
    "target"."unique_key" AS "unique_key", "target"."unique_scope" AS "unique_scope", "target"."trace_context"
    AS "trace_context", array_to_json("target"."sensitive")::text AS "sensitive", "target"."open_results" AS "open_results",
    (round(date_part('epoch', "target"."created_at") * 1000000::float8)::bigint / 1000)::text AS "created_at",
    (round(date_part('epoch', "target"."updated_at") * 1000000::float8)::bigint / 1000)::text AS "updated_at",
    (round(date_part('epoch', "target"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS "stripped_at",
    (round(date_part('epoch', "target"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at"
    FROM target CROSS JOIN clock
 WHERE NOT EXISTS (SELECT FROM changed)
