WITH caller AS MATERIALIZED (
  SELECT $1::text IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = $2::text, false) AS is_inside
), written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "payload", "priority", "max_attempts",
    "run_at", created_at, updated_at)
  SELECT "i"."id", $3::text, $4::text, "i"."payload"::jsonb, $5::smallint, $6::integer, i.at,
      i.created_at, i.created_at FROM (SELECT unnest($7::uuid[]) AS "id", unnest($8::text[]) AS "payload",
      at, greatest(at, to_timestamp($9::float8 / 1000::float8)) AS created_at FROM caller CROSS JOIN clock_timestamp()
      AS at WHERE caller.is_inside AND at < to_timestamp($10::float8 / 1000::float8) + 3600::float8 * interval
      '1 second') AS i RETURNING created_at), notified AS MATERIALIZED (
  SELECT pg_notify($11, notification)
    FROM caller CROSS JOIN unnest($12::text[]) AS notification
   WHERE caller.is_inside
)
SELECT (SELECT (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at FROM
    written LIMIT 1) AS created_at, (SELECT count(*) FROM notified) AS notified
  FROM caller WHERE caller.is_inside
