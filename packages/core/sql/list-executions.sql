select "x"."job_id", "x"."attempt", "x"."worker_id", "x"."outcome", "x"."error", "x"."error_class",
    "x"."fingerprint", "x"."lease_token"::text as "lease_token", floor(date_part('epoch', "x"."started_at") * 1000)::bigint
    as "started_at", floor(date_part('epoch', "x"."finished_at") * 1000)::bigint as "finished_at"
from "queue"."jobs" as "j"
left join "queue"."job_executions" as "x" on "x"."job_id" = "j"."id"
where "j"."id" = $1
order by "x"."lease_token"
