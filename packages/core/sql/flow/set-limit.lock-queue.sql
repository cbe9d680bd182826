SELECT FROM "queue"."queues" AS q WHERE q.name = $1 FOR NO KEY UPDATE
