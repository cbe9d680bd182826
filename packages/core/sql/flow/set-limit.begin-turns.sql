INSERT INTO "queue"."lane_turns" (queue, priority, share, turn)
SELECT DISTINCT l.queue, l.priority, l.share, 0 FROM "queue"."lanes" AS l WHERE l.queue = $1 AND l.share IS NOT
    NULL
UNION ALL
SELECT r.queue, p.priority, chr(9), 0 FROM "queue"."limits" AS r CROSS JOIN generate_series(0,
    9) AS p (priority)
 WHERE r.queue = $2 AND r.scope = 'queue' AND r.fair_by = 'tenant'
