update "queue"."workers"
set "heartbeat_at" = now(), "lease_expires_at" = now() + $1::float8 * interval '1 millisecond'
where "id" = $2
  and "state" = 'active'
