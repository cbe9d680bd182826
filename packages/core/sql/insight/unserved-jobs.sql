WITH due AS (
  SELECT j.queue, j.kind, coalesce(j.kind_version, 1)::int AS version,
         j.kind || coalesce('/' || j.kind_version, '') AS name, count(*)::int AS jobs,
         extract(epoch FROM now() - min(j.run_at))::int AS oldest_seconds
    FROM "queue"."jobs" AS j
   WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
     AND j.run_at < now() - 60::float8 * interval '1 second'
   GROUP BY j.queue, j.kind, j.kind_version
), serving AS (
  SELECT w.queues, w.kinds FROM "queue"."workers" AS w WHERE w.state = 'active' AND now() < w.lease_expires_at
)
SELECT due.queue, due.kind, due.version, due.jobs, due.oldest_seconds,
       EXISTS (SELECT FROM serving AS s WHERE due.queue = ANY(s.queues)) AS queue_is_served
  FROM due
 WHERE NOT EXISTS (SELECT FROM serving AS s WHERE due.queue = ANY(s.queues) AND due.name = ANY(s.kinds))
   AND NOT EXISTS (SELECT FROM "queue"."queues" AS q WHERE q.name = due.queue AND q.paused_at IS NOT NULL)
 ORDER BY due.oldest_seconds DESC
