SELECT (round(date_part('epoch', min(s.due_at)) * 1000000::float8)::bigint / 1000) - (round(date_part('epoch',
    clock_timestamp()) * 1000000::float8)::bigint / 1000) AS due_ms
  FROM "queue"."schedules" AS s WHERE s.paused_at IS NULL
