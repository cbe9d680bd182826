update "queue"."job_kinds"
set "payload_schema" = $1, "defaults" = $2, "description" = $3, "digest" = $4, "superseded" = $5,
    "last_seen_at" = greatest(last_seen_at, now()), "registered_at" = greatest(last_seen_at,
    now())
where "kind" = $6
  and "version" = $7
