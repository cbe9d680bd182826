WITH missing AS MATERIALIZED (
  SELECT w.queue, w.priority, w.share FROM (
    SELECT DISTINCT l.queue, l.priority, l.share FROM "queue"."lanes" AS l
     WHERE NOT l.is_full AND l.share IS NOT NULL AND l.queue = $1
    UNION ALL
    SELECT l.queue, p.priority::smallint, chr(9) FROM "queue"."limits" AS l CROSS JOIN generate_series(0,
        9) AS p (priority)
     WHERE l.scope = 'queue' AND l.fair_by = 'tenant' AND l.queue = $2) AS w
   WHERE NOT EXISTS (
     SELECT FROM "queue"."lane_turns" AS t
      WHERE t.queue = w.queue AND t.priority = w.priority AND t.share = w.share)
), restored AS (
  INSERT INTO "queue"."lane_turns" (queue, priority, share, turn)
  SELECT m.queue, m.priority, m.share, CASE m.share WHEN chr(9) THEN 0 ELSE coalesce((
           SELECT min(t.turn) FROM "queue"."lane_turns" AS t
            WHERE t.queue = m.queue AND t.priority = m.priority AND t.share <> chr(9)), 0) END
    FROM missing AS m ORDER BY m.priority, m.share
  ON CONFLICT DO NOTHING
  RETURNING 1
)
SELECT count(*)::integer AS restored FROM restored
