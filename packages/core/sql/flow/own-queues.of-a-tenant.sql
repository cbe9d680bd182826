SELECT c.queue AS name, bool_or(c.registered) AS registered, (round(date_part('epoch', min(c.paused_at)) * 1000000::float8)::bigint
    / 1000) AS paused_at,
       sum(c.queued)::int AS queued, sum(c.retrying)::int AS retrying, sum(c.running)::int AS running,
       sum(c.ready)::int AS ready, sum(c.newly_ready)::int AS newly_ready,
       extract(epoch FROM now() - min(c.oldest_due_at)) AS oldest_ready_seconds,
       max(c.workers)::int AS workers
  FROM "queue"."tenant_queues" AS c WHERE c.queue > $1 AND "c"."tenant_id" = $2 AND "c"."queue" = ANY($3::text[])
      AND "c"."kind" = ANY($4::text[])
 GROUP BY c.queue ORDER BY c.queue LIMIT 51
