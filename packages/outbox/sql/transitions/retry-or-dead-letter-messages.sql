WITH held AS MATERIALIZED (
  SELECT m.* , i."error", i."wait_ms", i."undeliverable"
    FROM unnest($1::uuid[], $2::bigint[],
  $3::text[], $4::float8[],
  $5::boolean[])
  AS i (id, lease_token, error, wait_ms, undeliverable)
   CROSS JOIN LATERAL (
     SELECT m.* FROM "outbox"."outbox_messages" AS m
      WHERE m.id = i.id AND m.lease_token = i.lease_token AND m.leased_by IS NOT NULL
        FOR UPDATE
   ) AS m
), retried AS (
  UPDATE "outbox"."outbox_messages" AS m
     SET leased_by = NULL, leased_at = NULL, last_error = h.error, history = CASE WHEN jsonb_array_length(coalesce("h".history,
         '[]'::jsonb)) >= 20 THEN coalesce("h".history, '[]'::jsonb) - 0 ELSE coalesce("h".history,
         '[]'::jsonb) END || jsonb_build_array(jsonb_build_object(
  'attempt', "h".attempts, 'lease_token', "h".lease_token, 'worker_id', "h".leased_by,
  'started_at', "h".leased_at, 'ended_at', greatest(now(), "h".leased_at), 'outcome', 'failed'::text,
  'error', left(h.error, 2000))),
         next_retry_at = now() + h.wait_ms * interval '1 millisecond'
    FROM held AS h WHERE m.id = h.id AND m.id = ANY(ARRAY(SELECT held.id FROM held)) AND NOT (h.undeliverable OR
        h.last_attempt)
  RETURNING m.id, m.lease_token
), gone AS (
  DELETE FROM "outbox"."outbox_messages" AS m
   WHERE m.id = ANY(ARRAY(SELECT h.id FROM "held" AS h WHERE (h.undeliverable OR h.last_attempt)))
  RETURNING m.id
), dead_lettered AS (
  INSERT INTO "outbox"."outbox_dead_letters" AS d
    (id, sequence, lease_token, created_at, dead_lettered_at, attempts, reason, topic, key,
        payload, headers, history,
     last_error)
  SELECT h.id, h.sequence, h.lease_token, h.created_at, now(), h.attempts, CASE WHEN h.undeliverable THEN 'undeliverable'
      ELSE 'exhausted' END, h.topic, h.key, h.payload,
         h.headers, CASE WHEN jsonb_array_length(coalesce("h".history, '[]'::jsonb)) >= 20 THEN coalesce("h".history,
             '[]'::jsonb) - 0 ELSE coalesce("h".history, '[]'::jsonb) END || jsonb_build_array(jsonb_build_object(
  'attempt', "h".attempts, 'lease_token', "h".lease_token, 'worker_id', "h".leased_by,
  'started_at', "h".leased_at, 'ended_at', greatest(now(), "h".leased_at), 'outcome', 'failed'::text,
  'error', left(h.error, 2000))), h.error
    FROM "held" AS h WHERE (h.undeliverable OR h.last_attempt) ORDER BY h.id
  ON CONFLICT (id) DO UPDATE SET
    lease_token = EXCLUDED.lease_token, dead_lettered_at = EXCLUDED.dead_lettered_at, attempts = EXCLUDED.attempts,
    reason = EXCLUDED.reason, history = EXCLUDED.history, last_error = EXCLUDED.last_error
  RETURNING d.id, d.lease_token, d.topic
), ended AS (
  SELECT r.id, r.lease_token FROM retried AS r UNION ALL SELECT b.id, b.lease_token FROM dead_lettered AS b
)
SELECT id, lease_token::text AS lease_token FROM ended
