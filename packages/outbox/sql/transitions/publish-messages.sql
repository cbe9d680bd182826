WITH caller AS MATERIALIZED (
  SELECT $1::text IS NULL OR coalesce(pg_current_xact_id_if_assigned()::text = $2::text, false) AS is_inside
), published AS (
  INSERT INTO "outbox"."outbox_messages" (id, topic, key, payload, headers)
  SELECT i.id, i.topic, nullif(i.key, ''), i.payload::jsonb, i.headers::jsonb
    FROM caller
   CROSS JOIN unnest($3::uuid[], $4::text[],
           $5::text[], $6::text[],
           $7::text[])
         WITH ORDINALITY AS i (id, topic, key, payload, headers, place)
   WHERE caller.is_inside ORDER BY i.place
), told AS MATERIALIZED (
  SELECT pg_notify($8, topic)
    FROM caller CROSS JOIN unnest($9::text[]) AS topic WHERE caller.is_inside
)
SELECT (SELECT count(*) FROM told) AS told FROM caller WHERE caller.is_inside
