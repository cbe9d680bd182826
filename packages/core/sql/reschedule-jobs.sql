WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope FROM "queue"."jobs" AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
       AND true
   ORDER BY j.id FOR UPDATE
)
UPDATE "queue"."jobs" AS j SET run_at = greatest(now(), now()), updated_at = now()
  FROM target WHERE j.id = target.id AND j.id = ANY(ARRAY(SELECT target.id FROM target))
RETURNING j.id, j.queue, j.status
