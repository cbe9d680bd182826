WITH doomed AS MATERIALIZED (
  SELECT e.ctid FROM "queue"."job_errors" AS e
   WHERE e.last_seen_at < greatest(now() - $1::float8 * interval '1 millisecond',
           (SELECT n.last_seen_at FROM "queue"."job_errors" AS n
             ORDER BY n.last_seen_at DESC OFFSET 9999 LIMIT 1))
     FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM "queue"."job_errors" AS e WHERE e.ctid = ANY(ARRAY(SELECT doomed.ctid FROM doomed)) RETURNING e.id
), days_of_groups AS (
  DELETE FROM "queue"."job_error_days" AS d USING gone WHERE d.error_id = gone.id
), past_days AS (
  DELETE FROM "queue"."job_error_days" AS d WHERE d.ctid = ANY(ARRAY(
    SELECT p.ctid FROM "queue"."job_error_days" AS p
     WHERE p.day < now() - 2592000000::float8 * interval '1 millisecond' - interval '24 hours'
     ORDER BY p.day LIMIT 10000 FOR UPDATE SKIP LOCKED))
)
SELECT count(*)::int AS pruned FROM gone
