  SELECT d.id, d.topic, d.key, d.payload::text AS payload, d.headers::text AS headers, d.attempts,
d.reason, d.last_error, d.history::text AS history, (date_part('epoch', d.created_at) * 1000) AS created_at,
(date_part('epoch', d.dead_lettered_at) * 1000) AS dead_lettered_at, (extract(epoch FROM d.dead_lettered_at) *
    1000000)::bigint::text AS position FROM "outbox"."outbox_dead_letters" AS d
   WHERE true AND d.topic = $1 AND d.key = $2 AND d.reason = $3 AND d.dead_lettered_at >= to_timestamp($4::float8
       / 1000) AND d.dead_lettered_at < to_timestamp($5::float8 / 1000) AND (d.dead_lettered_at,
       d.id) < ('1970-01-01 00:00:00+00'::timestamptz + $6::bigint * interval '1 microsecond',
       $7::uuid)
   ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT 51
