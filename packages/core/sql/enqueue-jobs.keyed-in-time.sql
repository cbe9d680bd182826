WITH limits AS MATERIALIZED (
  SELECT set_config('lock_timeout', $1, true)
)
INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "payload",
    "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
    "idempotency_fingerprint", "trace_context") SELECT "i"."id", $2::text, $3::text, $4::smallint,
    $5::text, "i"."payload"::jsonb, $6::smallint, $7::integer, $8::integer, $9::text::jsonb,
    greatest(statement_timestamp(), coalesce(to_timestamp($10::float8 / 1000),
         statement_timestamp() + $11::float8 * interval '1 millisecond')), $12::text, $13::bytea,
             $14::text FROM limits CROSS JOIN unnest($15::uuid[], $16::text[]) AS i ("id",
             "payload")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at
