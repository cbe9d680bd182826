WITH clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at
), written AS (
  INSERT INTO "queue"."jobs" ("id", "queue", "kind", "payload", "priority", "max_attempts",
      "run_at", "idempotency_key", "idempotency_fingerprint", created_at, updated_at)
  SELECT "i"."id", "i"."queue", $1::text, "i"."payload"::jsonb, $2::smallint, $3::integer,
      greatest(i.at, coalesce(to_timestamp("i"."run_at_ms" / 1000::float8),
         i.at + $4::float8 * interval '1 millisecond')), "i"."idempotency_key", "i"."idempotency_fingerprint",
             i.created_at, i.created_at FROM (SELECT unnest($5::uuid[]) AS "id", unnest($6::text[]) AS "payload",
             unnest($7::text[]) AS "queue", nullif(unnest($8::float8[]), 'NaN') AS "run_at_ms",
             nullif(unnest($9::text[]), '') AS "idempotency_key", nullif(unnest($10::bytea[]),
             '') AS "idempotency_fingerprint", at, greatest(at, to_timestamp($11::float8 / 1000::float8)) AS created_at
             FROM clock WHERE at < to_timestamp($12::float8 / 1000::float8) + 3600::float8 * interval '1 second')
             AS i
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (round(date_part('epoch', run_at) * 1000000::float8)::bigint / 1000)::text AS run_at,
          (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at
)
SELECT w.id, w.run_at, coalesce(w.created_at, CASE WHEN at < to_timestamp($13::float8 / 1000::float8) + 3600::float8
    * interval '1 second' THEN '' END) AS created_at FROM clock LEFT JOIN written AS w ON true
