WITH running AS MATERIALIZED (
  SELECT j.queue, j.kind, j.key, coalesce(j.tenant_id, '') AS tenant_id, j.counted, count(*) AS jobs
    FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.counted IS NOT NULL
   GROUP BY j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.counted
), about AS MATERIALIZED (
  SELECT l.queue, l.scope, CASE l.scope WHEN 'kind' THEN l.name ELSE '' END AS name,
         bool_or(l.scope IN ('queue', 'kind') AND c.queue IS NOT NULL AND CASE WHEN l.paused_at IS NOT NULL THEN
             0
            ELSE greatest(0, least(coalesce(l.max_running - c.running, 1000000000), coalesce(
              CASE WHEN floor(
              l.rate_burst::float8
              - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8
                  * 1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - at)::float8 * 1000::float8
                  * l.rate_count::float8 / l.rate_per_ms::float8
              + 1e-6::float8)::integer < least(c.awaited, l.rate_burst) THEN 0 ELSE floor(
              l.rate_burst::float8
              - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8
                  * 1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - at)::float8 * 1000::float8
                  * l.rate_count::float8 / l.rate_per_ms::float8
              + 1e-6::float8)::integer END, 1000000000))) END <= 0) AS is_closed,
         array_agg(l.name) FILTER (WHERE l.scope = 'key') AS keys
    FROM "queue"."limits" AS l CROSS JOIN (SELECT now() AS at) AS moment
    LEFT JOIN LATERAL (
      SELECT k.queue, (
         SELECT coalesce(sum(r.jobs), 0)::integer FROM running AS r
          WHERE r.queue = l.queue
            AND CASE l.scope WHEN 'queue' THEN r.counted & 1 <> 0 ELSE r.counted & 2 <> 0 AND r.kind = l.name END)
                AS running, k.spent_until, k.awaited FROM "queue"."limit_counters" AS k
       WHERE k.queue = l.queue AND k.scope = l.scope AND k.name = l.name AND k.tenant_id = ''
         AND l.scope IN ('queue', 'kind')) AS c ON true
   WHERE l.scope <> 'tenant' AND num_nonnulls(l.max_running, l.rate_count, l.paused_at, l.on_retry) > 0
   GROUP BY 1, 2, 3 ORDER BY 1, 2, 3 LIMIT 200
), ended AS MATERIALIZED (
  SELECT DISTINCT q.queue, e.key, e.tenant_id FROM (SELECT DISTINCT a.queue FROM about AS a) AS q CROSS JOIN LATERAL
      (
    SELECT e.key, e.tenant_id, e.counted FROM "queue"."lane_events" AS e
     WHERE e.queue = q.queue AND e.due_at <= now() ORDER BY e.due_at LIMIT 1000) AS e
   WHERE e.counted & 4 <> 0
), due AS MATERIALIZED (
  SELECT q.queue, j.kind, j.key FROM (SELECT DISTINCT a.queue FROM about AS a) AS q CROSS JOIN LATERAL (
    (SELECT j.kind, j.key FROM "queue"."jobs" AS j
      WHERE j.queue = q.queue AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
          AND j.key IS NULL AND j.run_at <= now()
      ORDER BY j.priority, j.run_at, j.id LIMIT 1000)
    UNION ALL
    (SELECT j.kind, j.key FROM "queue"."jobs" AS j
      WHERE j.queue = q.queue AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
          AND coalesce(j.key, '') <> '' AND j.run_at <= now()
      ORDER BY j.priority, j.run_at, j.id LIMIT 1000)) AS j
)
SELECT a.queue, a.scope, a.name, r.running, r.running_most, w.waiting,
       CASE WHEN a.scope IN ('queue', 'kind') THEN a.is_closed AND w.waiting > 0
            ELSE EXISTS (SELECT FROM (SELECT l.key, l.tenant_id, l.is_full FROM "queue"."lanes" AS l
                                        WHERE l.queue = a.queue LIMIT 1000) AS l
                          WHERE l.is_full AND (a.keys IS NULL OR l.key = ANY(a.keys)) AND NOT EXISTS (
                            SELECT FROM ended AS e
                             WHERE e.queue = a.queue AND e.key = l.key AND e.tenant_id = l.tenant_id)) END AS is_holding
  FROM about AS a
 CROSS JOIN LATERAL (
   SELECT coalesce(sum(r.jobs), 0)::integer AS running,
          coalesce(CASE WHEN a.scope IN ('queue', 'kind') THEN sum(r.jobs) ELSE max(r.jobs) END,
              0)::integer AS running_most
     FROM running AS r
    WHERE r.queue = a.queue AND CASE a.scope WHEN 'queue' THEN r.counted & 1 <> 0
                                             WHEN 'kind' THEN r.counted & 2 <> 0 AND r.kind = a.name
                                             ELSE r.counted & 4 <> 0 AND (a.keys IS NULL OR r.key = ANY(a.keys))
                                                 END
 ) AS r
 CROSS JOIN LATERAL (
   SELECT count(*)::integer AS waiting FROM due AS d
    WHERE d.queue = a.queue AND CASE a.scope WHEN 'queue' THEN true
                                             WHEN 'kind' THEN d.kind = a.name
                                             ELSE d.key IS NOT NULL AND (a.keys IS NULL OR d.key = ANY(a.keys))
                                                 END
 ) AS w
 ORDER BY a.queue, a.scope, a.name
