WITH before AS MATERIALIZED (
  SELECT q.name, q.paused_at FROM "queue"."queues" AS q WHERE q.name = $1 FOR NO KEY UPDATE
)
UPDATE "queue"."queues" AS q SET paused_at = NULL::timestamptz FROM before WHERE q.name = before.name
RETURNING q.name, (round(date_part('epoch', q.paused_at) * 1000000::float8)::bigint / 1000) AS paused_ms,
          q.paused_at IS DISTINCT FROM before.paused_at AS changed
