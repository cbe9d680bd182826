SELECT "j"."id"::text AS "id", "j"."queue" AS "queue", "j"."kind" AS "kind", "j"."kind_version"::text AS "kind_version",
    "j"."tenant_id" AS "tenant_id", "j"."key" AS "key", "j"."weight"::text AS "weight", "j"."payload"::text AS
    "payload", "j"."metadata"::text AS "metadata", "j"."status" AS "status", "j"."priority"::text AS "priority",
    "j"."attempts"::text AS "attempts", "j"."max_attempts"::text AS "max_attempts", "j"."timeout_ms"::text AS "timeout_ms",
    "j"."retry_policy"::text AS "retry_policy", "j"."crashes"::text AS "crashes", "j"."last_error" AS "last_error",
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
    "queue"."all_jobs" AS j WHERE j.id = $1::uuid
