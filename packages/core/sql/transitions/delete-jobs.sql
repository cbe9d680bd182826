WITH slots AS MATERIALIZED (
  SELECT s.* FROM (
    SELECT j.id, j.tenant_id, j.kind, j.unique_key FROM "queue"."jobs" AS j
     WHERE j.id = ANY($1::uuid[]) AND j.unique_key IS NOT NULL
     ORDER BY coalesce(j.tenant_id, '') COLLATE "C", j.kind COLLATE "C", j.unique_key COLLATE "C"
  ) AS j CROSS JOIN LATERAL (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id FOR UPDATE) AS s
), freed AS (
  DELETE FROM "queue"."job_unique_slots" AS s USING slots AS f
   WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
), gone AS (
  DELETE FROM "queue"."jobs" AS j WHERE j.id = ANY($2::uuid[]) RETURNING j.*
), waiting AS (
  SELECT g.* FROM gone AS g WHERE g.finished_at IS NULL
), noted_left AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT DISTINCT statement_timestamp(), w.queue, w.kind, w.key, coalesce(w.tenant_id, ''),
      w.priority
    FROM "waiting" AS w WHERE w.key IS NOT NULL
), removed_events AS (
  DELETE FROM "queue"."lane_events" AS e WHERE e.ctid = ANY(ARRAY(
    SELECT u.ctid FROM (
      SELECT DISTINCT g.queue, g.kind, g.key, coalesce(g.tenant_id, '') AS tenant_id, g.priority,
          g.run_at
        FROM "gone" AS g WHERE g.key IS NOT NULL AND g.run_at > statement_timestamp()
    ) AS g CROSS JOIN LATERAL (
      SELECT e.ctid FROM "queue"."lane_events" AS e
       WHERE e.queue = g.queue AND e.due_at = g.run_at AND e.key = g.key AND e.tenant_id = g.tenant_id
         AND e.kind = g.kind AND e.priority = g.priority
         AND e.counted IS NULL AND e.priority IS NOT NULL AND e.due_at > statement_timestamp() AND NOT EXISTS (
           SELECT FROM "queue"."jobs" AS o
            WHERE o.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND o.key IS NOT
                NULL
              AND o.queue = e.queue AND o.key = e.key AND coalesce(o.tenant_id, '') = e.tenant_id AND o.kind =
                  e.kind
              AND o.priority = e.priority AND o.run_at = e.due_at AND o.id <> ALL(ARRAY(SELECT gone.id FROM "gone"
                  AS gone)))
    ) AS u))
), gone_archived AS (
  DELETE FROM "queue"."ended_jobs" AS e WHERE e.id = ANY($3::uuid[]) RETURNING e.id, e.queue,
      e.tenant_id, e.metadata
), all_gone AS (
  SELECT g.id, g.queue, g.status, g.tenant_id, g.metadata FROM gone AS g
   UNION ALL
  SELECT g.id, g.queue, 'succeeded'::"queue"."job_status", g.tenant_id, g.metadata FROM gone_archived AS g
), forgotten AS (
  DELETE FROM "queue"."job_executions" AS x WHERE x.job_id = ANY($4::uuid[])
), forgotten_logs AS (
  DELETE FROM "queue"."job_logs" AS l WHERE l.job_id = ANY($5::uuid[])
), removed_metadata AS (
  DELETE FROM "queue"."job_metadata" AS m WHERE m.ctid = ANY(ARRAY(
    SELECT row.ctid FROM (SELECT coalesce(g.tenant_id, '') AS tenant_id, d.key AS name, left(d.value,
        200) AS value,
         g.id::uuid AS job_id
    FROM "all_gone" AS g CROSS JOIN LATERAL jsonb_each_text(g.metadata) AS d) AS i
     CROSS JOIN LATERAL (
       SELECT r.ctid FROM "queue"."job_metadata" AS r
        WHERE r.tenant_id = i.tenant_id AND r.name = i.name AND r.value = i.value AND r.job_id = i.job_id LIMIT
            1
     ) AS row))
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY($6::uuid[])
), removed_undo AS (
  DELETE FROM "queue"."requeued_jobs" AS k WHERE k.job_id = ANY($7::uuid[])
)
SELECT g.id, g.queue, g.status FROM all_gone AS g ORDER BY g.id
