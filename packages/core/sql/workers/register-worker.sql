with "known_queues" as (insert into "queue"."queues" ("name")
  select unnest($1::text[])
  on conflict do nothing)
insert into "queue"."workers" ("id", "hostname", "pid", "version", "zone_version", "queues",
    "kinds", "concurrency", "lease_expires_at")
values ($2, $3, $4, $5, $6, $7, $8, $9, now() + $10::float8 * interval '1 millisecond')
