WITH gone AS (
  DELETE FROM "queue"."requeued_jobs" AS k WHERE k.ctid = ANY(ARRAY(
    SELECT o.ctid FROM "queue"."requeued_jobs" AS o
     WHERE o.requeued_at < now() - 3600000::float8 * interval '1 millisecond'
     LIMIT 1000 FOR UPDATE SKIP LOCKED))
  RETURNING 1
)
SELECT count(*)::int AS pruned FROM gone
