select count(*)::int as "count"
from (select "d"."id"
  from "queue"."tenant_dead_letter_jobs" as "d"
  where true
    and "d"."tenant_id" = $1 AND "d"."queue" = ANY($2::text[]) AND "d"."kind" = ANY($3::text[])
  limit 1000) as "d"
