insert into "queue"."job_kinds" ("payload_schema", "defaults", "description", "digest", "kind",
    "version", "sensitive", "registered_by")
values ($1, $2, $3, $4, $5, $6, $7, $8)
on conflict do nothing
returning "kind", "version"
