select "m"."id" as "id", "m"."topic" as "topic", "m"."key" as "key", "m"."payload"::text as "payload",
    "m"."headers"::text as "headers", "m"."attempts" as "attempts", "m"."leased_by" as "leased_by",
    (round(date_part('epoch', "m"."next_retry_at") * 1000000::float8)::bigint / 1000) as "next_retry_at",
    (round(date_part('epoch', "m"."delivered_at") * 1000000::float8)::bigint / 1000) as "delivered_at",
    "m"."last_error" as "last_error", (round(date_part('epoch', "m"."created_at") * 1000000::float8)::bigint /
    1000) as "created_at", "m"."history"::text as "history"
from "outbox"."outbox_messages" as "m"
where "m"."id" = $1
