WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."tenant_jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
AND (j.id, date_trunc('milliseconds', j.updated_at)) IN (SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8)
    FROM unnest($2::uuid[], $3::float8[],
                       $4::float8[]) AS g (id, run_at_ms, changed_at_ms)) AND "j"."tenant_id" = $5 AND "j"."queue"
                           = ANY($6::text[]) AND "j"."kind" = ANY($7::text[])
   ORDER BY j.id FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "target") AS locked
), changed AS (
  UPDATE "queue"."tenant_jobs" AS j
     SET run_at = greatest(j.created_at, to_timestamp(g.run_at_ms / 1000::float8)),
         updated_at = greatest(clock.at, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
    FROM clock CROSS JOIN target JOIN unnest($8::uuid[], $9::float8[],
                       $10::float8[]) AS g (id, run_at_ms, changed_at_ms) ON g.id = target.id
   WHERE j.id = target.id AND j.id = ANY(ARRAY(SELECT target.id FROM target)) AND NOT ("j"."status" = 'queued'::"queue"."job_status"
       AND coalesce("j"."expires_at" <= greatest(j.created_at, to_timestamp(g.run_at_ms / 1000::float8)),
       false))
  RETURNING j.*
), noted AS (
  INSERT INTO "queue"."tenant_lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
), noted_left AS (
  INSERT INTO "queue"."tenant_lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT c.id, c.queue, c.status FROM changed AS c
