DELETE FROM "queue"."limits" AS l WHERE l.queue = $1 AND l.scope = $2 AND l.name = $3 RETURNING l.queue
