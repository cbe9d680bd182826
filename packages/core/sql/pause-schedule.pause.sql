UPDATE "queue"."schedules" AS s SET paused_at = clock_timestamp()
 WHERE s.tenant_id = $1 AND s.name = $2 RETURNING "s"."name", "s"."source", "s"."kind", "s"."cron",
     "s"."time_zone", "s"."missed", "s"."overlap", "s"."paused_reason", "s"."revision"::float8 AS "revision",
     "s"."every_ms"::float8 AS "every_ms", "s"."missed_window_ms"::float8 AS "missed_window_ms",
     "s"."fired_count"::float8 AS "fired_count", "s"."missed_count"::float8 AS "missed_count",
     "s"."skipped_count"::float8 AS "skipped_count", round((date_part('epoch', "s"."starts_at") * 1000)) AS "starts_ms",
     round((date_part('epoch', "s"."ends_at") * 1000)) AS "ends_ms", round((date_part('epoch',
     "s"."paused_at") * 1000)) AS "paused_ms", round((date_part('epoch', "s"."next_run_at") * 1000)) AS "next_run_ms",
     round((date_part('epoch', "s"."last_run_at") * 1000)) AS "last_run_ms", round((date_part('epoch',
     "s"."created_at") * 1000)) AS "created_ms", round((date_part('epoch', "s"."updated_at") * 1000)) AS "updated_ms",
     s.jitter_ms, s.payload::text AS payload, s.options::text AS options, s.last_job_id::text AS last_job_id,
     (date_part('epoch', clock_timestamp()) * 1000) AS now_ms
