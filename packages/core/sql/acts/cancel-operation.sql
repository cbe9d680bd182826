      WITH running AS MATERIALIZED (
        SELECT o.id FROM "queue"."operations" AS o
         WHERE o.id = $1::uuid AND o.state = 'running' FOR UPDATE
      ), clock AS MATERIALIZED (
    SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "running") AS locked
  )
      UPDATE "queue"."operations" AS o SET state = 'cancelled', finished_at = clock.at
        FROM running CROSS JOIN clock WHERE o.id = running.id RETURNING o.id, o.act, o.filter::text AS filter,
            (round(date_part('epoch', o.run_at) * 1000000::float8)::bigint / 1000) AS run_at,
            o.rate, o.state,
o.expected, o.expected_is_least, o.changed, o.skipped, o.reason, o.actor,
o.actor_name, (round(date_part('epoch', o.created_at) * 1000000::float8)::bigint / 1000) AS created_at,
    (round(date_part('epoch', o.finished_at) * 1000000::float8)::bigint / 1000) AS finished_at
