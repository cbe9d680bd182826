WITH clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at
), written AS (
  INSERT INTO "queue"."jobs" ("id", "queue", "kind", "payload", "priority", "max_attempts",
      "run_at", "unique_key", "unique_scope", created_at, updated_at)
  SELECT "i"."id", $1::text, $2::text, "i"."payload"::jsonb, $3::smallint, $4::integer, i.at,
      $5::text, $6::text, i.created_at, i.created_at FROM (SELECT unnest($7::uuid[]) AS "id",
      unnest($8::text[]) AS "payload", at, greatest(at, to_timestamp($9::float8 / 1000::float8)) AS created_at
      FROM clock WHERE at < to_timestamp($10::float8 / 1000::float8) + 3600::float8 * interval '1 second') AS i
ON CONFLICT DO NOTHING
RETURNING id::text AS id, (round(date_part('epoch', run_at) * 1000000::float8)::bigint / 1000)::text AS run_at,
          (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at
)
SELECT w.id, w.run_at, coalesce(w.created_at, CASE WHEN at < to_timestamp($11::float8 / 1000::float8) + 3600::float8
    * interval '1 second' THEN '' END) AS created_at FROM clock LEFT JOIN written AS w ON true
