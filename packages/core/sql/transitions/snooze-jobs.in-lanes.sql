WITH input AS MATERIALIZED (
  SELECT i.* FROM unnest($1::uuid[], $2::bigint[],
  $3::float8[],
  $4::text[]) AS i (id, lease_token, wait_ms, reason) WHERE i.lease_token = i.lease_token + 0
), held AS MATERIALIZED (
  SELECT j.* , i."wait_ms", nullif(i."reason", '') AS "reason"
    FROM input AS i
   CROSS JOIN LATERAL (
     SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested,
         j.run_at,
            j.counted, j.locked_by AS worker_id, j.locked_at AS started_at
       FROM "queue"."jobs" AS j
      WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status"
        FOR UPDATE
   ) AS j
), next AS (
  SELECT h.*, CASE WHEN h.cancel_requested THEN 'cancelled'::"queue"."job_status" ELSE 'retrying'::"queue"."job_status"
      END AS next_status, statement_timestamp() + h.wait_ms * interval '1 millisecond' AS next_run_at FROM held
      AS h
), ended AS (
  UPDATE "queue"."jobs" AS j
     SET status = h.next_status,
         attempts = j.attempts + -1,
         run_at = CASE WHEN h.next_status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN h.next_run_at ELSE j.run_at END,
         finished_at = CASE WHEN h.next_status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN NULL ELSE statement_timestamp() END,
         last_error = coalesce(h.reason, j.last_error),
         result = NULL, expires_at = NULL,
         updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
             locked_at = NULL, locked_by = NULL, counted = NULL
    FROM next AS h
   WHERE j.id = h.id
  RETURNING h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, h.cancel_requested ,
      h."wait_ms", h."reason",
            j.status, j.crashes, j.run_at, h.counted, j.queue, j.kind, j.key, j.tenant_id,
                j.priority
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority, counted,
      jobs)
  SELECT statement_timestamp(), c.*, count(*) FROM (
    SELECT h.queue, h.kind, CASE WHEN h.counted & 4 <> 0 THEN h.key END AS key,
           CASE WHEN h.counted & 4 <> 0 THEN coalesce(h.tenant_id, '') ELSE '' END AS tenant_id,
               NULL::smallint, h.counted
      FROM ended AS h WHERE h.counted IS NOT NULL
  ) AS c GROUP BY 2, 3, 4, 5, 6, 7
  UNION ALL
  SELECT DISTINCT h.run_at, h.queue, h.kind, h.key, coalesce(h.tenant_id, ''), h.priority,
      NULL::smallint, 0
    FROM ended AS h
   WHERE h.key IS NOT NULL AND h.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
), history AS (
  INSERT INTO "queue"."job_executions"
    (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error)
  SELECT h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, greatest(statement_timestamp(),
      h.started_at),
         CASE WHEN h.cancel_requested THEN 'cancelled' ELSE 'snoozed' END, h.reason
    FROM ended AS h
), trimmed AS (
  DELETE FROM "queue"."job_executions" AS x USING (
    SELECT h.id, (SELECT e.lease_token FROM "queue"."job_executions" AS e WHERE e.job_id = h.id
                   ORDER BY e.lease_token DESC OFFSET 99 LIMIT 1) AS newest_beyond
      FROM ended AS h WHERE h.lease_token > 100 OFFSET 0
  ) AS long
   WHERE x.job_id = long.id AND x.lease_token <= long.newest_beyond
)
SELECT id, lease_token::text AS lease_token, status FROM ended
 WHERE status <> 'retrying'::"queue"."job_status"
UNION ALL
SELECT i.id, i.lease_token::text, NULL FROM input AS i
 WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)
