SELECT i.id AS job_id, i.lease_token::text AS lease_token
  FROM unnest($1::uuid[], $2::bigint[]) AS i (id, lease_token)
 CROSS JOIN LATERAL (
   SELECT FROM (
    SELECT x.job_id, x.lease_token, x.attempt, x.worker_id, x.started_at, x.finished_at, x.outcome,
        x.error, x.error_class,
           x.fingerprint
      FROM "queue"."job_executions" AS x
     UNION ALL
    SELECT j.id, j.lease_token, j.attempts, j.worker_id, j.started_at, greatest(j.finished_at,
        j.started_at), 'succeeded', NULL,
           NULL, NULL
      FROM "queue"."all_jobs" AS j WHERE j.status = 'succeeded'::"queue"."job_status" AND j.started_at IS NOT NULL)
          AS x
    WHERE x.job_id = i.id AND x.lease_token = i.lease_token AND x.outcome = ANY($3::text[])
   OFFSET 0
 ) AS recorded
