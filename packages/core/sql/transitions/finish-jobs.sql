WITH input AS MATERIALIZED (
  SELECT i.* FROM unnest($1::uuid[], $2::bigint[],
  $3::text[], $4::text[])
  AS i (id, lease_token, result, note) WHERE i.lease_token = i.lease_token + 0
), held AS MATERIALIZED (
  SELECT j.* , nullif(i."result", '') AS "result", nullif(i."note", '') AS "note"
    FROM input AS i
   CROSS JOIN LATERAL (
     SELECT j.id, j.lease_token, j.attempts AS attempt, j.max_attempts, j.cancel_requested,
         j.run_at,
            j.locked_by AS worker_id, j.locked_at AS started_at
       FROM "queue"."jobs" AS j
      WHERE j.id = i.id AND j.lease_token = i.lease_token AND j.status = 'running'::"queue"."job_status" AND j.key
          IS NULL AND j.counted IS NULL
        FOR UPDATE
   ) AS j
), next AS (
  SELECT h.*, 'succeeded'::"queue"."job_status" AS next_status, h.run_at AS next_run_at FROM held AS h
), ended AS (
  UPDATE "queue"."jobs" AS j
     SET status = h.next_status,
         attempts = j.attempts + 0,
         run_at = CASE WHEN h.next_status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN h.next_run_at ELSE j.run_at END,
         finished_at = CASE WHEN h.next_status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
             THEN NULL ELSE statement_timestamp() END,
         last_error = coalesce(h.note, j.last_error),
         result = h.result::jsonb,
         updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
             locked_at = NULL, locked_by = NULL, started_at = j.locked_at, worker_id = j.locked_by
    FROM next AS h
   WHERE j.id = h.id
  RETURNING h.id, h.lease_token, h.attempt, h.worker_id, h.started_at, h.cancel_requested ,
      h."result", h."note",
            j.status, j.crashes
)
SELECT id, lease_token::text AS lease_token, status FROM ended
 WHERE status <> 'succeeded'::"queue"."job_status"
UNION ALL
SELECT i.id, i.lease_token::text, NULL FROM input AS i
 WHERE (i.id, i.lease_token) NOT IN (SELECT ended.id, ended.lease_token FROM ended)
