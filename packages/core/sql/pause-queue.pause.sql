UPDATE "queue"."queues" SET paused_at = coalesce(paused_at, now()) WHERE name = $1
RETURNING name, (date_part('epoch', paused_at) * 1000) AS paused_at
