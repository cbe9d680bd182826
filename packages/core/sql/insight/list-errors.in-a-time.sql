WITH bounds AS MATERIALIZED (
  SELECT b.low, b.high, b.step, least(b.high, date_trunc('day', b.until, 'UTC')) AS whole_until,
         ARRAY[nullif(date_trunc('day', b.low, 'UTC'), b.low), nullif(date_trunc('day', b.until,
             'UTC'), b.until)] AS cut_days,
         date_part('hour', b.low AT TIME ZONE 'UTC')::integer + 1 AS first_hour,
         ceil(date_part('epoch', b.high - date_trunc('day', b.high, 'UTC')) / 3600::float8)::integer AS last_hour
    FROM (SELECT date_bin(s.step, r.low, to_timestamp(0)) AS low, r.high, r.until, s.step
            FROM (SELECT greatest($1::timestamptz, now() - 2592000000::float8 * interval '1 millisecond') AS low,
                         least($2::timestamptz, now()) AS high,
                         coalesce($3::timestamptz, 'infinity') AS until) AS r
           CROSS JOIN LATERAL (SELECT h.hours::float8 * interval '1 hour' AS step FROM unnest(ARRAY[1,
               2, 3, 4, 6, 12, 24]) AS h (hours)
                                WHERE r.low + (47 * h.hours)::float8 * interval '1 hour' >= r.high OR h.hours =
                                    24
                                ORDER BY h.hours LIMIT 1) AS s) AS b
), page AS MATERIALIZED (
  SELECT e.*, e.last_seen_at AS sorted_by
    FROM bounds AS b CROSS JOIN "queue"."job_errors" AS e
   WHERE true AND e.last_seen_at >= b.low
   ORDER BY e.last_seen_at DESC, e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id DESC LIMIT 51
), runs AS MATERIALIZED (
  SELECT k.tenant_id, k.queue, k.kind, n.ended
    FROM (SELECT DISTINCT p.tenant_id, p.queue, p.kind FROM page AS p) AS k CROSS JOIN LATERAL (
      SELECT sum(n.succeeded + n.failed + n.retried) AS ended
        FROM "queue"."job_stats" AS n
       WHERE n.period = 'hour' AND n.at = ANY(ARRAY(SELECT h.at FROM bounds AS b CROSS JOIN generate_series(b.low,
           b.high, '1 hour') AS h (at) WHERE h.at < b.high))
         AND n.tenant_id = k.tenant_id AND n.queue = k.queue AND n.kind = k.kind) AS n
)
SELECT (round(date_part('epoch', b.low) * 1000000::float8)::bigint / 1000) AS low, (round(date_part('epoch',
    b.high) * 1000000::float8)::bigint / 1000) AS high, (round(date_part('epoch', b.step) * 1000000::float8)::bigint
    / 1000) AS step_ms,
       e.fingerprint, e.tenant_id, e.queue, e.kind, e.error_class, e.count::text AS count,
       (round(date_part('epoch', e.first_seen_at) * 1000000::float8)::bigint / 1000) AS first_seen_at,
           (round(date_part('epoch', e.last_seen_at) * 1000000::float8)::bigint / 1000) AS last_seen_at,
           e.first_version,
       to_json(e.worker_versions)::text AS worker_versions, e.sample_job_id, e.sample_error,
           to_json(ARRAY['last', to_char(e.last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id])::text AS position, r.ended::text AS ended,
           (SELECT json_agg(json_build_array((round(date_part('epoch', d.day) * 1000000::float8)::bigint / 1000),
           d.version, d.hours))::text
            FROM "queue"."job_error_days" AS d WHERE d.error_id = e.id AND d.day > b.low - interval '24 hours'
                AND d.day < b.high) AS days
  FROM bounds AS b LEFT JOIN page AS e ON true LEFT JOIN runs AS r USING (tenant_id, queue,
      kind)
 ORDER BY e.last_seen_at DESC, e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id DESC
