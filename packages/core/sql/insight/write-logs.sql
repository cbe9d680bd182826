WITH input AS MATERIALIZED (
  SELECT i.* FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
), live AS MATERIALIZED (
  SELECT j.id, j.lease_token
    FROM input AS i
   CROSS JOIN LATERAL (
     SELECT j.id, j.lease_token FROM "queue"."jobs" AS j
      WHERE j.id = i.id AND j.lease_token = i.lease_token
        FOR SHARE
   ) AS j
), archived AS MATERIALIZED (
  SELECT e.id, e.lease_token
    FROM input AS i
   CROSS JOIN LATERAL (
     SELECT e.id, e.lease_token FROM "queue"."ended_jobs" AS e
      WHERE e.id = i.id AND e.lease_token = i.lease_token
        FOR KEY SHARE
   ) AS e
   WHERE (i.id, i.lease_token) NOT IN (SELECT h.id, h.lease_token FROM live AS h)
), held AS MATERIALIZED (
  SELECT h.id, h.lease_token FROM live AS h UNION ALL SELECT h.id, h.lease_token FROM archived AS h
), trimmed AS (
  DELETE FROM "queue"."job_logs" AS x USING held AS h
   WHERE h.lease_token > 100 AND x.job_id = h.id
     AND x.lease_token <= h.lease_token - 100), written AS (
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
)
SELECT i.id FROM input AS i WHERE (i.id, i.lease_token) NOT IN (SELECT h.id, h.lease_token FROM held AS h)
