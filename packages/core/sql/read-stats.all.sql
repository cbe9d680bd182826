WITH bounds AS MATERIALIZED (
  SELECT date_trunc('minute', greatest(coalesce($1::timestamptz, u.until - 3600000 * interval '1 millisecond'),
           now() - 172800000 * interval '1 millisecond'), 'UTC') AS low, u.until AS high
    FROM (SELECT least(coalesce($2::timestamptz, now()), now()) AS until) AS u
), picked AS MATERIALIZED (
  SELECT date_trunc('minute', s.at, 'UTC') AS at, s.queue, s.kind, s.wait_buckets, s.run_buckets,
         "s"."enqueued", "s"."started", "s"."succeeded", "s"."failed", "s"."retried", "s"."cancelled"
    FROM "queue"."job_stats" AS s
   WHERE s.period = 'minute' AND s.at >= (SELECT b.low FROM bounds AS b) AND s.at < (SELECT b.high FROM bounds
       AS b)
     AND s.tenant_id = ''
), sums AS (
  SELECT p.at, p.queue, p.kind, coalesce(sum(p."enqueued"), 0)::text AS "enqueued", coalesce(sum(p."started"),
      0)::text AS "started", coalesce(sum(p."succeeded"), 0)::text AS "succeeded", coalesce(sum(p."failed"),
      0)::text AS "failed", coalesce(sum(p."retried"), 0)::text AS "retried", coalesce(sum(p."cancelled"),
      0)::text AS "cancelled"
    FROM picked AS p GROUP BY GROUPING SETS ((p.at), (p.queue, p.kind), ())
), durations AS (
  SELECT d.at, d.queue, d.kind, json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'wait') AS wait,
         json_object_agg(d.bucket, d.count) FILTER (WHERE d.measure = 'run') AS run
    FROM (SELECT p.at, p.queue, p.kind, e.measure, e.bucket, sum(e.count::bigint) AS count
            FROM picked AS p CROSS JOIN LATERAL (
                   SELECT 'wait', w.* FROM jsonb_each(p.wait_buckets) AS w
                   UNION ALL SELECT 'run', r.* FROM jsonb_each(p.run_buckets) AS r) AS e (measure,
                       bucket, count)
           GROUP BY GROUPING SETS ((p.at, e.measure, e.bucket), (p.queue, p.kind, e.measure,
               e.bucket),
             (e.measure, e.bucket))) AS d
   GROUP BY d.at, d.queue, d.kind
)
SELECT (date_part('epoch', (SELECT b.low FROM bounds AS b)) * 1000) AS low, (date_part('epoch',
    (SELECT b.high FROM bounds AS b)) * 1000) AS high, (date_part('epoch', s.at) * 1000) AS at,
    s.queue, s.kind,
       "s"."enqueued", "s"."started", "s"."succeeded", "s"."failed", "s"."retried", "s"."cancelled",
       coalesce(d.wait, '{}')::text AS wait, coalesce(d.run, '{}')::text AS run
  FROM sums AS s LEFT JOIN durations AS d
    ON coalesce(d.at, '-infinity') = coalesce(s.at, '-infinity')
   AND coalesce(d.queue, '/') = coalesce(s.queue, '/') AND coalesce(d.kind, '/') = coalesce(s.kind,
       '/')
 ORDER BY s.at, s.queue, s.kind
