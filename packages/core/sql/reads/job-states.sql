select "j"."id", "j"."status", "j"."attempts", "j"."max_attempts" as "maxAttempts", "j"."progress",
    "j"."cancel_requested" as "cancelRequested", "j"."progress_message" as "progressMessage",
    (round(date_part('epoch', "j"."updated_at") * 1000000::float8)::bigint / 1000) as "updatedAtMs"
from "queue"."jobs" as "j"
where "j"."id" = any($1::uuid[])
