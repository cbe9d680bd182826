SELECT CASE WHEN pg_column_size("c".payload) <= $1::int / 256 OR pg_column_size("c".payload) <= $2::int AND pg_column_compression("c".payload)
    IS NULL THEN "c".payload::text WHEN pg_column_size("c".payload) <= $3::int / 16 THEN (SELECT CASE WHEN octet_length(p.text)
    <= $4::int THEN p.text END FROM (SELECT "c".payload::text AS text OFFSET 0) AS p) END AS payload,
"c"."id", "c"."lease_token", "c"."queue", "c"."kind", "c"."kind_version", "c"."tenant_id",
    "c"."priority", "c"."attempts", "c"."max_attempts", "c"."timeout_ms", "c"."crashes", "c"."cancel_requested",
    "c"."trace_context",
array_to_json("c".sensitive)::text AS sensitive, "c".retry_policy::text AS retry_policy, "c".metadata::text AS
    metadata, round(date_part('epoch', "c".run_at) * 1000000::float8)::bigint AS run_at_us,
(round(date_part('epoch', "c".expires_at) * 1000000::float8)::bigint / 1000) AS expires_at,
    (round(date_part('epoch', "c".created_at) * 1000000::float8)::bigint / 1000) AS created_at,
    "c".ctid AS ctid, c.key, c.counted, round(date_part('epoch', c.claimed_at) * 1000000::float8)::bigint AS claimed_at_us,
    c.seen::text AS seen
  FROM "queue"."claim_lanes"($5::text, $6::text[],
         $7::smallint[], $8::text[],
         $9::integer[], $10::text[],
         $11::integer,
         $12::boolean,
         $13::float8,
         $14::float8,
         $15::jsonb) AS c
