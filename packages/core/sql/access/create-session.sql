WITH expired AS (DELETE FROM "queue"."api_sessions" WHERE expires_at <= now())
INSERT INTO "queue"."api_sessions" (id, key_id, token_proof, claims, expires_at)
VALUES ($1, $2, $3, $4::jsonb, now() + $5::float8 * interval '1 millisecond')
ON CONFLICT (id) DO NOTHING
