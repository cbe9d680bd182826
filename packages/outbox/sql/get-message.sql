SELECT "m".id, "m".topic, "m".key, "m".payload::text AS payload, "m".headers::text AS headers,
"m".attempts, "m".leased_by, (date_part('epoch', "m".next_retry_at) * 1000) AS next_retry_at,
(date_part('epoch', "m".delivered_at) * 1000) AS delivered_at, "m".last_error,
(date_part('epoch', "m".created_at) * 1000) AS created_at, "m".history::text AS history FROM "outbox"."outbox_messages"
    AS m WHERE m.id = $1::uuid
