WITH bounds AS MATERIALIZED (
  SELECT date_trunc('minute', greatest(coalesce($1::timestamptz, u.until - 3600000::float8 * interval '1 millisecond'),
           now() - 172800000::float8 * interval '1 millisecond'), 'UTC') AS low, u.until AS high
    FROM (SELECT CASE WHEN t.end_at < now() THEN date_trunc('minute', t.end_at, 'UTC') ELSE now() END AS until
            FROM (SELECT coalesce($2::timestamptz, now()) AS end_at) AS t) AS u
), picked AS MATERIALIZED (
  SELECT date_trunc('minute', s.at, 'UTC') AS at, '' AS queue, '' AS kind, s.wait_buckets,
      s.run_buckets,
         "s"."enqueued", "s"."started", "s"."succeeded", "s"."failed", "s"."retried", "s"."cancelled"
    FROM "queue"."tenant_job_stats" AS s
   WHERE s.period = 'minute' AND s.at >= (SELECT b.low FROM bounds AS b) AND s.at < (SELECT b.high FROM bounds
       AS b)
     AND "s"."tenant_id" = $3 AND "s"."queue" = ANY($4::text[]) AND "s"."kind" = ANY($5::text[]) AND s.tenant_id
         <> '' AND s.queue <> '*' AND s.kind <> '*'
), sums AS (
  SELECT p.at, p.queue, p.kind, sum(p."enqueued")::text AS "enqueued", sum(p."started")::text AS "started",
      sum(p."succeeded")::text AS "succeeded", sum(p."failed")::text AS "failed", sum(p."retried")::text AS "retried",
      sum(p."cancelled")::text AS "cancelled" FROM picked AS p GROUP BY p.at, p.queue, p.kind
), durations AS (
  SELECT d.at, d.queue, d.kind, json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'wait') AS wait,
         json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'run') AS run
    FROM (SELECT p.at, p.queue, p.kind, e.measure, e.bucket, sum(e.count::bigint) AS count
            FROM picked AS p CROSS JOIN LATERAL (
                   SELECT 'wait', w.* FROM jsonb_each_text(p.wait_buckets) AS w
                   UNION ALL SELECT 'run', r.* FROM jsonb_each_text(p.run_buckets) AS r) AS e (measure,
                       bucket, count)
           GROUP BY p.at, p.queue, p.kind, e.measure, e.bucket) AS d
   GROUP BY d.at, d.queue, d.kind
)
SELECT (round(date_part('epoch', b.low) * 1000000::float8)::bigint / 1000) AS low, (round(date_part('epoch',
    b.high) * 1000000::float8)::bigint / 1000) AS high, (round(date_part('epoch', s.at) * 1000000::float8)::bigint
    / 1000) AS at, s.queue, s.kind,
       "s"."enqueued", "s"."started", "s"."succeeded", "s"."failed", "s"."retried", "s"."cancelled",
       coalesce(d.wait, '{}')::text AS wait, coalesce(d.run, '{}')::text AS run
  FROM bounds AS b LEFT JOIN sums AS s ON true
  LEFT JOIN durations AS d ON d.at = s.at AND d.queue = s.queue AND d.kind = s.kind
 ORDER BY s.at, s.queue, s.kind
