WITH RECURSIVE topics AS MATERIALIZED (
  SELECT * FROM unnest($1::text[], $2::text[])
    WITH ORDINALITY AS t (topic, after_key, place)
), walked AS (
  SELECT t.topic, t.after_key COLLATE "C" AS key, NULL::uuid AS id, NULL::bigint AS lease_token,
      false AS due,
         0 AS steps, 0 AS found
    FROM topics AS t
  UNION ALL
  SELECT w.topic, head.key, coalesce(held.id, head.id), coalesce(held.lease_token, head.lease_token),
         coalesce(held.due, head.due), w.steps + 1, w.found + coalesce(held.due, head.due)::int
    FROM walked AS w
   CROSS JOIN LATERAL (
     SELECT c.key, c.id, c.lease_token, c.leased_by, "c".next_retry_at <= now() AND NOT "c".last_attempt AS due
       FROM "outbox"."outbox_messages" AS c
      WHERE c.topic = w.topic AND c.key > w.key AND c.delivered_at IS NULL AND c.key IS NOT NULL
      ORDER BY c.key, c.sequence LIMIT 1
   ) AS head
    LEFT JOIN LATERAL (
     SELECT l.id, l.lease_token, "l".next_retry_at <= now() AND NOT "l".last_attempt AS due
       FROM "outbox"."outbox_messages" AS l
      WHERE head.leased_by IS NULL AND l.topic = w.topic AND l.key = head.key AND l.leased_by IS NOT NULL
   ) AS held ON true
   WHERE w.steps < 200 AND w.found < 10
), ends AS (
  SELECT DISTINCT ON (w.topic) w.topic, CASE WHEN w.steps > 0 THEN w.key END AS key, w.steps < 200 AND w.found
      < 10 AS over
    FROM walked AS w ORDER BY w.topic, w.steps DESC
), candidates AS MATERIALIZED (
  SELECT due.id, row_number() OVER () AS place
    FROM ((
    SELECT due.id FROM topics AS t
     CROSS JOIN LATERAL (
       SELECT c.id FROM "outbox"."outbox_messages" AS c
        WHERE c.topic = t.topic AND c.delivered_at IS NULL AND c.key IS NULL AND NOT c.last_attempt
          AND c.next_retry_at <= now()
        ORDER BY c.next_retry_at LIMIT 10 FOR UPDATE SKIP LOCKED
     ) AS due) UNION ALL (
    SELECT due.id FROM walked AS w
     CROSS JOIN LATERAL (
       SELECT c.id FROM "outbox"."outbox_messages" AS c
        WHERE c.id = w.id AND c.lease_token = w.lease_token AND c.delivered_at IS NULL
          AND c.next_retry_at <= now()
          FOR UPDATE SKIP LOCKED
     ) AS due
     WHERE w.due)) AS due
   LIMIT 10
), claimed AS (
  UPDATE "outbox"."outbox_messages" AS m
     SET attempts = m.attempts + 1, lease_token = m.lease_token + 1,
         last_attempt = m.attempts + 1 >= $3::int,
         next_retry_at = now() + $4::float8 * interval '1 millisecond',
         leased_by = $5, leased_at = now(),
         history = CASE WHEN m.leased_by <> '' THEN CASE WHEN jsonb_array_length(coalesce("m".history,
             '[]'::jsonb)) >= 20 THEN coalesce("m".history, '[]'::jsonb) - 0 ELSE coalesce("m".history,
             '[]'::jsonb) END || jsonb_build_array(jsonb_build_object(
  'attempt', "m".attempts, 'lease_token', "m".lease_token, 'worker_id', "m".leased_by,
  'started_at', "m".leased_at, 'ended_at', greatest(now(), "m".leased_at), 'outcome', 'lost'::text,
  'error', left('the relay ' || "m".leased_by || ' did not come back before its lease ended',
      2000))) ELSE m.history END,
         last_error = CASE WHEN m.leased_by <> '' THEN 'the relay ' || "m".leased_by || ' did not come back before its lease ended'
             ELSE m.last_error END
    FROM candidates AS c
   WHERE m.id = c.id AND m.id = ANY(ARRAY(SELECT candidates.id FROM candidates))
  RETURNING "m".id, "m".lease_token::text AS lease_token, "m".topic, "m".key, "m".payload::text AS payload,
"m".headers::text AS headers, "m".attempts, "m".last_attempt, (round(date_part('epoch', "m".created_at) * 1000000::float8)::bigint
    / 1000) AS created_at, c.place::int AS place
)
SELECT walks.ends, claimed.*
  FROM (SELECT coalesce(json_agg(json_build_object('topic', e.topic, 'key', e.key, 'over',
      e.over)), '[]')::text
               AS ends FROM ends AS e) AS walks
  LEFT JOIN claimed ON true
