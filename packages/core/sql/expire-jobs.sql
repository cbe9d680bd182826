WITH expired AS MATERIALIZED (
  SELECT j.id FROM "queue"."jobs" AS j
   WHERE j.status NOT IN ('running'::"queue"."job_status", 'retrying'::"queue"."job_status",
       'succeeded'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
       AND j.expires_at IS NOT NULL AND j.expires_at <= now() ORDER BY j.expires_at LIMIT 500 FOR UPDATE SKIP LOCKED
)
UPDATE "queue"."jobs" AS j
   SET status = 'cancelled'::"queue"."job_status", cancel_reason = 'expired', finished_at = statement_timestamp(),
       updated_at = statement_timestamp()
 WHERE j.id = ANY(ARRAY(SELECT expired.id FROM expired))
RETURNING j.id, j.kind, j.queue, j.tenant_id AS "tenantId", j.lease_token = 0 AS "isUnclaimed",
          (date_part('epoch', j.created_at) * 1000) AS created_at, (date_part('epoch', j.finished_at) * 1000) AS
              finished_at
