update "queue"."queues"
set "paused_at" = coalesce(paused_at, now())
where "name" = $1
returning "name", (date_part('epoch', "paused_at") * 1000) as "pausedMs"
