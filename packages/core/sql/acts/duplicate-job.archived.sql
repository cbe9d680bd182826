WITH original AS MATERIALIZED (
  SELECT j.* FROM "queue"."all_jobs" AS j WHERE j.id = $1::uuid AND j.status = 'succeeded'::"queue"."job_status"
), clock AS MATERIALIZED (
  SELECT at, greatest(at, to_timestamp($2::float8 / 1000::float8)) AS created_at FROM (SELECT clock_timestamp()
      AS at FROM (SELECT count(*) FROM original) AS locked) AS n
   WHERE at < to_timestamp($3::float8 / 1000::float8) + 3600::float8 * interval '1 second'
), made AS (
  INSERT INTO "queue"."jobs" AS n (id, "queue", "kind", "kind_version", "tenant_id", "key",
      "weight", "payload", "metadata", "priority", "max_attempts", "timeout_ms", "retry_policy",
      "expires_at", "sensitive", "open_results", run_at, created_at, updated_at)
  SELECT $4::uuid, "j"."queue", "j"."kind", "j"."kind_version", "j"."tenant_id", "j"."key",
      "j"."weight", "j"."payload", "j"."metadata", "j"."priority", "j"."max_attempts", "j"."timeout_ms",
      "j"."retry_policy", CASE WHEN j.expires_at > clock.at THEN j.expires_at END, "j"."sensitive",
      "j"."open_results", clock.at, clock.created_at, clock.created_at
    FROM clock CROSS JOIN original AS j WHERE j.stripped_at IS NULL
  RETURNING n.*
), described AS (
  INSERT INTO "queue"."job_metadata" (tenant_id, name, value, job_id) SELECT coalesce(g.tenant_id,
      '') AS tenant_id, d.key AS name, left(d.value, 200) AS value,
         g.id::uuid AS job_id
    FROM "made" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "made" AS w WHERE w.key IS NOT NULL
)
SELECT true AS made, "m"."id"::text AS "id", "m"."queue" AS "queue", "m"."kind" AS "kind",
    "m"."kind_version"::text AS "kind_version", "m"."tenant_id" AS "tenant_id", "m"."key" AS "key",
    "m"."weight"::text AS "weight", "m"."payload"::text AS "payload", "m"."metadata"::text AS "metadata",
    "m"."status" AS "status", "m"."priority"::text AS "priority", "m"."attempts"::text AS "attempts",
    "m"."max_attempts"::text AS "max_attempts", "m"."timeout_ms"::text AS "timeout_ms", "m"."retry_policy"::text
    AS "retry_policy", "m"."crashes"::text AS "crashes", "m"."last_error" AS "last_error",
    "m"."result"::text AS "result", "m"."progress"::text AS "progress", "m"."progress_message" AS "progress_message",
    (round(date_part('epoch', "m"."run_at") * 1000000::float8)::bigint / 1000)::text AS "run_at",
    (round(date_part('epoch', "m"."expires_at") * 1000000::float8)::bigint / 1000)::text AS "expires_at",
    (round(date_part('epoch', "m"."locked_at") * 1000000::float8)::bigint / 1000)::text AS "locked_at",
    "m"."locked_by" AS "locked_by", "m"."cancel_requested" AS "cancel_requested", "m"."cancel_reason" AS "cancel_reason",
    "m"."idempotency_key" AS "idempotency_key", "m"."unique_key" AS "unique_key", "m"."unique_scope" AS "unique_scope",
    "m"."trace_context" AS "trace_context", array_to_json("m"."sensitive")::text AS "sensitive",
    "m"."open_results" AS "open_results", (round(date_part('epoch', "m"."created_at") * 1000000::float8)::bigint
    / 1000)::text AS "created_at", (round(date_part('epoch', "m"."updated_at") * 1000000::float8)::bigint / 1000)::text
    AS "updated_at", (round(date_part('epoch', "m"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS "stripped_at",
    (round(date_part('epoch', "m"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at" FROM
    made AS m
UNION ALL
SELECT false AS made, "j"."id"::text AS "id", "j"."queue" AS "queue", "j"."kind" AS "kind",
    "j"."kind_version"::text AS "kind_version", "j"."tenant_id" AS "tenant_id", "j"."key" AS "key",
    "j"."weight"::text AS "weight", "j"."payload"::text AS "payload", "j"."metadata"::text AS "metadata",
    "j"."status" AS "status", "j"."priority"::text AS "priority", "j"."attempts"::text AS "attempts",
    "j"."max_attempts"::text AS "max_attempts", "j"."timeout_ms"::text AS "timeout_ms", "j"."retry_policy"::text
    AS "retry_policy", "j"."crashes"::text AS "crashes", "j"."last_error" AS "last_error",
    "j"."result"::text AS "result", "j"."progress"::text AS "progress", "j"."progress_message" AS "progress_message",
    (round(date_part('epoch', "j"."run_at") * 1000000::float8)::bigint / 1000)::text AS "run_at",
    (round(date_part('epoch', "j"."expires_at") * 1000000::float8)::bigint / 1000)::text AS "expires_at",
    (round(date_part('epoch', "j"."locked_at") * 1000000::float8)::bigint / 1000)::text AS "locked_at",
    "j"."locked_by" AS "locked_by", "j"."cancel_requested" AS "cancel_requested", "j"."cancel_reason" AS "cancel_reason",
    "j"."idempotency_key" AS "idempotency_key", "j"."unique_key" AS "unique_key", "j"."unique_scope" AS "unique_scope",
    "j"."trace_context" AS "trace_context", array_to_json("j"."sensitive")::text AS "sensitive",
    "j"."open_results" AS "open_results", (round(date_part('epoch', "j"."created_at") * 1000000::float8)::bigint
    / 1000)::text AS "created_at", (round(date_part('epoch', "j"."updated_at") * 1000000::float8)::bigint / 1000)::text
    AS "updated_at", (round(date_part('epoch', "j"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS "stripped_at",
    (round(date_part('epoch', "j"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at" FROM
    original AS j WHERE NOT EXISTS (SELECT FROM made)
