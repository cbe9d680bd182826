WITH expired AS MATERIALIZED (
  SELECT j.id FROM "queue"."jobs" AS j
   WHERE j.status NOT IN ('running'::"queue"."job_status", 'retrying'::"queue"."job_status",
       'succeeded'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
       AND j.expires_at IS NOT NULL AND j.expires_at <= now() ORDER BY j.expires_at LIMIT 500 FOR UPDATE SKIP LOCKED
), changed AS (
UPDATE "queue"."jobs" AS j
   SET status = 'cancelled'::"queue"."job_status", cancel_reason = 'expired', finished_at = statement_timestamp(),
       updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
 WHERE j.id = ANY(ARRAY(SELECT expired.id FROM expired))
RETURNING j.*
), noted_left AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT c.id, c.kind, c.queue, c.tenant_id AS "tenantId", c.lease_token = 0 AS "isUnclaimed",
       (round(date_part('epoch', c.created_at) * 1000000::float8)::bigint / 1000) AS created_at,
           (round(date_part('epoch', c.finished_at) * 1000000::float8)::bigint / 1000) AS finished_at FROM changed
           AS c
