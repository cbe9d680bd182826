WITH freed AS (
  DELETE FROM "queue"."job_unique_slots" AS s USING "queue"."jobs" AS j
   WHERE j.id = ANY($1::uuid[]) AND s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key
     AND s.job_id = j.id
), gone AS (
  DELETE FROM "queue"."jobs" AS g WHERE g.id = ANY($2::uuid[])
  RETURNING g.id AS id, g.tenant_id, g.metadata
), gone_archived AS (
  DELETE FROM "queue"."ended_jobs" AS e WHERE e.id = ANY($3::uuid[]) RETURNING e.id, e.tenant_id,
      e.metadata
), all_gone AS (
  SELECT * FROM gone UNION ALL SELECT * FROM gone_archived
), stripped AS MATERIALIZED (
  SELECT FROM "queue"."strip_jobs"($4::uuid[])
), forgotten AS (
  DELETE FROM "queue"."job_executions" AS x WHERE x.job_id = ANY($5::uuid[])
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
), forgotten_logs AS (
  DELETE FROM "queue"."job_logs" AS l WHERE l.job_id = ANY($6::uuid[])
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY($7::uuid[])
), removed_undo AS (
  DELETE FROM "queue"."requeued_jobs" AS k WHERE k.job_id = ANY($8::uuid[])
)
SELECT (SELECT count(*) FROM all_gone)::int AS pruned, (SELECT count(*) FROM stripped)::int AS stripped
