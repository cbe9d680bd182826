update "queue"."job_kinds"
set "retired_at" = coalesce(retired_at, now())
where "kind" = $1
returning "version"
