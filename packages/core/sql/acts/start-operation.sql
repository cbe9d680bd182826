  INSERT INTO "queue"."operations" AS o ("tenant_id", "id", "act", "filter", "run_at", "scope",
      "actor_type", "actor", "actor_name", "address", "request_id", "rights_end_at", "rate",
      "up_to", "expected", "expected_is_least")
  SELECT $1, $2::uuid, $3, $4::jsonb, NULL, $5::jsonb, $6, $7, $8, $9, $10, NULL, $11::int,
      $12::uuid, $13::int, $14::boolean WHERE (SELECT count(*) FROM "queue"."operations" AS r WHERE r.state = 'running'
      AND r.actor_type = $15 AND r.actor = $16) < 50 RETURNING o.id, o.act, o.filter::text AS filter,
      (round(date_part('epoch', o.run_at) * 1000000::float8)::bigint / 1000) AS run_at, o.rate,
      o.state,
o.expected, o.expected_is_least, o.changed, o.skipped, o.reason, o.actor,
o.actor_name, (round(date_part('epoch', o.created_at) * 1000000::float8)::bigint / 1000) AS created_at,
    (round(date_part('epoch', o.finished_at) * 1000000::float8)::bigint / 1000) AS finished_at
