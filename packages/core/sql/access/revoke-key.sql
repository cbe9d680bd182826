WITH added AS (
  INSERT INTO "queue"."api_key_revocations" (key_id) SELECT k.id FROM "queue"."api_keys" AS k WHERE k.id = $1 ON
      CONFLICT DO NOTHING
  RETURNING key_id
)
SELECT EXISTS (SELECT FROM added) AS is_new FROM "queue"."api_keys" AS k WHERE k.id = $2
