WITH sampled AS MATERIALIZED (
  SELECT ''::text AS key, '' AS tenant_id, 0 AS estimate WHERE false
), running AS MATERIALIZED (
  SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, count(*) AS jobs
    FROM "queue"."tenant_keyed_jobs" AS j WHERE j.is_running AND j.queue = $1 AND "j"."tenant_id" = $2 AND "j"."queue"
        = ANY($3::text[]) AND "j"."kind" = ANY($4::text[]) GROUP BY j.key, coalesce(j.tenant_id,
        '') ORDER BY jobs DESC LIMIT 20
), found AS (
  SELECT s.key, s.tenant_id FROM sampled AS s
  UNION SELECT r.key, r.tenant_id FROM running AS r
  UNION SELECT g.key, g.tenant_id
    FROM unnest($5::text[], $6::text[]) AS g (key, tenant_id)
), keys AS (
  SELECT f.key, f.tenant_id, c.waiting, s.estimate, coalesce(r.jobs, 0)::integer AS running,
      c.oldest
    FROM found AS f LEFT JOIN sampled AS s USING (key, tenant_id) LEFT JOIN running AS r USING (key,
        tenant_id)
   CROSS JOIN LATERAL (
     SELECT count(*)::integer AS waiting, min(w.run_at) FILTER (WHERE w.run_at <= now()) AS oldest FROM (
       SELECT j.run_at FROM "queue"."tenant_keyed_jobs" AS j WHERE NOT j.is_running AND "j"."tenant_id" = $7 AND
           "j"."queue" = ANY($8::text[]) AND "j"."kind" = ANY($9::text[]) AND j.queue = $10 AND j.key = f.key
          AND coalesce(j.tenant_id, '') = f.tenant_id  LIMIT 1001) AS w
   ) AS c
   ORDER BY greatest(c.waiting, s.estimate) DESC, running DESC, f.key, f.tenant_id LIMIT 20
)
SELECT k.key, k.tenant_id, k.waiting, k.estimate, k.running,
       extract(epoch FROM now() - k.oldest) AS oldest_ready_seconds, l.limited::text AS limited
  FROM keys AS k LEFT JOIN LATERAL (
    SELECT j.limited FROM "queue"."tenant_keyed_jobs" AS j WHERE j.queue = $11 AND j.key = k.key LIMIT 1
  ) AS l ON true
 ORDER BY greatest(k.waiting, k.estimate) DESC, k.running DESC, k.key, k.tenant_id
