WITH written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id",
    "weight", "payload", "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at",
    "idempotency_key", "idempotency_fingerprint", "trace_context") SELECT "i"."id", $1::text,
    $2::text, $3::smallint, $4::text, $5::integer, "i"."payload"::jsonb, $6::smallint, $7::integer,
    $8::integer, $9::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp($10::float8 / 1000),
         statement_timestamp() + $11::float8 * interval '1 millisecond')), $12::text, $13::bytea,
             $14::text FROM unnest($15::uuid[], $16::text[]) AS i ("id", "payload"))
SELECT (date_part('epoch', statement_timestamp()) * 1000)::text AS created_at
