DELETE FROM "queue"."waiting_counts" AS w WHERE w.queue = $1 AND w.tenant_id = $2
