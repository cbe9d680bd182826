WITH held AS MATERIALIZED (
  SELECT j.id, i.percent, i.message::jsonb #>> '{}' AS message
    FROM unnest($1::uuid[], $2::bigint[],
           $3::smallint[], $4::text[])
      AS i (id, lease_token, percent, message)
   CROSS JOIN LATERAL (
     SELECT j.id FROM "queue"."jobs" AS j
      WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"
        FOR NO KEY UPDATE
   ) AS j
)
UPDATE "queue"."jobs" AS j SET progress = h.percent, progress_message = h.message, updated_at = greatest(statement_timestamp(),
    date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
  FROM held AS h WHERE j.id = h.id AND j.id = ANY(ARRAY(SELECT held.id FROM held))
