DELETE FROM "queue"."api_sessions" WHERE id = $1
