UPDATE "queue"."lanes" AS l SET is_full = false WHERE l.queue = $1 AND l.is_full
