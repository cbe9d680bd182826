UPDATE "queue"."workers" SET state = 'stopped' WHERE id = $1 AND state = 'active'
