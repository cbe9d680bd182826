SELECT FROM "queue"."jobs" AS j WHERE j.id = $1::uuid AND j.finished_at IS NULL
