SELECT count(*)::float8 AS count FROM "queue"."api_key_revocations"
