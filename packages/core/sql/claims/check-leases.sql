SELECT i.id, i.lease_token::text AS lease_token, j.cancel_requested, j.ctid
  FROM unnest($1::uuid[], $2::bigint[], $3::tid[])
       AS i (id, lease_token, ctid)
  LEFT JOIN LATERAL (
    SELECT true AS is_there FROM "queue"."jobs" AS j
     WHERE j.ctid = i.ctid AND j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"
         AND NOT j.cancel_requested OFFSET 0) AS unmoved ON true
  LEFT JOIN LATERAL (
    SELECT j.cancel_requested, j.ctid::text AS ctid FROM "queue"."jobs" AS j
     WHERE unmoved.is_there IS NULL AND j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"
         OFFSET 0) AS j ON true
 WHERE unmoved.is_there IS NULL
