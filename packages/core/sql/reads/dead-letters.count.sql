select count(*)::int as "count"
from (select "d"."id"
  from "queue"."dead_letter_jobs" as "d"
  where (true and "d"."kind" = $1 and "d"."queue" = $2 and "d"."fingerprint" = $3 and "d"."tenant_id" = $4 and
      "d"."dead_lettered_at" >= to_timestamp($5::float8 / 1000::float8) and "d"."dead_lettered_at" < to_timestamp($6::float8
      / 1000::float8))
  limit 1000) as "d"
