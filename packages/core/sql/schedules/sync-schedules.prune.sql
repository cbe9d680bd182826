DELETE FROM "queue"."schedules" AS s
 WHERE s.tenant_id = $1 AND s.source = $2 AND s.name <> ALL($3::text[])
RETURNING s.name
