SELECT e.outcome, e.previous::text AS previous, "e"."id"::text AS "id", "e"."queue" AS "queue",
    "e"."kind" AS "kind", "e"."kind_version"::text AS "kind_version", "e"."tenant_id" AS "tenant_id",
    "e"."key" AS "key", "e"."weight"::text AS "weight", "e"."payload"::text AS "payload", "e"."metadata"::text
    AS "metadata", "e"."status" AS "status", "e"."priority"::text AS "priority", "e"."attempts"::text AS "attempts",
    "e"."max_attempts"::text AS "max_attempts", "e"."timeout_ms"::text AS "timeout_ms", "e"."retry_policy"::text
    AS "retry_policy", "e"."crashes"::text AS "crashes", "e"."last_error" AS "last_error",
    "e"."result"::text AS "result", "e"."progress"::text AS "progress", "e"."progress_message" AS "progress_message",
    (round(date_part('epoch', "e"."run_at") * 1000000::float8)::bigint / 1000)::text AS "run_at",
    (round(date_part('epoch', "e"."expires_at") * 1000000::float8)::bigint / 1000)::text AS "expires_at",
    (round(date_part('epoch', "e"."locked_at") * 1000000::float8)::bigint / 1000)::text AS "locked_at",
    "e"."locked_by" AS "locked_by", "e"."cancel_requested" AS "cancel_requested", "e"."cancel_reason" AS "cancel_reason",
    "e"."idempotency_key" AS "idempotency_key", "e"."unique_key" AS "unique_key", "e"."unique_scope" AS "unique_scope",
    "e"."trace_context" AS "trace_context", array_to_json("e"."sensitive")::text AS "sensitive",
    "e"."open_results" AS "open_results", (round(date_part('epoch', "e"."created_at") * 1000000::float8)::bigint
    / 1000)::text AS "created_at", (round(date_part('epoch', "e"."updated_at") * 1000000::float8)::bigint / 1000)::text
    AS "updated_at", (round(date_part('epoch', "e"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS "stripped_at",
    (round(date_part('epoch', "e"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at"
  FROM "queue"."jobs" AS j
 CROSS JOIN LATERAL (
   SELECT f.outcome, f.previous, (f.job).* FROM "queue"."edit_job"(j.id, $1::jsonb, NULL) AS f
 ) AS e
 WHERE j.id = $2::uuid
