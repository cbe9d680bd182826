SELECT floor(date_part('epoch', min(s.due_at)) * 1000)::bigint - floor(date_part('epoch', clock_timestamp()) *
    1000)::bigint AS due_ms
  FROM "queue"."schedules" AS s WHERE s.paused_at IS NULL
