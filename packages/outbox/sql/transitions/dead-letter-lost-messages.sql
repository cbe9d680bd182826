WITH lost AS MATERIALIZED (
  SELECT m.* FROM "outbox"."outbox_messages" AS m
   WHERE m.delivered_at IS NULL AND m.last_attempt AND m.next_retry_at <= now()
   ORDER BY m.next_retry_at LIMIT 500
     FOR UPDATE SKIP LOCKED
), gone AS (
  DELETE FROM "outbox"."outbox_messages" AS m
   WHERE m.id = ANY(ARRAY(SELECT h.id FROM "lost" AS h WHERE true))
  RETURNING m.id
), dead_lettered AS (
  INSERT INTO "outbox"."outbox_dead_letters" AS d
    (id, sequence, lease_token, created_at, dead_lettered_at, attempts, reason, topic, key,
        payload, headers, history,
     last_error)
  SELECT h.id, h.sequence, h.lease_token, h.created_at, now(), h.attempts, 'lost', h.topic,
      h.key, h.payload,
         h.headers, CASE WHEN jsonb_array_length(coalesce("h".history, '[]'::jsonb)) >= 20 THEN coalesce("h".history,
             '[]'::jsonb) - 0 ELSE coalesce("h".history, '[]'::jsonb) END || jsonb_build_array(jsonb_build_object(
  'attempt', "h".attempts, 'lease_token', "h".lease_token, 'worker_id', "h".leased_by,
  'started_at', "h".leased_at, 'ended_at', greatest(now(), "h".leased_at), 'outcome', 'lost'::text,
  'error', left('the relay ' || "h".leased_by || ' did not come back before its lease ended',
      2000))), 'the relay ' || "h".leased_by || ' did not come back before its lease ended'
    FROM "lost" AS h WHERE true ORDER BY h.id
  ON CONFLICT (id) DO UPDATE SET
    lease_token = EXCLUDED.lease_token, dead_lettered_at = EXCLUDED.dead_lettered_at, attempts = EXCLUDED.attempts,
    reason = EXCLUDED.reason, history = EXCLUDED.history, last_error = EXCLUDED.last_error
  RETURNING d.id, d.lease_token, d.topic
)
SELECT b.id, b.topic FROM dead_lettered AS b
