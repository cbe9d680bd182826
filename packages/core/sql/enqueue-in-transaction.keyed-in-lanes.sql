WITH caller AS MATERIALIZED (
  SELECT $1::text IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = $2::text, false) AS is_inside
), written AS (
  INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "key", "payload",
      "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
      "idempotency_fingerprint", "trace_context")
  SELECT "i"."id", $3::text, $4::text, $5::smallint, $6::text, $7::text, "i"."payload"::jsonb,
      $8::smallint, $9::integer, $10::integer, $11::text::jsonb, greatest(statement_timestamp(),
      coalesce(to_timestamp($12::float8 / 1000),
         statement_timestamp() + $13::float8 * interval '1 millisecond')), $14::text, $15::bytea,
             $16::text FROM caller CROSS JOIN unnest($17::uuid[], $18::text[]) AS i ("id",
             "payload") WHERE caller.is_inside
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at, tenant_id, run_at AS due_at,
              queue, kind, key, priority
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."due_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "written" AS w WHERE w.key IS NOT NULL
), notified AS MATERIALIZED (
  SELECT pg_notify($19, notification)
    FROM caller CROSS JOIN unnest($20::text[]) AS notification
   WHERE caller.is_inside
)
SELECT w.id, w.run_at, w.created_at, (SELECT count(*) FROM notified) AS notified
  FROM caller LEFT JOIN written AS w ON true WHERE caller.is_inside
