WITH job AS MATERIALIZED (
  SELECT j.id, j.queue, j.priority, j.run_at, j.status FROM "queue"."jobs" AS j
   WHERE j.id = $1::uuid
), minutes AS (
  SELECT sum(s.started) AS started, sum(waited.late) AS late
    FROM job AS j JOIN "queue"."job_stats" AS s ON s.period = 'minute' AND s.tenant_id = '' AND s.queue = j.queue
        AND s.kind = '*'
     AND s.at >= date_trunc('minute', now() - interval '10 seconds', 'UTC') - 5::float8 * interval '1 minute'
     AND s.at < date_trunc('minute', now() - interval '10 seconds', 'UTC')
   CROSS JOIN LATERAL (
     SELECT coalesce(sum(b.value::bigint) FILTER (WHERE b.key::integer >= 131), 0) AS late
       FROM jsonb_each(s.wait_buckets) AS b) AS waited
   GROUP BY s.at
)
SELECT j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AS waiting,
       EXISTS (SELECT FROM "queue"."queues" AS q WHERE q.name = j.queue AND q.paused_at IS NOT NULL) AS paused,
       EXISTS (SELECT FROM "queue"."workers" AS w WHERE w.state = 'active' AND now() < w.lease_expires_at AND j.queue
           = ANY(w.queues)) AS workers,
       CASE WHEN j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
            THEN (
SELECT count(*)::integer FROM (
  (SELECT FROM generate_series(0, "j"."priority" - 1) AS p (priority) CROSS JOIN LATERAL ((
     SELECT FROM "queue"."jobs" AS b
      WHERE b.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND b.queue = "j"."queue"
          AND "b"."key" IS NULL AND b.priority = p.priority::smallint AND b.run_at <= greatest("j"."run_at",
          now())
      ORDER BY b.run_at, b.id LIMIT 10001) UNION ALL (
     SELECT FROM "queue"."jobs" AS b
      WHERE b.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND b.queue = "j"."queue"
          AND coalesce("b"."key", '') <> '' AND b.priority = p.priority::smallint AND b.run_at <= greatest("j"."run_at",
          now())
      ORDER BY b.run_at, b.id LIMIT 10001)) AS higher LIMIT 10001)
  UNION ALL
  (
    SELECT FROM "queue"."jobs" AS b
    WHERE b.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND b.queue = "j"."queue"
        AND "b"."key" IS NULL AND b.priority = "j"."priority" AND (b.run_at, b.id) < ("j"."run_at",
        "j"."id")
    ORDER BY b.run_at, b.id LIMIT 10001) UNION ALL (
    SELECT FROM "queue"."jobs" AS b
    WHERE b.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND b.queue = "j"."queue"
        AND coalesce("b"."key", '') <> '' AND b.priority = "j"."priority" AND (b.run_at, b.id) < ("j"."run_at",
        "j"."id")
    ORDER BY b.run_at, b.id LIMIT 10001)
  LIMIT 10001) AS before) ELSE 0 END AS before,
       (SELECT avg(m.started) FROM minutes AS m WHERE 2::numeric * m.late >= m.started AND m.started > 0::numeric)
         AS starts_per_minute,
       (round(date_part('epoch', j.run_at) * 1000000::float8)::bigint / 1000) AS run_at, (round(date_part('epoch',
           now()) * 1000000::float8)::bigint / 1000) AS now
  FROM job AS j
