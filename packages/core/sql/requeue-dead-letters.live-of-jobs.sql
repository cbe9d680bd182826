SELECT d.id::text AS id, d.job_id::text AS job_id, d.tenant_id, d.kind, d.unique_key
  FROM "queue"."dead_letter_jobs" AS d
 WHERE d.job_id = ANY($1::uuid[]) AND true AND d.unique_scope = 'live'
 ORDER BY d.dead_lettered_at, d.id LIMIT $2
