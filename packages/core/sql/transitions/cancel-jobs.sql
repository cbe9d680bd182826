WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND ("j"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
          OR "j"."status" = 'running'::"queue"."job_status" AND NOT "j"."cancel_requested") AND true
   ORDER BY j.id FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "target") AS locked
), changed AS (
UPDATE "queue"."jobs" AS j
   SET status = CASE WHEN j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") THEN 'cancelled'::"queue"."job_status"
       ELSE j.status END,
       finished_at = CASE WHEN j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") THEN
           clock.at ELSE j.finished_at END,
       cancel_requested = true, updated_at = greatest(clock.at, date_trunc('milliseconds',
           j.updated_at) + interval '1 millisecond')
  FROM target CROSS JOIN clock WHERE j.id = target.id AND j.id = ANY(ARRAY(SELECT target.id FROM target))
RETURNING j.*, target.status AS previous_status
), noted_left AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT c.id, c.queue, c.status, c.kind, c.tenant_id, c.lease_token = 0 AS unclaimed,
       c.previous_status, (round(date_part('epoch', c.updated_at) * 1000000::float8)::bigint / 1000) AS changed_at,
       (round(date_part('epoch', c.created_at) * 1000000::float8)::bigint / 1000) AS created_at,
           (round(date_part('epoch', c.finished_at) * 1000000::float8)::bigint / 1000) AS finished_at FROM changed
           AS c
