delete from "queue"."tenant_dead_letter_jobs"
where "id" = $1
  and "tenant_id" = $2 AND "queue" = ANY($3::text[]) AND "kind" = ANY($4::text[])
returning "job_id"
