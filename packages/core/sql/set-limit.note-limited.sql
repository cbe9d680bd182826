UPDATE "queue"."queues" SET limited = EXISTS (
  SELECT FROM "queue"."limits" AS l WHERE l.queue = $1 AND l.scope IN ('queue', 'kind'))
 WHERE name = $2
