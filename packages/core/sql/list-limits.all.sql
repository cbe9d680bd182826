SELECT "l"."queue", "l"."scope", "l"."name", "l"."max_running", "l"."max_waiting", "l"."rate_count",
    "l"."rate_per_ms", "l"."rate_burst", "l"."on_retry", "l"."fair_by", "l"."weight", (date_part('epoch',
    "l"."paused_at") * 1000) AS paused_ms,
         (date_part('epoch', "l"."created_at") * 1000) AS created_ms, (date_part('epoch', "l"."updated_at") * 1000)
             AS updated_ms,
       CASE WHEN l.max_running IS NOT NULL AND l.scope IN ('queue', 'kind', 'key') THEN (
         SELECT coalesce(max(c.running), 0) FROM "queue"."limit_counters" AS c
          WHERE c.queue = l.queue AND c.scope = l.scope AND c.name = l.name) END AS running
  FROM "queue"."limits" AS l
 ORDER BY l.queue, l.scope, l.name LIMIT 51
