DELETE FROM "queue"."dead_letter_jobs" WHERE id = $1::uuid RETURNING id
