INSERT INTO "queue"."limit_counters" (queue, scope, name) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING
