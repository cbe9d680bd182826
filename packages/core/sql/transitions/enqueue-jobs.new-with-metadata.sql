WITH written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "payload", "metadata",
    "priority", "max_attempts", "run_at", "expires_at", created_at, updated_at)
  SELECT "i"."id", $1::text, $2::text, "i"."payload"::jsonb, $3::text::jsonb, $4::smallint,
      $5::integer, i.at, coalesce(to_timestamp($6::float8 / 1000::float8),
         i.at + $7::float8 * interval '1 millisecond'), i.created_at, i.created_at FROM (SELECT unnest($8::uuid[])
             AS "id", unnest($9::text[]) AS "payload", at, greatest(at, to_timestamp($10::float8 / 1000::float8))
             AS created_at FROM clock_timestamp() AS at WHERE at < to_timestamp($11::float8 / 1000::float8) + 3600::float8
             * interval '1 second' AND at < to_timestamp($12::float8 / 1000::float8)) AS i RETURNING id,
             created_at, tenant_id, metadata), described AS (
  INSERT INTO "queue"."job_metadata" (tenant_id, name, value, job_id) SELECT coalesce(g.tenant_id,
      '') AS tenant_id, d.key AS name, left(d.value, 200) AS value,
         g.id::uuid AS job_id
    FROM "written" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d
)
SELECT (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at FROM written
