INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "payload",
    "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
    "idempotency_fingerprint", "unique_key", "unique_scope", "trace_context") SELECT "i"."id",
    $1::text, $2::text, $3::smallint, $4::text, "i"."payload"::jsonb, $5::smallint, $6::integer,
    $7::integer, $8::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp($9::float8 / 1000),
         statement_timestamp() + $10::float8 * interval '1 millisecond')), $11::text, $12::bytea,
             $13::text, $14::text, $15::text FROM unnest($16::uuid[], $17::text[]) AS i ("id",
             "payload")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at
