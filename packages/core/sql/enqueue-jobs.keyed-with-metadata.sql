WITH written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "kind_version", "tenant_id",
    "payload", "metadata", "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at",
    "idempotency_key", "idempotency_fingerprint", "trace_context") SELECT "i"."id", $1::text,
    $2::text, $3::smallint, $4::text, "i"."payload"::jsonb, $5::text::jsonb, $6::smallint,
    $7::integer, $8::integer, $9::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp($10::float8
    / 1000),
         statement_timestamp() + $11::float8 * interval '1 millisecond')), $12::text, $13::bytea,
             $14::text FROM unnest($15::uuid[], $16::text[]) AS i ("id", "payload")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at, tenant_id, metadata),
              described AS (
  INSERT INTO "queue"."job_metadata" (tenant_id, name, value, job_id) SELECT coalesce(g.tenant_id,
      '') AS tenant_id, d.key AS name, left(d.value, 200) AS value,
         g.id::uuid AS job_id
    FROM "written" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d
) SELECT id, run_at, created_at FROM written
