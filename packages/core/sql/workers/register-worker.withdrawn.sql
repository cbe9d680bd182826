insert into "queue"."workers" ("id", "hostname", "pid", "version", "zone_version", "queues",
    "kinds", "concurrency", "lease_expires_at", "state")
values ($1, $2, $3, $4, $5, $6, $7, $8, now() + $9::float8 * interval '1 millisecond', 'stopped')
on conflict ("id") do update
set "state" = 'stopped'
where "queue"."workers"."state" = 'active'
