WITH dead_letters AS MATERIALIZED (
  SELECT d.* FROM "outbox"."outbox_dead_letters" AS d WHERE d.id = $1::uuid
   ORDER BY d.dead_lettered_at, d.id LIMIT 1000 FOR UPDATE SKIP LOCKED
), removed_dead_letters AS (
  DELETE FROM "outbox"."outbox_dead_letters" AS d WHERE d.id = ANY(ARRAY(SELECT dead_letters.id FROM dead_letters))
), reborn AS (
  INSERT INTO "outbox"."outbox_messages"
    (id, sequence, lease_token, created_at, topic, key, payload, headers, history, last_error)
  SELECT l.id, l.sequence, l.lease_token, l.created_at, l.topic, l.key, l.payload, l.headers,
      l.history,
         l.last_error
    FROM dead_letters AS l ORDER BY l.sequence
  ON CONFLICT DO NOTHING
  RETURNING *
)
SELECT "r"."id" as "id", "r"."topic" as "topic", "r"."key" as "key", "r"."payload"::text as "payload",
    "r"."headers"::text as "headers", "r"."attempts" as "attempts", "r"."leased_by" as "leased_by",
    (round(date_part('epoch', "r"."next_retry_at") * 1000000::float8)::bigint / 1000) as "next_retry_at",
    (round(date_part('epoch', "r"."delivered_at") * 1000000::float8)::bigint / 1000) as "delivered_at",
    "r"."last_error" as "last_error", (round(date_part('epoch', "r"."created_at") * 1000000::float8)::bigint /
    1000) as "created_at", "r"."history"::text as "history" FROM reborn AS r ORDER BY r.sequence
