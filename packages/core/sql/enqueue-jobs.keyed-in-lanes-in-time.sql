WITH limits AS MATERIALIZED (
  SELECT set_config('lock_timeout', $1, true)
), written AS (
INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "key", "payload",
    "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
    "idempotency_fingerprint", "trace_context") SELECT "i"."id", $2::text, $3::text, $4::smallint,
    $5::text, $6::text, "i"."payload"::jsonb, $7::smallint, $8::integer, $9::integer, $10::text::jsonb,
    greatest(statement_timestamp(), coalesce(to_timestamp($11::float8 / 1000),
         statement_timestamp() + $12::float8 * interval '1 millisecond')), $13::text, $14::bytea,
             $15::text FROM limits CROSS JOIN unnest($16::uuid[], $17::text[]) AS i ("id",
             "payload")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at, tenant_id, run_at AS due_at,
              queue, kind, key, priority), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."due_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "written" AS w WHERE w.key IS NOT NULL
) SELECT id, run_at, created_at FROM written
