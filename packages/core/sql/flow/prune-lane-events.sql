WITH gone AS (
  DELETE FROM "queue"."lane_events" AS e WHERE e.ctid = ANY(ARRAY(
    SELECT e.ctid FROM "queue"."lane_events" AS e
     WHERE e.ctid >= $1::tid AND e.ctid < $2::tid AND e.counted IS NULL AND e.priority IS NOT NULL AND e.due_at
         > statement_timestamp() AND NOT EXISTS (
           SELECT FROM "queue"."jobs" AS o
            WHERE o.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND o.key IS NOT
                NULL
              AND o.queue = e.queue AND o.key = e.key AND coalesce(o.tenant_id, '') = e.tenant_id AND o.kind =
                  e.kind
              AND o.priority = e.priority AND o.run_at = e.due_at )))
  RETURNING 1
)
SELECT (SELECT count(*) FROM gone)::int AS removed,
       (pg_relation_size(to_regclass(format('%I.lane_events', $3::text))) / current_setting('block_size')::int)::int
           AS pages
