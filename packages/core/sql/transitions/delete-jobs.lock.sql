WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status <> 'running'::"queue"."job_status" AND true
   ORDER BY j.id FOR UPDATE
) SELECT t.id FROM target AS t
