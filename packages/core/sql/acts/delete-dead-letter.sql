delete from "queue"."dead_letter_jobs"
where "id" = $1
returning "job_id"
