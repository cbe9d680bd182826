WITH chosen AS (
  SELECT id FROM queue.jobs
   WHERE kind = 'send_digest' AND status IN ('queued', 'retrying') AND payload ->> 'user' = 'ada'
   ORDER BY id LIMIT 1000
     FOR UPDATE SKIP LOCKED
)
UPDATE queue.jobs AS j
   SET payload = jsonb_set(j.payload, '{user}', '"ada.lovelace"'), updated_at = statement_timestamp()
  FROM chosen
 WHERE j.id = chosen.id
RETURNING j.id
