select count(*)::int as "count"
from (select "d"."id"
  from "queue"."dead_letter_jobs" as "d"
  where (true and "d"."kind" = $1 and "d"."queue" = $2 and "d"."tenant_id" = $3 and "d"."dead_lettered_at" >= to_timestamp($4::float8
      / 1000) and "d"."dead_lettered_at" < to_timestamp($5::float8 / 1000))
  limit 1000) as "d"
