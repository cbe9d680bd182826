SELECT "l"."queue", "l"."scope", "l"."name", "l"."max_running", "l"."max_waiting", "l"."rate_count",
    "l"."rate_per_ms", "l"."rate_burst", "l"."on_retry", "l"."fair_by", "l"."weight", (round(date_part('epoch',
    "l"."paused_at") * 1000000::float8)::bigint / 1000) AS paused_ms,
         (round(date_part('epoch', "l"."created_at") * 1000000::float8)::bigint / 1000) AS created_ms,
             (round(date_part('epoch', "l"."updated_at") * 1000000::float8)::bigint / 1000) AS updated_ms FROM
             "queue"."limits" AS l
 WHERE l.queue = $1 AND l.scope = $2 AND l.name = $3
