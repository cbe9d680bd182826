INSERT INTO "queue"."tenant_jobs" ("id", "queue", "kind", "tenant_id", "payload", "priority",
    "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key", "idempotency_fingerprint",
    "trace_context") SELECT "i"."id", $1::text, $2::text, $3::text, "i"."payload"::jsonb, $4::smallint,
    $5::integer, $6::integer, $7::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp($8::float8
    / 1000),
         statement_timestamp() + $9::float8 * interval '1 millisecond')), $10::text, $11::bytea,
             $12::text FROM unnest($13::uuid[], $14::text[]) AS i ("id", "payload")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at
