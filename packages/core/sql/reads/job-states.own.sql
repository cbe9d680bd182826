select "j"."id", "j"."status", "j"."attempts", "j"."max_attempts" as "maxAttempts", "j"."progress",
    "j"."cancel_requested" as "cancelRequested", "j"."progress_message" as "progressMessage",
    (round(date_part('epoch', "j"."updated_at") * 1000000::float8)::bigint / 1000) as "updatedAtMs"
from "queue"."tenant_jobs" as "j"
where "j"."id" = any($1::uuid[])
  and "j"."tenant_id" = $2 AND "j"."queue" = ANY($3::text[]) AND "j"."kind" = ANY($4::text[])
