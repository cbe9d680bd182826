SELECT d.job_id::text AS job_id FROM "queue"."dead_letter_jobs" AS d WHERE d.id = $1::uuid
