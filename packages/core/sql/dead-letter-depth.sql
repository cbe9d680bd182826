select "newest"."kind", count(*)::int as "deadLetters", (count(*) FILTER (WHERE newest.dead_lettered_at > now()
    - 900 * interval '1 second'))::int as "recent"
from (select "d"."kind", "d"."dead_lettered_at"
  from "queue"."dead_letter_jobs" as "d"
  order by "d"."dead_lettered_at" desc, "d"."id" desc
  limit 1000) as "newest"
group by "newest"."kind"
order by "newest"."kind"
