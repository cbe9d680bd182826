WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND ("j"."status" IN ('failed_permanent'::"queue"."job_status",
       'cancelled'::"queue"."job_status")
          AND "j"."stripped_at" IS NULL AND coalesce("j"."expires_at" > clock_timestamp(),
              true)) AND true
   ORDER BY j.id FOR UPDATE
)
SELECT t.id, t.tenant_id, t.kind, CASE WHEN t.unique_scope = 'live' THEN t.unique_key END AS live_key FROM target
    AS t
