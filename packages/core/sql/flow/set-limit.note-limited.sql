UPDATE "queue"."queues" SET limited = EXISTS (
  SELECT FROM "queue"."limits" AS l WHERE l.queue = $1 AND l.scope IN ('queue', 'kind')
     AND num_nonnulls(l.max_running, l.rate_count, l.paused_at, l.fair_by) > 0)
 WHERE name = $2
