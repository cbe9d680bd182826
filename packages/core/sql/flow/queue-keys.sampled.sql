  WITH sampled AS MATERIALIZED (
    SELECT s.key, s.tenant_id, least(2147483647::float8, s.jobs::float8 / least(1::float8,
        1000::float8 / greatest(1::float8, pg_relation_size($1::regclass)::float8 / 8192::float8)))::integer AS
        estimate
      FROM (
        SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, count(*) AS jobs
          FROM "queue"."jobs" AS j TABLESAMPLE SYSTEM (100::float8 * least(1::float8, 1000::float8 / greatest(1::float8,
              pg_relation_size($2::regclass)::float8 / 8192::float8))) REPEATABLE (0)
         WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND j.key IS NOT
             NULL AND j.queue = $3
         GROUP BY 1, 2 ORDER BY jobs DESC, 1, 2 LIMIT 20
      ) AS s
  ), running AS MATERIALIZED (
    SELECT j.key, coalesce(j.tenant_id, '') AS tenant_id, count(*) AS jobs
      FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.key IS NOT NULL AND j.queue = $4 GROUP BY j.key,
          coalesce(j.tenant_id, '') ORDER BY jobs DESC LIMIT 20
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
         SELECT j.run_at FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
             'retrying'::"queue"."job_status") AND j.key IS NOT NULL AND j.queue = $7 AND j.key = f.key
            AND coalesce(j.tenant_id, '') = f.tenant_id ORDER BY j.queue, j.key, coalesce(j.tenant_id,
                ''), j.kind, j.priority, j.run_at, j.id LIMIT 1001) AS w
     ) AS c
     ORDER BY greatest(c.waiting, s.estimate) DESC, running DESC, f.key, f.tenant_id LIMIT 20
  )
  SELECT k.key, k.tenant_id, k.waiting, k.estimate, k.running,
         extract(epoch FROM now() - k.oldest) AS oldest_ready_seconds, l.limited::text AS limited
    FROM keys AS k CROSS JOIN LATERAL (
      SELECT to_jsonb(o) AS limited FROM (SELECT $8::text AS queue, k.key, k.tenant_id) AS p
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
   ORDER BY greatest(k.waiting, k.estimate) DESC, k.running DESC, k.key, k.tenant_id
