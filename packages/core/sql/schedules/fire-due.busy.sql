SELECT j.id::text AS id FROM "queue"."jobs" AS j
 WHERE j.id = ANY($1::uuid[]) AND j.finished_at IS NULL
