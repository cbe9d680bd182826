WITH expired AS (DELETE FROM "queue"."api_sessions" WHERE expires_at <= now())
INSERT INTO "queue"."api_sessions" (id, key_id, token_proof, expires_at)
VALUES ($1, $2, $3, now() + $4::float8 * interval '1 millisecond')
ON CONFLICT (id) DO NOTHING
