SELECT d.id, d.job_id, d.fingerprint, "d"."queue" AS "queue", "d"."kind" AS "kind", "d"."kind_version"::text AS
    "kind_version", "d"."tenant_id" AS "tenant_id", "d"."key" AS "key", "d"."weight"::text AS "weight",
    "d"."payload"::text AS "payload", "d"."metadata"::text AS "metadata", "d"."priority"::text AS "priority",
    "d"."attempts"::text AS "attempts", "d"."max_attempts"::text AS "max_attempts", "d"."crashes"::text AS "crashes",
    "d"."last_error" AS "last_error", "d"."idempotency_key" AS "idempotency_key", array_to_json("d"."sensitive")::text
    AS "sensitive", (round(date_part('epoch', "d"."created_at") * 1000000::float8)::bigint / 1000)::text AS "created_at",
    d.execution_history::text AS execution_history,
(round(date_part('epoch', d.dead_lettered_at) * 1000000::float8)::bigint / 1000) AS dead_lettered_at,
    to_char(d.dead_lettered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || d.id AS position
    FROM "queue"."tenant_dead_letter_jobs" AS d WHERE d.id = $1::uuid AND "d"."tenant_id" = $2 AND "d"."queue"
    = ANY($3::text[]) AND "d"."kind" = ANY($4::text[])
