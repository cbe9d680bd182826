SELECT c.queue AS name, bool_or(c.registered) AS registered, (round(date_part('epoch', min(c.paused_at)) * 1000000::float8)::bigint
    / 1000) AS paused_at,
       sum(c.queued)::int AS queued, sum(c.retrying)::int AS retrying, sum(c.running)::int AS running,
       sum(c.ready)::int AS ready, sum(c.newly_ready)::int AS newly_ready,
       extract(epoch FROM now() - min(c.oldest_due_at)) AS oldest_ready_seconds,
       max(c.workers)::int AS workers
  FROM (
  SELECT j.tenant_id, j.queue, j.kind, j.queued, j.retrying, j.running, j.ready, j.newly_ready,
      j.oldest_due_at,
         q.name IS NOT NULL AS registered, q.paused_at,
         (SELECT count(*) FROM "queue"."workers" AS w
           WHERE w.state = 'active' AND now() < w.lease_expires_at AND j.queue = ANY(w.queues)) AS workers
    FROM (
      SELECT j.tenant_id, j.queue, j.kind, count(*) FILTER (WHERE j.status = 'queued'::"queue"."job_status") AS
          queued,
             count(*) FILTER (WHERE j.status = 'retrying'::"queue"."job_status") AS retrying,
                 0 AS running,
             count(*) FILTER (WHERE j.run_at <= now()) AS ready,
       count(*) FILTER (WHERE j.run_at <= now() AND j.run_at > now() - interval '5 minutes') AS newly_ready,
           min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest_due_at
        FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
            AND "j"."queue" = ANY($1::text[]) AND "j"."kind" = ANY($2::text[])
       GROUP BY j.tenant_id, j.queue, j.kind
      UNION ALL
      SELECT j.tenant_id, j.queue, j.kind, 0, 0, count(*), 0, 0, NULL
        FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND "j"."queue" = ANY($3::text[]) AND "j"."kind"
            = ANY($4::text[])
       GROUP BY j.tenant_id, j.queue, j.kind
    ) AS j LEFT JOIN "queue"."queues" AS q ON q.name = j.queue
) AS c WHERE c.queue > $5 AND "c"."queue" = ANY($6::text[]) AND "c"."kind" = ANY($7::text[])
 GROUP BY c.queue ORDER BY c.queue LIMIT 51
