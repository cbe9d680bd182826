SELECT x.job_id, x.lease_token::text AS lease_token, x.attempt, x.worker_id, x.outcome, x.error,
       (date_part('epoch', x.started_at) * 1000) AS started_at, (date_part('epoch', x.finished_at) * 1000) AS finished_at
  FROM "queue"."jobs" AS j LEFT JOIN "queue"."job_executions" AS x ON x.job_id = j.id
 WHERE j.id = $1::uuid
 ORDER BY x.lease_token
