UPDATE "queue"."workers"
   SET heartbeat_at = now(), lease_expires_at = now() + $1::float8 * interval '1 millisecond'
 WHERE id = $2 AND state = 'active'
