WITH changed AS (
  UPDATE "queue"."jobs" AS j
     SET status = 'queued'::"queue"."job_status", attempts = 0, cancel_requested = false, run_at = statement_timestamp(),
         result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL,
         updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
             cancel_reason = NULL, unique_scope = nullif(j.unique_scope, 'waiting')
   WHERE j.id = ANY($1::uuid[]) AND ("j"."status" IN ('failed_permanent'::"queue"."job_status",
       'cancelled'::"queue"."job_status")
          AND "j"."stripped_at" IS NULL AND coalesce("j"."expires_at" > clock_timestamp(),
              true))
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY(ARRAY(SELECT changed.id FROM changed))
)
SELECT c.id, c.queue, c.status FROM changed AS c ORDER BY c.id
