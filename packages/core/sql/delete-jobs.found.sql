WITH target AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at FROM "queue"."jobs" AS j
   WHERE j.id = ANY($1::uuid[]) AND j.status <> 'running'::"queue"."job_status" AND "j"."status" IN ('queued'::"queue"."job_status",
       'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status",
       'succeeded'::"queue"."job_status") AND "j"."created_at" < $2::timestamptz
   ORDER BY j.id FOR UPDATE
), slots AS MATERIALIZED (
  SELECT s.* FROM (
    SELECT t.* FROM target AS t WHERE t.unique_key IS NOT NULL
     ORDER BY coalesce(t.tenant_id, '') COLLATE "C", t.kind COLLATE "C", t.unique_key COLLATE "C"
  ) AS j CROSS JOIN LATERAL (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id FOR UPDATE) AS s
), freed AS (
  DELETE FROM "queue"."job_unique_slots" AS s USING slots AS f
   WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
), gone AS (
  DELETE FROM "queue"."jobs" AS j WHERE j.id = ANY(ARRAY(SELECT target.id FROM target)) RETURNING j.id,
      j.queue, j.status, j.tenant_id, j.metadata,
         j.kind, j.priority, CASE WHEN j.finished_at IS NULL THEN j.key END AS key
), noted_left AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "gone" AS w WHERE w.key IS NOT NULL
), forgotten AS (
  DELETE FROM "queue"."job_executions" AS x WHERE x.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
), forgotten_logs AS (
  DELETE FROM "queue"."job_logs" AS l WHERE l.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
), removed_metadata AS (
  DELETE FROM "queue"."job_metadata" AS m WHERE m.ctid = ANY(ARRAY(
    SELECT row.ctid FROM (SELECT coalesce(g.tenant_id, '') AS tenant_id, d.key AS name, left(d.value,
        200) AS value,
         g.id::uuid AS job_id
    FROM "gone" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d) AS i
     CROSS JOIN LATERAL (
       SELECT r.ctid FROM "queue"."job_metadata" AS r
        WHERE r.tenant_id = i.tenant_id AND r.name = i.name AND r.value = i.value AND r.job_id = i.job_id LIMIT
            1
     ) AS row))
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
)
SELECT g.id, g.queue, g.status FROM gone AS g ORDER BY g.id
