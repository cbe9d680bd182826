SELECT i.id, i.lease_token::text AS lease_token, j.payload
  FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
 CROSS JOIN LATERAL (
   SELECT j.payload::text AS payload FROM "queue"."jobs" AS j
    WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status" OFFSET 0)
        AS j
