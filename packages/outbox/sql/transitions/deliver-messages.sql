WITH held AS MATERIALIZED (
  SELECT m.*
    FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
   CROSS JOIN LATERAL (
     SELECT m.* FROM "outbox"."outbox_messages" AS m
      WHERE m.id = i.id AND m.lease_token = i.lease_token AND m.leased_by IS NOT NULL
        FOR UPDATE
   ) AS m
), ended AS (
  UPDATE "outbox"."outbox_messages" AS m
     SET delivered_at = now(), last_attempt = false, leased_by = NULL, leased_at = NULL
    FROM held AS h WHERE m.id = h.id AND m.id = ANY(ARRAY(SELECT held.id FROM held))
  RETURNING m.id, m.lease_token
)
SELECT id, lease_token::text AS lease_token FROM ended
