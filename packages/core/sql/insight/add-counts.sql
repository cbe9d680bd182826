INSERT INTO "queue"."job_stats" AS s (period, at, queue, kind, tenant_id, "enqueued", "started",
    "succeeded", "failed", "retried", "cancelled", wait_buckets, run_buckets)
SELECT x.period, to_timestamp(x.at / 1000::float8), x.queue, x.kind, x.tenant_id,
       "x"."enqueued", "x"."started", "x"."succeeded", "x"."failed", "x"."retried", "x"."cancelled",
           x.wait_buckets, x.run_buckets
  FROM jsonb_to_recordset($1::jsonb)
    AS x (period text, at float8, queue text, kind text, tenant_id text,
          "enqueued" bigint, "started" bigint, "succeeded" bigint, "failed" bigint, "retried" bigint,
              "cancelled" bigint, wait_buckets jsonb, run_buckets jsonb)
 WHERE to_timestamp(x.at / 1000::float8) >= now() - CASE x.period WHEN 'minute' THEN 172800000::float8
                             ELSE 7776000000::float8 END * interval '1 millisecond'
 ORDER BY x.period, x.at, x.tenant_id, x.queue, x.kind
ON CONFLICT (period, at, tenant_id, queue, kind) DO UPDATE SET
  "enqueued" = s."enqueued" + EXCLUDED."enqueued", "started" = s."started" + EXCLUDED."started",
      "succeeded" = s."succeeded" + EXCLUDED."succeeded", "failed" = s."failed" + EXCLUDED."failed",
      "retried" = s."retried" + EXCLUDED."retried", "cancelled" = s."cancelled" + EXCLUDED."cancelled",
  "wait_buckets" = CASE WHEN EXCLUDED."wait_buckets" = '{}' THEN s."wait_buckets" WHEN s."wait_buckets" = '{}'
      THEN EXCLUDED."wait_buckets" ELSE (
    SELECT jsonb_object_agg(b.key, b.count) FROM (
      SELECT e.key, sum(e.value::bigint) AS count
        FROM (SELECT * FROM jsonb_each(s."wait_buckets") UNION ALL SELECT * FROM jsonb_each(EXCLUDED."wait_buckets"))
            AS e
       GROUP BY e.key) AS b) END, "run_buckets" = CASE WHEN EXCLUDED."run_buckets" = '{}' THEN s."run_buckets"
           WHEN s."run_buckets" = '{}' THEN EXCLUDED."run_buckets" ELSE (
    SELECT jsonb_object_agg(b.key, b.count) FROM (
      SELECT e.key, sum(e.value::bigint) AS count
        FROM (SELECT * FROM jsonb_each(s."run_buckets") UNION ALL SELECT * FROM jsonb_each(EXCLUDED."run_buckets"))
            AS e
       GROUP BY e.key) AS b) END
