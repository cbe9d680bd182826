DELETE FROM "queue"."workers" AS w
 WHERE w.state <> 'active' AND w.lease_expires_at < now() - 1 * interval '1 hour'
   AND NOT EXISTS (SELECT FROM "queue"."jobs" AS j WHERE j.locked_by = w.id AND j.locked_by IS NOT NULL)
RETURNING w.id
