WITH gone AS (
  DELETE FROM "queue"."audit_log" AS a WHERE a.ctid = ANY(ARRAY(
    SELECT o.ctid FROM "queue"."audit_log" AS o WHERE o.at < now() - $1::float8 * interval '1 millisecond'
     ORDER BY o.at, o.id LIMIT 1000))
  RETURNING 1
)
SELECT count(*)::int AS pruned FROM gone
