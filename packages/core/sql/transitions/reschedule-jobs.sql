WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM "queue"."jobs"
      AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
       AND true
   ORDER BY j.id FOR UPDATE
), clock AS MATERIALIZED (
  SELECT clock_timestamp() AS at FROM (SELECT count(*) FROM "target") AS locked
), changed AS (
  UPDATE "queue"."jobs" AS j
     SET run_at = greatest(clock.at, to_timestamp($2::float8 / 1000::float8)),
         updated_at = greatest(clock.at, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
    FROM target CROSS JOIN clock
   WHERE j.id = target.id AND j.id = ANY(ARRAY(SELECT target.id FROM target)) AND "j"."run_at" <> greatest(clock.at,
       to_timestamp($3::float8 / 1000::float8)) AND NOT ("j"."status" = 'queued'::"queue"."job_status" AND coalesce("j"."expires_at"
       <= greatest(clock.at, to_timestamp($4::float8 / 1000::float8)), false))
  RETURNING j.*, target.run_at AS previous_run_at
), noted AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT "w"."run_at", w.queue, w.kind, w.key, coalesce(w.tenant_id, ''), w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
), noted_left AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "changed" AS w WHERE w.key IS NOT NULL
)
SELECT c.id, c.queue, c.status, (round(date_part('epoch', c.previous_run_at) * 1000000::float8)::bigint / 1000)
    AS previous_run_at,
       (round(date_part('epoch', c.updated_at) * 1000000::float8)::bigint / 1000) AS changed_at FROM changed AS
           c
