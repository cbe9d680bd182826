WITH seen AS MATERIALIZED (
  SELECT j.id FROM "queue"."jobs" AS j
   WHERE j.id > $1::uuid AND j.id < (lpad(to_hex(greatest(0, (extract(epoch FROM now() - $2::float8 * interval
       '1 millisecond') * 1000)::bigint)), 12, '0') || '70008000000000000000')::uuid
   ORDER BY j.id LIMIT 1000
), doomed AS MATERIALIZED (
  SELECT j.id FROM seen
   CROSS JOIN LATERAL (
     SELECT j.id FROM "queue"."jobs" AS j WHERE j.id = seen.id AND ((j.status = 'succeeded'::"queue"."job_status"
         AND j.finished_at < now() - $3::float8 * interval '1 millisecond'))
        FOR UPDATE SKIP LOCKED
   ) AS j
), gone AS (
  DELETE FROM "queue"."jobs" AS j WHERE j.id = ANY(ARRAY(SELECT doomed.id FROM doomed)) RETURNING j.id,
      j.tenant_id, j.metadata
), forgotten AS (
  DELETE FROM "queue"."job_executions" AS x WHERE x.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
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
), forgotten_logs AS (
  DELETE FROM "queue"."job_logs" AS l WHERE l.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY(ARRAY(SELECT gone.id FROM gone))
)
SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM seen)::int AS seen,
       (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor
