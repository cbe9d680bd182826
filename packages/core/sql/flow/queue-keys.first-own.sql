WITH first AS MATERIALIZED (
  SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, j.run_at
    FROM "queue"."tenant_keyed_jobs" AS j WHERE NOT j.is_running AND "j"."tenant_id" = $1 AND "j"."queue" = ANY($2::text[])
        AND "j"."kind" = ANY($3::text[]) AND j.queue = $4
    LIMIT 10001
), keys AS (
  SELECT l.key, l.tenant_id, sum(l.waiting)::integer AS waiting, NULL::integer AS estimate,
      sum(l.running)::integer AS running,
         min(l.oldest) AS oldest
    FROM (
      SELECT f.key, f.tenant_id, count(*) AS waiting, 0 AS running, min(f.run_at) FILTER (WHERE f.run_at <= now())
          AS oldest
        FROM first AS f GROUP BY f.key, f.tenant_id
      UNION ALL
      SELECT r.key, r.tenant_id, 0, r.jobs, NULL FROM (SELECT j.key, coalesce(j.tenant_id,
          '') AS tenant_id, count(*) AS jobs
    FROM "queue"."tenant_keyed_jobs" AS j WHERE j.is_running AND j.queue = $5 AND "j"."tenant_id" = $6 AND "j"."queue"
        = ANY($7::text[]) AND "j"."kind" = ANY($8::text[]) GROUP BY j.key, coalesce(j.tenant_id,
        '')) AS r
    ) AS l
   GROUP BY l.key, l.tenant_id ORDER BY waiting DESC, running DESC, l.key, l.tenant_id LIMIT 20
)
SELECT k.key, k.tenant_id, k.waiting, k.estimate, k.running,
       extract(epoch FROM now() - k.oldest) AS oldest_ready_seconds, l.limited::text AS limited,
           (SELECT count(*) > 10000 FROM first) AS has_more
  FROM keys AS k LEFT JOIN LATERAL (
    SELECT j.limited FROM "queue"."tenant_keyed_jobs" AS j WHERE j.queue = $9 AND j.key = k.key LIMIT 1
  ) AS l ON true
 ORDER BY k.waiting DESC, k.running DESC, k.key, k.tenant_id
