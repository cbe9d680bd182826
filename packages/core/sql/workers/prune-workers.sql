delete from "queue"."workers" as "w"
where "w"."state" <> 'active'
  and "w"."lease_expires_at" < now() - 1::float8 * interval '1 hour'
  and not exists (select 1 as "one"
  from "queue"."jobs" as "j"
  where "j"."locked_by" = "w"."id"
    and "j"."locked_by" is not null)
returning "w"."id"
