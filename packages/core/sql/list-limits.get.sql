SELECT "l"."queue", "l"."scope", "l"."name", "l"."max_running", "l"."max_waiting", "l"."rate_count",
    "l"."rate_per_ms", "l"."rate_burst", "l"."on_retry", "l"."fair_by", "l"."weight", floor(date_part('epoch',
    "l"."paused_at") * 1000)::bigint AS paused_ms,
         floor(date_part('epoch', "l"."created_at") * 1000)::bigint AS created_ms, floor(date_part('epoch',
             "l"."updated_at") * 1000)::bigint AS updated_ms FROM "queue"."limits" AS l
 WHERE l.queue = $1 AND l.scope = $2 AND l.name = $3
