WITH gone AS (
  DELETE FROM "queue"."job_stats" AS s
   WHERE s.ctid = ANY(ARRAY((SELECT s.ctid FROM "queue"."job_stats" AS s
       WHERE s.period = 'minute' AND s.at < now() - 172800000::float8 * interval '1 millisecond'
       ORDER BY s.at LIMIT 10000) UNION ALL (SELECT s.ctid FROM "queue"."job_stats" AS s
       WHERE s.period = 'hour' AND s.at < now() - 7776000000::float8 * interval '1 millisecond'
       ORDER BY s.at LIMIT 10000)))
  RETURNING 1
)
SELECT count(*)::int AS pruned FROM gone
