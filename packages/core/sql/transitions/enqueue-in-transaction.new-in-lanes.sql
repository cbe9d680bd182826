WITH caller AS MATERIALIZED (
  SELECT $1::text IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = $2::text, false) AS is_inside
), written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "key", "payload", "priority",
    "max_attempts", "run_at", created_at, updated_at)
  SELECT "i"."id", $3::text, $4::text, $5::text, "i"."payload"::jsonb, $6::smallint, $7::integer,
      i.at, i.created_at, i.created_at FROM (SELECT unnest($8::uuid[]) AS "id", unnest($9::text[]) AS "payload",
      at, greatest(at, to_timestamp($10::float8 / 1000::float8)) AS created_at FROM caller CROSS JOIN clock_timestamp()
      AS at WHERE caller.is_inside AND at < to_timestamp($11::float8 / 1000::float8) + 3600::float8 * interval
      '1 second') AS i RETURNING id, created_at, tenant_id, run_at AS due_at, queue, kind,
      key, priority), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."due_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "written" AS w WHERE w.key IS NOT NULL
), notified AS MATERIALIZED (
  SELECT pg_notify($12, notification)
    FROM caller CROSS JOIN unnest($13::text[]) AS notification
   WHERE caller.is_inside
)
SELECT (SELECT (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at FROM
    written LIMIT 1) AS created_at, (SELECT count(*) FROM notified) AS notified
  FROM caller WHERE caller.is_inside
