UPDATE "queue"."api_keys" SET last_used_at = date_trunc('hour', now())
 WHERE id = $1 AND (last_used_at IS NULL OR last_used_at < date_trunc('hour', now()))
