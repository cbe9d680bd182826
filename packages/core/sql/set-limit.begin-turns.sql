INSERT INTO "queue"."lane_turns" (queue, priority, share, turn)
SELECT DISTINCT l.queue, l.priority, l.share, 0 FROM "queue"."lanes" AS l WHERE l.queue = $1 AND l.share IS NOT
    NULL
