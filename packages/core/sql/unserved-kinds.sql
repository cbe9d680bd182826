WITH due AS (
  SELECT q.name AS queue, front.name
    FROM "queue"."queues" AS q CROSS JOIN generate_series(0, 9) AS p (priority)
   CROSS JOIN LATERAL (
     SELECT j.kind || coalesce('/' || j.kind_version, '') AS name
       FROM "queue"."jobs" AS j
      WHERE j.queue = q.name AND j.priority = p.priority::smallint
        AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
        AND j.run_at < now() - 60 * interval '1 second'
      ORDER BY j.run_at, j.id LIMIT 200
   ) AS front
   WHERE q.paused_at IS NULL
)
SELECT d.queue, d.name, count(*)::int AS jobs FROM due AS d
 WHERE NOT EXISTS (SELECT FROM "queue"."workers" AS w
                    WHERE w.state = 'active' AND w.lease_expires_at >= now()
                      AND d.queue = ANY(w.queues) AND d.name = ANY(w.kinds))
 GROUP BY d.queue, d.name ORDER BY d.queue, d.name
