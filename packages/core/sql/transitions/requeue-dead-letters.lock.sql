SELECT d.id::text AS id, d.job_id::text AS job_id, d.tenant_id, d.kind,
       CASE WHEN d.unique_scope = 'live' THEN d.unique_key END AS live_key
  FROM "queue"."dead_letter_jobs" AS d
 WHERE d.job_id = ANY($1::uuid[]) AND true ORDER BY d.job_id FOR UPDATE
