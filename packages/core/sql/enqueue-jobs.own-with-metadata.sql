WITH limits AS MATERIALIZED (
  SELECT set_config('lock_timeout', $1, true)
), written AS (
INSERT INTO "queue"."tenant_jobs" ("id", "queue", "kind", "kind_version", "tenant_id", "payload",
    "metadata", "priority", "max_attempts", "timeout_ms", "retry_policy", "run_at", "idempotency_key",
    "idempotency_fingerprint", "trace_context") SELECT "i"."id", $2::text, $3::text, $4::smallint,
    $5::text, "i"."payload"::jsonb, $6::text::jsonb, $7::smallint, $8::integer, $9::integer,
    $10::text::jsonb, greatest(statement_timestamp(), coalesce(to_timestamp($11::float8 / 1000),
         statement_timestamp() + $12::float8 * interval '1 millisecond')), $13::text, $14::bytea,
             $15::text FROM limits CROSS JOIN unnest($16::uuid[], $17::text[]) AS i ("id",
             "payload")
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (date_part('epoch', run_at) * 1000)::text AS run_at,
          (date_part('epoch', created_at) * 1000)::text AS created_at, tenant_id, metadata),
              described AS (
  INSERT INTO "queue"."tenant_job_metadata" (tenant_id, name, value, job_id) SELECT coalesce(g.tenant_id,
      '') AS tenant_id, d.key AS name, left(d.value, 200) AS value,
         g.id::uuid AS job_id
    FROM "written" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d
) SELECT id, run_at, created_at FROM written
