INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "payload",
    "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
    "idempotency_fingerprint", "trace_context") SELECT "i"."id", "i"."queue", $1::text, $2::smallint,
    $3::text, "i"."payload"::jsonb, $4::smallint, $5::integer, $6::integer, $7::text::jsonb,
    greatest(statement_timestamp(), coalesce(to_timestamp("i"."run_at_ms" / 1000),
         statement_timestamp() + $8::float8 * interval '1 millisecond')), "i"."idempotency_key",
             "i"."idempotency_fingerprint", $9::text FROM unnest($10::uuid[], $11::text[],
             $12::text[], $13::float8[], $14::text[], $15::bytea[]) AS i ("id", "payload",
             "queue", "run_at_ms", "idempotency_key", "idempotency_fingerprint")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at
