DELETE FROM "queue"."lane_turns" AS t WHERE t.queue = $1
