SELECT s.id, s.key_id, s.token_proof, s.claims::text AS claims, (date_part('epoch', s.expires_at) * 1000) AS expires_at,
       (date_part('epoch', s.expires_at) * 1000) - (date_part('epoch', now()) * 1000) AS expires_in_ms
  FROM "queue"."api_sessions" AS s WHERE s.id = ANY($1::bytea[]) AND s.expires_at > now()
