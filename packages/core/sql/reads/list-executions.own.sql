select "x"."job_id", "x"."attempt", "x"."worker_id", "x"."outcome", "x"."error", "x"."error_class",
    "x"."fingerprint", "x"."lease_token"::text as "lease_token", (round(date_part('epoch',
    "x"."started_at") * 1000000::float8)::bigint / 1000) as "started_at", (round(date_part('epoch',
    "x"."finished_at") * 1000000::float8)::bigint / 1000) as "finished_at"
from "queue"."tenant_jobs" as "j"
left join "queue"."tenant_job_executions" as "x" on "x"."job_id" = "j"."id"
where "j"."id" = $1
  and "j"."tenant_id" = $2 AND "j"."queue" = ANY($3::text[]) AND "j"."kind" = ANY($4::text[])
order by "x"."lease_token"
