WITH target AS MATERIALIZED (
  SELECT e.tenant_id, e.queue, e.fingerprint FROM "queue"."job_errors" AS e
   WHERE e.sample_job_id = ANY($1::uuid[])
   ORDER BY e.tenant_id, e.queue, e.fingerprint FOR UPDATE
)
UPDATE "queue"."job_errors" AS e SET sample_job_id = NULL, sample_error = 'erased', sampled_at = '-infinity' FROM
    target AS t
 WHERE e.tenant_id = t.tenant_id AND e.queue = t.queue AND e.fingerprint = t.fingerprint
