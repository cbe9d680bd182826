DELETE FROM "queue"."schedules" AS s
 WHERE s.tenant_id = $1 AND s.name = $2 RETURNING s.name
