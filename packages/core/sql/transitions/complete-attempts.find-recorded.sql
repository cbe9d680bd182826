SELECT i.id AS job_id, i.lease_token::text AS lease_token
  FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
 CROSS JOIN LATERAL (
   SELECT FROM "queue"."job_executions" AS x
    WHERE x.job_id = i.id AND x.lease_token = i.lease_token AND x.outcome = ANY($3::text[])
   OFFSET 0
 ) AS recorded
