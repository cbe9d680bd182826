delete from "outbox"."outbox_dead_letters" as "d"
where "d"."id" = $1
returning "d"."id"
