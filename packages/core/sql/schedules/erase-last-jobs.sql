WITH target AS MATERIALIZED (
  SELECT s.tenant_id, s.name FROM "queue"."schedules" AS s
   WHERE s.last_job_id = ANY($1::uuid[]) FOR UPDATE SKIP LOCKED
)
UPDATE "queue"."schedules" AS s SET last_job_id = NULL FROM target AS t WHERE s.tenant_id = t.tenant_id AND s.name
    = t.name
