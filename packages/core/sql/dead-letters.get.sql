select "d"."id", "d"."job_id", "d"."queue", "d"."kind", "d"."tenant_id", "d"."priority", "d"."attempts",
    "d"."max_attempts", "d"."crashes", "d"."last_error", "d"."idempotency_key", "d"."payload"::text as "payload",
    "d"."execution_history"::text as "execution_history", (date_part('epoch', "d"."created_at") * 1000) as "created_at",
    (date_part('epoch', "d"."dead_lettered_at") * 1000) as "dead_lettered_at", to_char(d.dead_lettered_at AT TIME
    ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || d.id as "position"
from "queue"."dead_letter_jobs" as "d"
where "d"."id" = $1
