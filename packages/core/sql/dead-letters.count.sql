select count(*)::int as "count"
from (select "d"."id"
  from "queue"."dead_letter_jobs" as "d"
  where true AND d.kind = $1 AND d.queue = $2 AND d.tenant_id = $3 AND d.dead_lettered_at >= to_timestamp($4::float8
      / 1000) AND d.dead_lettered_at < to_timestamp($5::float8 / 1000)
  limit 1000) as "d"
