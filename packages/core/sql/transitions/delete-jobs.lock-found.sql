WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status <> 'running'::"queue"."job_status" AND "j"."status" IN ('queued'::"queue"."job_status",
       'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status",
       'succeeded'::"queue"."job_status") AND "j"."created_at" < $2::timestamptz
   ORDER BY j.id FOR UPDATE
) SELECT t.id FROM target AS t
