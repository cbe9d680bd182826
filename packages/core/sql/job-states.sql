SELECT j.id, j.status, j.attempts, j.max_attempts, j.cancel_requested, j.progress, j.progress_message,
       (date_part('epoch', j.updated_at) * 1000) AS updated_at
  FROM "queue"."jobs" AS j WHERE j.id = ANY($1::uuid[])
