select "k"."kind", "k"."version", "k"."description", "k"."sensitive", "k"."digest", "k"."registered_by" as "registeredBy",
    "k"."payload_schema"::text as "schemaText", "k"."defaults"::text as "defaultsText", (round(date_part('epoch',
    "k"."registered_at") * 1000000::float8)::bigint / 1000) as "registeredMs", (round(date_part('epoch',
    "k"."last_seen_at") * 1000000::float8)::bigint / 1000) as "seenMs", (round(date_part('epoch',
    "k"."retired_at") * 1000000::float8)::bigint / 1000) as "retiredMs"
from "queue"."job_kinds" as "k"
order by k.kind COLLATE "C", "k"."version"
