WITH changed AS (
  UPDATE "queue"."jobs" AS j SET run_at = least(j.run_at, now()), updated_at = now()
   WHERE j.id = $1::uuid AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT "c"."id"::text AS "id", "c"."queue" AS "queue", "c"."kind" AS "kind", "c"."kind_version"::text AS "kind_version",
    "c"."tenant_id" AS "tenant_id", "c"."key" AS "key", "c"."weight"::text AS "weight", "c"."payload"::text AS
    "payload", "c"."metadata"::text AS "metadata", "c"."status" AS "status", "c"."priority"::text AS "priority",
    "c"."attempts"::text AS "attempts", "c"."max_attempts"::text AS "max_attempts", "c"."timeout_ms"::text AS "timeout_ms",
    "c"."retry_policy"::text AS "retry_policy", "c"."crashes"::text AS "crashes", "c"."last_error" AS "last_error",
    "c"."result"::text AS "result", "c"."progress"::text AS "progress", "c"."progress_message" AS "progress_message",
    (date_part('epoch', "c"."run_at") * 1000)::text AS "run_at", (date_part('epoch', "c"."expires_at") * 1000)::text
    AS "expires_at", (date_part('epoch', "c"."locked_at") * 1000)::text AS "locked_at", "c"."locked_by" AS "locked_by",
    "c"."cancel_requested" AS "cancel_requested", "c"."cancel_reason" AS "cancel_reason", "c"."idempotency_key"
    AS "idempotency_key", "c"."unique_key" AS "unique_key", "c"."unique_scope" AS "unique_scope",
    "c"."trace_context" AS "trace_context", (date_part('epoch', "c"."created_at") * 1000)::text AS "created_at",
    (date_part('epoch', "c"."updated_at") * 1000)::text AS "updated_at", (date_part('epoch',
    "c"."stripped_at") * 1000)::text AS "stripped_at", (date_part('epoch', "c"."finished_at") * 1000)::text AS
    "finished_at" FROM changed AS c
