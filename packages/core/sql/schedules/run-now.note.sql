UPDATE "queue"."schedules" AS s SET last_job_id = $1::uuid
 WHERE s.tenant_id = $2 AND s.name = $3
