INSERT INTO "queue"."limits" AS l (queue, scope, name, max_running, max_waiting, rate_count,
    rate_per_ms, rate_burst, on_retry, fair_by, weight, paused_at)
VALUES ($1, $2, $3, $4::integer, $5::integer,
        $6::integer, $7::integer, $8::integer,
        $9::text, $10::text, $11::smallint,
        CASE WHEN $12::boolean THEN statement_timestamp() END)
ON CONFLICT ON CONSTRAINT limits_pkey DO UPDATE
  SET max_running = excluded.max_running, max_waiting = excluded.max_waiting, rate_count = excluded.rate_count,
      rate_per_ms = excluded.rate_per_ms,
      rate_burst = excluded.rate_burst, on_retry = excluded.on_retry,
      fair_by = excluded.fair_by, weight = excluded.weight, updated_at = greatest(clock_timestamp(),
          date_trunc('milliseconds', l.updated_at) + interval '1 millisecond'),
      paused_at = CASE WHEN excluded.paused_at IS NOT NULL THEN coalesce(l.paused_at, excluded.paused_at) END
RETURNING "l"."queue", "l"."scope", "l"."name", "l"."max_running", "l"."max_waiting", "l"."rate_count",
    "l"."rate_per_ms", "l"."rate_burst", "l"."on_retry", "l"."fair_by", "l"."weight", (round(date_part('epoch',
    "l"."paused_at") * 1000000::float8)::bigint / 1000) AS paused_ms,
         (round(date_part('epoch', "l"."created_at") * 1000000::float8)::bigint / 1000) AS created_ms,
             (round(date_part('epoch', "l"."updated_at") * 1000000::float8)::bigint / 1000) AS updated_ms
