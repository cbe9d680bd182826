INSERT INTO "queue"."jobs" ("id", "queue", "kind", "payload", "priority", "max_attempts", "run_at",
    created_at, updated_at)
SELECT "i"."id", $1::text, $2::text, "i"."payload"::jsonb, $3::smallint, $4::integer, i.at,
    i.created_at, i.created_at FROM (SELECT unnest($5::uuid[]) AS "id", unnest($6::text[]) AS "payload",
    at, greatest(at, to_timestamp($7::float8 / 1000::float8)) AS created_at FROM clock_timestamp() AS at WHERE
    at < to_timestamp($8::float8 / 1000::float8) + 3600::float8 * interval '1 second') AS i RETURNING (round(date_part('epoch',
    created_at) * 1000000::float8)::bigint / 1000)::text AS created_at
