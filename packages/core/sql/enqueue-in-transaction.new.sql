WITH caller AS MATERIALIZED (
  SELECT $1::text IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = $2::text, false) AS is_inside
), written AS (
  INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "payload",
      "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
      "idempotency_fingerprint", "trace_context")
  SELECT "i"."id", $3::text, $4::text, $5::smallint, $6::text, "i"."payload"::jsonb, $7::smallint,
      $8::integer, $9::integer, $10::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp($11::float8
      / 1000),
         statement_timestamp() + $12::float8 * interval '1 millisecond')), $13::text, $14::bytea,
             $15::text FROM caller CROSS JOIN unnest($16::uuid[], $17::text[]) AS i ("id",
             "payload") WHERE caller.is_inside), notified AS MATERIALIZED (
  SELECT pg_notify($18, notification)
    FROM caller CROSS JOIN unnest($19::text[]) AS notification
   WHERE caller.is_inside
)
SELECT (date_part('epoch', statement_timestamp()) * 1000)::text AS created_at, (SELECT count(*) FROM notified)
    AS notified
  FROM caller WHERE caller.is_inside
