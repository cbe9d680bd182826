WITH held AS MATERIALIZED (
  SELECT m.* , i."wait_ms", i."error"
    FROM unnest($1::uuid[], $2::bigint[],
  $3::float8[], $4::text[])
  AS i (id, lease_token, wait_ms, error)
   CROSS JOIN LATERAL (
     SELECT m.* FROM "outbox"."outbox_messages" AS m
      WHERE m.id = i.id AND m.lease_token = i.lease_token AND m.leased_by IS NOT NULL
        FOR UPDATE
   ) AS m
), ended AS (
  UPDATE "outbox"."outbox_messages" AS m
     SET attempts = m.attempts - 1, last_attempt = false, leased_by = NULL, leased_at = NULL,
         next_retry_at = now() + h.wait_ms * interval '1 millisecond', last_error = coalesce(h.error,
             m.last_error)
    FROM held AS h WHERE m.id = h.id AND m.id = ANY(ARRAY(SELECT held.id FROM held))
  RETURNING m.id, m.lease_token
)
SELECT id, lease_token::text AS lease_token FROM ended
