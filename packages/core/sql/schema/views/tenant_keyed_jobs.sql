CREATE VIEW queue.tenant_keyed_jobs WITH (security_barrier) AS
  SELECT j.tenant_id, j.queue, j.kind, j.key, j.run_at, j.is_running,
         (SELECT to_jsonb(l) FROM (SELECT j.queue, j.key, j.tenant_id) AS p CROSS JOIN LATERAL (
  SELECT l.max_running, l.paused_at, CASE WHEN l.rate_count IS NOT NULL
      AND greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 *
      1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - ceil(((l.rate_burst -
      least(c.awaited, l.rate_burst)))::float8 * (l.rate_per_ms::float8 * 1000::float8) /
      l.rate_count::float8) * interval '1 microsecond' > at
      THEN greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8 *
      1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - ceil(((l.rate_burst -
      least(c.awaited, l.rate_burst)))::float8 * (l.rate_per_ms::float8 * 1000::float8) /
      l.rate_count::float8) * interval '1 microsecond' END AS rate_opens_at,
         EXISTS (SELECT FROM queue.limits AS o WHERE o.queue = p.queue AND o.scope = 'key'
             AND o.name = p.key) AS has_limit,
         EXISTS (SELECT FROM queue.limits AS o
                  WHERE o.queue = p.queue AND o.scope = 'each_key' AND o.name = ''
                      AND o.on_retry IS NOT NULL) AS is_ordered
    FROM (SELECT now() AS at) AS moment CROSS JOIN (
              SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running)
                  ELSE 1 END AS max_running,
                     coalesce(own.paused_at, every.paused_at) AS paused_at,
                     CASE WHEN own.rate_count IS NULL THEN every.rate_count
                         ELSE own.rate_count END AS rate_count, CASE WHEN own.rate_count IS NULL
                         THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms, CASE
                         WHEN own.rate_count IS NULL THEN every.rate_burst
                         ELSE own.rate_burst END AS rate_burst
                FROM (SELECT) AS one
                LEFT JOIN queue.limits AS own ON own.queue = p.queue AND own.scope = 'key'
                    AND own.name = p.key
                LEFT JOIN queue.limits AS every ON every.queue = p.queue AND every.scope = 'each_key'
                    AND every.name = '') AS l
   CROSS JOIN (
     SELECT coalesce(k.spent_until, '-infinity') AS spent_until, coalesce(k.awaited, 1) AS awaited
       FROM (SELECT) AS one LEFT JOIN queue.limit_counters AS k
         ON k.queue = p.queue AND k.scope = 'key' AND k.name = p.key AND k.tenant_id = p.tenant_id
   ) AS c) AS l) AS limited
    FROM (
      SELECT tenant_id, queue, kind, key, run_at, false AS is_running
        FROM queue.jobs WHERE status IN ('queued', 'retrying') AND key IS NOT NULL
            AND tenant_id = nullif(current_setting('queue.tenant', true), '')
      UNION ALL
      SELECT tenant_id, queue, kind, key, run_at, true
        FROM queue.jobs WHERE locked_by IS NOT NULL AND key IS NOT NULL
            AND tenant_id = nullif(current_setting('queue.tenant', true), '')
    ) AS j;
