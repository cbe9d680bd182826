SELECT x.job_id, x.lease_token::text AS lease_token, x.attempt, x.worker_id, (round(date_part('epoch',
    "x"."started_at") * 1000000::float8)::bigint / 1000) AS started_at,
       (round(date_part('epoch', "x"."finished_at") * 1000000::float8)::bigint / 1000) AS finished_at,
           x.outcome, x.error, x.error_class, x.fingerprint
  FROM "queue"."tenant_all_jobs" AS j LEFT JOIN (
    SELECT x.job_id, x.lease_token, x.attempt, x.worker_id, x.started_at, x.finished_at, x.outcome,
        x.error, x.error_class,
           x.fingerprint
      FROM "queue"."tenant_job_executions" AS x
     UNION ALL
    SELECT j.id, j.lease_token, j.attempts, j.worker_id, j.started_at, greatest(j.finished_at,
        j.started_at), 'succeeded', NULL,
           NULL, NULL
      FROM "queue"."tenant_all_jobs" AS j WHERE j.status = 'succeeded'::"queue"."job_status" AND j.started_at IS
          NOT NULL) AS x ON x.job_id = j.id
 WHERE j.id = $1::uuid AND "j"."tenant_id" = $2 AND "j"."queue" = ANY($3::text[]) AND "j"."kind" = ANY($4::text[])
 ORDER BY x.lease_token DESC LIMIT 100
