  WITH first AS MATERIALIZED (
    SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, j.run_at
      FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
          AND j.key IS NOT NULL AND j.queue = $1
     ORDER BY j.queue, j.key, coalesce(j.tenant_id, ''), j.kind, j.priority, j.run_at, j.id LIMIT 10001
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
      FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.key IS NOT NULL AND j.queue = $2 GROUP BY j.key,
          coalesce(j.tenant_id, '')) AS r
      ) AS l
     GROUP BY l.key, l.tenant_id ORDER BY waiting DESC, running DESC, l.key, l.tenant_id LIMIT 20
  )
  SELECT k.key, k.tenant_id, k.waiting, k.estimate, k.running,
         extract(epoch FROM now() - k.oldest) AS oldest_ready_seconds, l.limited::text AS limited,
             (SELECT count(*) > 10000 FROM first) AS has_more
    FROM keys AS k CROSS JOIN LATERAL (
      SELECT to_jsonb(o) AS limited FROM (SELECT $3::text AS queue, k.key, k.tenant_id) AS p
       CROSS JOIN LATERAL (
SELECT l.max_running, l.paused_at, CASE WHEN l.rate_count IS NOT NULL AND greatest(at, least(c.spent_until,
    at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8) * interval
    '1 microsecond')) - ceil(((l.rate_burst - least(c.awaited, l.rate_burst)))::float8 * (l.rate_per_ms::float8
    * 1000::float8) / l.rate_count::float8) * interval '1 microsecond' > at THEN greatest(at,
    least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8)
    * interval '1 microsecond')) - ceil(((l.rate_burst - least(c.awaited, l.rate_burst)))::float8 * (l.rate_per_ms::float8
    * 1000::float8) / l.rate_count::float8) * interval '1 microsecond' END AS rate_opens_at,
       EXISTS (SELECT FROM "queue".limits AS o WHERE o.queue = p.queue AND o.scope = 'key' AND o.name = p.key)
           AS has_limit,
       EXISTS (SELECT FROM "queue".limits AS o
                WHERE o.queue = p.queue AND o.scope = 'each_key' AND o.name = '' AND o.on_retry IS NOT NULL) AS
                    is_ordered
  FROM (SELECT now() AS at) AS moment CROSS JOIN (
            SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running) ELSE 1 END
                AS max_running,
                   coalesce(own.paused_at, every.paused_at) AS paused_at,
                   CASE WHEN own.rate_count IS NULL THEN every.rate_count ELSE own.rate_count END AS rate_count,
                       CASE WHEN own.rate_count IS NULL THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms,
                       CASE WHEN own.rate_count IS NULL THEN every.rate_burst ELSE own.rate_burst END AS rate_burst
              FROM (SELECT) AS one
              LEFT JOIN "queue".limits AS own ON own.queue = p.queue AND own.scope = 'key' AND own.name = p.key
              LEFT JOIN "queue".limits AS every ON every.queue = p.queue AND every.scope = 'each_key' AND every.name
                  = '') AS l
 CROSS JOIN (
   SELECT coalesce(k.spent_until, '-infinity') AS spent_until, coalesce(k.awaited, 1) AS awaited
     FROM (SELECT) AS one LEFT JOIN "queue".limit_counters AS k
       ON k.queue = p.queue AND k.scope = 'key' AND k.name = p.key AND k.tenant_id = p.tenant_id
 ) AS c) AS o
    ) AS l
   ORDER BY k.waiting DESC, k.running DESC, k.key, k.tenant_id
