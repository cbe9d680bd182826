WITH caller AS MATERIALIZED (
  SELECT $1::text IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = $2::text, false) AS is_inside
), written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "payload", "metadata", "priority",
    "max_attempts", "run_at", "expires_at", created_at, updated_at)
  SELECT "i"."id", $3::text, $4::text, "i"."payload"::jsonb, $5::text::jsonb, $6::smallint,
      $7::integer, i.at, coalesce(to_timestamp($8::float8 / 1000::float8),
         i.at + $9::float8 * interval '1 millisecond'), i.created_at, i.created_at FROM (SELECT unnest($10::uuid[])
             AS "id", unnest($11::text[]) AS "payload", at, greatest(at, to_timestamp($12::float8 / 1000::float8))
             AS created_at FROM caller CROSS JOIN clock_timestamp() AS at WHERE caller.is_inside AND at < to_timestamp($13::float8
             / 1000::float8) + 3600::float8 * interval '1 second' AND at < to_timestamp($14::float8 / 1000::float8))
             AS i RETURNING id, created_at, tenant_id, metadata), described AS (
  INSERT INTO "queue"."job_metadata" (tenant_id, name, value, job_id) SELECT coalesce(g.tenant_id,
      '') AS tenant_id, d.key AS name, left(d.value, 200) AS value,
         g.id::uuid AS job_id
    FROM "written" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d
), notified AS MATERIALIZED (
  SELECT pg_notify($15, notification)
    FROM caller CROSS JOIN unnest($16::text[]) AS notification
   WHERE caller.is_inside
)
SELECT (SELECT (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at FROM
    written LIMIT 1) AS created_at, (SELECT count(*) FROM notified) AS notified
  FROM caller WHERE caller.is_inside
