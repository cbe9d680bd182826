WITH target AS MATERIALIZED (
  SELECT j.* FROM "queue"."tenant_jobs" AS j WHERE j.id = $1::uuid AND "j"."tenant_id" = $2 AND "j"."queue" = ANY($3::text[])
      AND "j"."kind" = ANY($4::text[]) FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "target") AS locked
), changed AS (
  UPDATE "queue"."tenant_jobs" AS j
     SET status = CASE WHEN "j"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
         THEN 'cancelled'::"queue"."job_status" ELSE j.status END,
         finished_at = CASE WHEN "j"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN clock.at ELSE j.finished_at END,
         cancel_requested = true, updated_at = greatest(clock.at, date_trunc('milliseconds',
             j.updated_at) + interval '1 millisecond')
    FROM target CROSS JOIN clock WHERE j.id = target.id AND ("target"."status" IN ('queued'::"queue"."job_status",
        'retrying'::"queue"."job_status")
          OR "target"."status" = 'running'::"queue"."job_status" AND NOT "target"."cancel_requested")
  RETURNING j.*
), noted_left AS (
  INSERT INTO "queue"."tenant_lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT true AS changed, c.lease_token = 0 AS unclaimed, "c"."id"::text AS "id", "c"."queue" AS "queue",
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
SELECT false AS changed, false AS unclaimed, "t"."id"::text AS "id", "t"."queue" AS "queue",
    "t"."kind" AS "kind", "t"."kind_version"::text AS "kind_version", "t"."tenant_id" AS "tenant_id",
    "t"."key" AS "key", "t"."weight"::text AS "weight", "t"."payload"::text AS "payload", "t"."metadata"::text
    AS "metadata", "t"."status" AS "status", "t"."priority"::text AS "priority", "t"."attempts"::text AS "attempts",
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
