select "k"."kind", "k"."version", "k"."digest", "k"."superseded", "k"."sensitive", "k"."payload_schema"::text as
    "schemaText", "k"."retired_at" IS NOT NULL as "isRetired", (round(date_part('epoch', now()) * 1000000::float8)::bigint
    / 1000) - (round(date_part('epoch', "k"."last_seen_at") * 1000000::float8)::bigint / 1000) as "seenMs"
from "queue"."job_kinds" as "k"
where "k"."kind" = ANY($1::text[])
order by "k"."kind", "k"."version"
