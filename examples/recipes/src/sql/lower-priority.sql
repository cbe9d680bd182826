WITH chosen AS (
  SELECT id FROM queue.jobs
   WHERE kind = 'send_digest' AND status IN ('queued', 'retrying') AND priority < 8
   ORDER BY id LIMIT 1000
     FOR UPDATE SKIP LOCKED
)
UPDATE queue.jobs AS j
   SET priority = 8, run_at = greatest(j.run_at, statement_timestamp()), updated_at = statement_timestamp()
  FROM chosen
 WHERE j.id = chosen.id
RETURNING j.id
