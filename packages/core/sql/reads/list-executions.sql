select "x"."job_id", "x"."attempt", "x"."worker_id", "x"."outcome", "x"."error", "x"."error_class",
    "x"."fingerprint", "x"."lease_token"::text as "lease_token", (round(date_part('epoch',
    "x"."started_at") * 1000000::float8)::bigint / 1000) as "started_at", (round(date_part('epoch',
    "x"."finished_at") * 1000000::float8)::bigint / 1000) as "finished_at"
from "queue"."jobs" as "j"
left join "queue"."job_executions" as "x" on "x"."job_id" = "j"."id"
where "j"."id" = $1
order by "x"."lease_token"
