WITH locked AS MATERIALIZED (
  SELECT * FROM "queue"."schedules" AS s
   WHERE s.tenant_id = $1 AND s.name = ANY($2::text[]) ORDER BY s.name FOR UPDATE
)
SELECT "s"."name", "s"."source", "s"."kind", "s"."cron", "s"."time_zone", "s"."missed", "s"."overlap",
    "s"."paused_reason", "s"."revision"::bigint AS "revision", "s"."every_ms"::bigint AS "every_ms",
    "s"."missed_window_ms"::bigint AS "missed_window_ms", "s"."fired_count"::bigint AS "fired_count",
    "s"."missed_count"::bigint AS "missed_count", "s"."skipped_count"::bigint AS "skipped_count",
    (date_part('epoch', "s"."starts_at") * 1000::float8)::bigint AS "starts_ms", (date_part('epoch',
    "s"."ends_at") * 1000::float8)::bigint AS "ends_ms", (date_part('epoch', "s"."paused_at") * 1000::float8)::bigint
    AS "paused_ms", (date_part('epoch', "s"."next_run_at") * 1000::float8)::bigint AS "next_run_ms",
    (date_part('epoch', "s"."last_run_at") * 1000::float8)::bigint AS "last_run_ms", (date_part('epoch',
    "s"."created_at") * 1000::float8)::bigint AS "created_ms", (date_part('epoch', "s"."updated_at") * 1000::float8)::bigint
    AS "updated_ms", s.jitter_ms, s.payload::text AS payload, s.options::text AS options, s.last_job_id::text AS
    last_job_id, (round(date_part('epoch', clock_timestamp()) * 1000000::float8)::bigint / 1000) AS now_ms FROM
    locked AS s ORDER BY s.name
