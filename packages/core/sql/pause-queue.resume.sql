UPDATE "queue"."queues" SET paused_at = NULL WHERE name = $1
RETURNING name, (date_part('epoch', paused_at) * 1000) AS paused_at
