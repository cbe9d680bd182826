INSERT INTO "queue"."jobs" ("id", "queue", "kind", "tenant_id", "payload", "priority", "max_attempts",
    "timeout_ms", "retry_policy", "run_at", "idempotency_key", "idempotency_fingerprint", "trace_context") SELECT
    "i"."id", "i"."queue", $1::text, $2::text, "i"."payload"::jsonb, $3::smallint, $4::integer,
    $5::integer, $6::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp("i"."run_at_ms" / 1000),
         statement_timestamp() + $7::float8 * interval '1 millisecond')), "i"."idempotency_key",
             "i"."idempotency_fingerprint", $8::text FROM unnest($9::uuid[], $10::text[], $11::text[],
             $12::float8[], $13::text[], $14::bytea[]) AS i ("id", "payload", "queue", "run_at_ms",
             "idempotency_key", "idempotency_fingerprint")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at
