WITH doomed AS MATERIALIZED (
  SELECT e.ctid FROM "queue"."job_errors" AS e
   WHERE e.last_seen_at < greatest(now() - $1::float8 * interval '1 millisecond',
           (SELECT n.last_seen_at FROM "queue"."job_errors" AS n
             ORDER BY n.last_seen_at DESC OFFSET 9999 LIMIT 1))
     FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM "queue"."job_errors" AS e WHERE e.ctid = ANY(ARRAY(SELECT doomed.ctid FROM doomed)) RETURNING 1
)
SELECT count(*)::int AS pruned FROM gone
