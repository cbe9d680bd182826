WITH before AS MATERIALIZED (
  SELECT j.* FROM "queue"."jobs" AS j WHERE j.id = ANY($1::uuid[])
), changed AS (
  UPDATE "queue"."jobs" AS j
     SET status = 'queued'::"queue"."job_status", attempts = 0, cancel_requested = false, run_at = statement_timestamp(),
         result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL,
         updated_at = greatest(statement_timestamp(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond'),
             cancel_reason = NULL, unique_scope = nullif(j.unique_scope, 'waiting')
   WHERE j.id = ANY($2::uuid[]) AND ("j"."status" IN ('failed_permanent'::"queue"."job_status",
       'cancelled'::"queue"."job_status")
          AND "j"."stripped_at" IS NULL AND coalesce("j"."expires_at" > clock_timestamp(),
              true))
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
), kept AS (
  INSERT INTO "queue"."requeued_jobs" (job_id, tenant_id, requeued_at, job, dead_letter)
  SELECT c.id, c.tenant_id, c.updated_at, jsonb_build_object('status', b."status", 'attempts',
      b."attempts", 'run_at', b."run_at", 'finished_at', b."finished_at", 'expires_at', b."expires_at",
      'cancel_requested', b."cancel_requested", 'cancel_reason', b."cancel_reason", 'unique_scope',
      b."unique_scope", 'result', b."result", 'progress', b."progress", 'progress_message',
      b."progress_message"),
         (SELECT to_jsonb(d) - ARRAY['payload', 'metadata', 'lease_token']
            FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = c.id)
    FROM "changed" AS c JOIN "before" AS b ON b.id = c.id
   ORDER BY c.id
  ON CONFLICT (job_id) DO UPDATE SET (requeued_at, job, dead_letter)
    = ROW (EXCLUDED.requeued_at, EXCLUDED.job, EXCLUDED.dead_letter)
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY(ARRAY(SELECT changed.id FROM changed))
)
SELECT "c"."id", "c"."queue", "c"."status", (round(date_part('epoch', "c"."updated_at") * 1000000::float8)::bigint
    / 1000) AS changed_at FROM changed AS c ORDER BY c.id
