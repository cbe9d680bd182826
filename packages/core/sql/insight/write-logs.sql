WITH held AS MATERIALIZED (
  SELECT j.id, j.lease_token
    FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
   CROSS JOIN LATERAL (
     SELECT j.id, j.lease_token FROM "queue"."jobs" AS j
      WHERE j.id = i.id AND j.lease_token = i.lease_token
        FOR SHARE
   ) AS j
), trimmed AS (
  DELETE FROM "queue"."job_logs" AS x USING held AS h
   WHERE h.lease_token > 100 AND x.job_id = h.id
     AND x.lease_token <= h.lease_token - 100)
INSERT INTO "queue"."job_logs" (job_id, lease_token, attempt, line, at, level, message, fields)
SELECT l.job_id, l.lease_token, l.attempt, l.line, to_timestamp(l.at_ms / 1000::float8), l.level,
    l.message, nullif(l.fields, '')::jsonb
  FROM unnest($3::uuid[],
         $4::bigint[],
         $5::integer[], $6::integer[],
         $7::float8[], $8::text[],
         $9::text[],
         $10::text[])
    AS l (job_id, lease_token, attempt, line, at_ms, level, message, fields)
 WHERE (l.job_id, l.lease_token) IN (SELECT h.id, h.lease_token FROM held AS h)
ON CONFLICT DO NOTHING
