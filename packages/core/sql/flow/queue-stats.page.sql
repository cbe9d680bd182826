WITH RECURSIVE named (name) AS (
  (SELECT f.queue FROM ((SELECT j.queue FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
      'retrying'::"queue"."job_status") AND "j"."key" IS NULL AND j.queue > $1 ORDER BY j.queue LIMIT 1) UNION
      ALL (SELECT j.queue FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
      'retrying'::"queue"."job_status") AND coalesce("j"."key", '') <> '' AND j.queue > $2 ORDER BY j.queue LIMIT
      1)) AS f ORDER BY f.queue LIMIT 1)
  UNION ALL
  SELECT next.queue FROM named AS n CROSS JOIN LATERAL (SELECT f.queue FROM ((SELECT j.queue FROM "queue"."jobs"
      AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "j"."key" IS
      NULL AND j.queue > n.name ORDER BY j.queue LIMIT 1) UNION ALL (SELECT j.queue FROM "queue"."jobs" AS j WHERE
      j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND coalesce("j"."key",
      '') <> '' AND j.queue > n.name ORDER BY j.queue LIMIT 1)) AS f ORDER BY f.queue LIMIT 1) AS next
), running AS MATERIALIZED (
  SELECT j.queue, count(*) AS jobs FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL GROUP BY j.queue
), page AS MATERIALIZED (
  SELECT name FROM (SELECT n.name FROM named AS n LIMIT 51) AS with_waiting
  UNION SELECT r.queue FROM running AS r WHERE r.queue > $3
  UNION SELECT q.name FROM "queue"."queues" AS q WHERE q.name > $4
  ORDER BY name LIMIT 51
)
SELECT p.name, q.name IS NOT NULL AS registered, (round(date_part('epoch', q.paused_at) * 1000000::float8)::bigint
    / 1000) AS paused_at,
       coalesce(live.queued, 0)::int AS queued, coalesce(live.retrying, 0)::int AS retrying,
       coalesce(r.jobs, 0)::int AS running, coalesce(live.ready, 0)::int AS ready,
       coalesce(live.newly_ready, 0)::int AS newly_ready,
       extract(epoch FROM now() - live.oldest) AS oldest_ready_seconds,
       (SELECT count(*) FROM "queue"."workers" AS w
         WHERE w.state = 'active' AND now() < w.lease_expires_at AND p.name = ANY(w.queues))::int AS workers
  FROM page AS p
  LEFT JOIN (
    SELECT j.queue, count(*) FILTER (WHERE j.status = 'queued'::"queue"."job_status") AS queued,
           count(*) FILTER (WHERE j.status = 'retrying'::"queue"."job_status") AS retrying,
           count(*) FILTER (WHERE j.run_at <= now()) AS ready,
         count(*) FILTER (WHERE j.run_at <= now() AND j.run_at > now() - interval '5 minutes') AS newly_ready,
             min(j.run_at) FILTER (WHERE j.run_at <= now()) AS oldest
      FROM ((SELECT j.queue, j.status, j.run_at FROM "queue"."jobs" AS j
               WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "j"."key"
                   IS NULL AND j.queue = ANY(ARRAY(SELECT name FROM page))) UNION ALL (SELECT j.queue,
                   j.status, j.run_at FROM "queue"."jobs" AS j
               WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND coalesce("j"."key",
                   '') <> '' AND j.queue = ANY(ARRAY(SELECT name FROM page)))) AS j GROUP BY j.queue
  ) AS live ON live.queue = p.name
  LEFT JOIN "queue"."queues" AS q ON q.name = p.name
  LEFT JOIN running AS r ON r.queue = p.name
 ORDER BY p.name
