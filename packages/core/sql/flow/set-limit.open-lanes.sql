UPDATE "queue"."lanes" AS l SET is_full = false, turn_at = clock_timestamp() WHERE l.queue = $1 AND l.is_full
