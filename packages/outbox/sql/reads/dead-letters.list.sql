select "d"."id", "d"."topic", "d"."key", "d"."attempts", "d"."reason", "d"."last_error", "d"."payload"::text as
    "payload", "d"."headers"::text as "headers", "d"."history"::text as "history", (round(date_part('epoch',
    "d"."created_at") * 1000000::float8)::bigint / 1000) as "created_at", (round(date_part('epoch',
    "d"."dead_lettered_at") * 1000000::float8)::bigint / 1000) as "dead_lettered_at", (extract(epoch FROM d.dead_lettered_at)
    * 1000000::numeric)::bigint::text as "position"
from "outbox"."outbox_dead_letters" as "d"
where true
order by "d"."dead_lettered_at" desc, "d"."id" desc
limit 51
