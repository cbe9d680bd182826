WITH live AS (
  SELECT j.queue, count(*) FILTER (WHERE j.status = 'queued'::"queue"."job_status") AS queued,
         count(*) FILTER (WHERE j.status = 'retrying'::"queue"."job_status") AS retrying, 0 AS running,
         count(*) FILTER (WHERE j.run_at <= now()) AS ready,
         count(*) FILTER (WHERE j.run_at <= now() AND j.run_at > now() - interval '5 minutes') AS newly_ready,
             min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest
    FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
        GROUP BY j.queue
  UNION ALL
  SELECT j.queue, 0, 0, count(*), 0, 0, NULL
    FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL GROUP BY j.queue
  UNION ALL
  SELECT q.name, 0, 0, 0, 0, 0, NULL FROM "queue"."queues" AS q
)
SELECT l.queue AS name, count(q.name) > 0 AS registered, (round(date_part('epoch', min(q.paused_at)) * 1000000::float8)::bigint
    / 1000) AS paused_at, sum(l.queued)::int AS queued,
       sum(l.retrying)::int AS retrying, sum(l.running)::int AS running,
       sum(l.ready)::int AS ready, sum(l.newly_ready)::int AS newly_ready,
       extract(epoch FROM now() - min(l.oldest)) AS oldest_ready_seconds,
       (SELECT count(*) FROM "queue"."workers" AS w
         WHERE w.state = 'active' AND now() < w.lease_expires_at AND l.queue = ANY(w.queues))::int AS workers
  FROM live AS l LEFT JOIN "queue"."queues" AS q ON q.name = l.queue
 GROUP BY l.queue ORDER BY l.queue
