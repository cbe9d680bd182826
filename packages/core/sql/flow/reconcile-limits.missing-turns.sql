WITH missing AS MATERIALIZED (
  SELECT w.queue, w.priority, w.share FROM (
    SELECT DISTINCT l.queue, l.priority, l.share FROM "queue"."lanes" AS l
     WHERE NOT l.is_full AND l.share IS NOT NULL
    UNION ALL
    SELECT l.queue, p.priority::smallint, chr(9) FROM "queue"."limits" AS l CROSS JOIN generate_series(0,
        9) AS p (priority)
     WHERE l.scope = 'queue' AND l.fair_by = 'tenant') AS w
   WHERE NOT EXISTS (
     SELECT FROM "queue"."lane_turns" AS t
      WHERE t.queue = w.queue AND t.priority = w.priority AND t.share = w.share)
) SELECT DISTINCT m.queue FROM missing AS m ORDER BY m.queue
