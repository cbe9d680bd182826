WITH unused AS (
  SELECT c.queue, c.scope, c.name, c.tenant_id FROM "queue"."limit_counters" AS c
   WHERE c.scope = 'key' AND c.running = 0 AND c.spent_until < statement_timestamp()
     AND NOT EXISTS (SELECT FROM "queue"."lanes" AS l
                      WHERE l.queue = c.queue AND l.key = c.name AND l.tenant_id = c.tenant_id)
     AND NOT EXISTS (SELECT FROM "queue"."jobs" AS j WHERE j.id = c.held_by AND j.finished_at IS NULL)
   LIMIT 1000 FOR UPDATE SKIP LOCKED
)
DELETE FROM "queue"."limit_counters" AS c USING unused AS u
 WHERE c.queue = u.queue AND c.scope = u.scope AND c.name = u.name AND c.tenant_id = u.tenant_id
RETURNING c.queue
