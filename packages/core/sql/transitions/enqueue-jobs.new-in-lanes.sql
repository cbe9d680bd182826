WITH written AS (INSERT INTO "queue"."jobs" ("id", "queue", "kind", "key", "payload", "priority",
    "max_attempts", "run_at", created_at, updated_at)
  SELECT "i"."id", $1::text, $2::text, $3::text, "i"."payload"::jsonb, $4::smallint, $5::integer,
      i.at, i.created_at, i.created_at FROM (SELECT unnest($6::uuid[]) AS "id", unnest($7::text[]) AS "payload",
      at, greatest(at, to_timestamp($8::float8 / 1000::float8)) AS created_at FROM clock_timestamp() AS at WHERE
      at < to_timestamp($9::float8 / 1000::float8) + 3600::float8 * interval '1 second') AS i RETURNING id,
      created_at, tenant_id, run_at AS due_at, queue, kind, key, priority), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."due_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "written" AS w WHERE w.key IS NOT NULL
)
SELECT (round(date_part('epoch', created_at) * 1000000::float8)::bigint / 1000)::text AS created_at FROM written
