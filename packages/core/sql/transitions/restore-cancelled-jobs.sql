WITH changed AS (
  UPDATE "queue"."jobs" AS j
     SET status = CASE WHEN j.attempts > 0 OR g.status = 'retrying' THEN 'retrying'::"queue"."job_status" ELSE
         'queued'::"queue"."job_status" END,
         finished_at = NULL, cancel_requested = false, updated_at = greatest(statement_timestamp(),
             date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
    FROM unnest($1::uuid[], $2::text[],
                $3::float8[]) AS g (id, status, changed_at_ms) WHERE j.id = g.id AND j.id = ANY($4::uuid[])
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT c.id, c.queue, c.status FROM changed AS c ORDER BY c.id
