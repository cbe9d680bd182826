WITH seen AS MATERIALIZED (
  SELECT j.id FROM "queue"."jobs" AS j
   WHERE j.id > $1::uuid AND j.id < (lpad(to_hex(greatest(0, (extract(epoch FROM now() - $2::float8 * interval
       '1 millisecond') * 1000)::bigint)), 12, '0') || '70008000000000000000')::uuid
   ORDER BY j.id LIMIT 1000
), doomed AS MATERIALIZED (
  SELECT j.* FROM seen
   CROSS JOIN LATERAL (
     SELECT j.id, j.tenant_id, j.kind, j.unique_key, (j.idempotency_key IS NOT NULL AND NOT starts_with(j.idempotency_key,
         'schedule:')
          AND j.finished_at >= now() - $3::float8 * interval '1 millisecond') AS keeps_key FROM "queue"."jobs"
              AS j
      WHERE j.id = seen.id AND ((j.status = 'succeeded'::"queue"."job_status" AND j.finished_at < now() - $4::float8
          * interval '1 millisecond') OR (j.status = 'cancelled'::"queue"."job_status" AND j.finished_at < now()
          - $5::float8 * interval '1 millisecond') OR (j.status = 'failed_permanent'::"queue"."job_status" AND
          j.finished_at < now() - $6::float8 * interval '1 millisecond')) AND (j.unique_scope IS DISTINCT FROM
          'window' OR NOT EXISTS (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id AND s.expires_at > now()))
        AND NOT (j.stripped_at IS NOT NULL AND (j.idempotency_key IS NOT NULL AND NOT starts_with(j.idempotency_key,
            'schedule:')
          AND j.finished_at >= now() - $7::float8 * interval '1 millisecond'))
        FOR UPDATE SKIP LOCKED
   ) AS j
), slots AS MATERIALIZED (
  SELECT s.* FROM doomed AS j CROSS JOIN LATERAL (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id FOR UPDATE SKIP LOCKED) AS s
), freed AS (
  DELETE FROM "queue"."job_unique_slots" AS s USING slots AS f
   WHERE s.tenant_id = f.tenant_id AND s.kind = f.kind AND s.key = f.key
), past AS MATERIALIZED (
  SELECT j.id, j.keeps_key FROM doomed AS j
   WHERE j.unique_key IS NULL OR j.id IN (SELECT slots.job_id FROM slots) OR NOT EXISTS (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id)
), gone AS (
  DELETE FROM "queue"."jobs" AS g WHERE g.id = ANY(ARRAY(SELECT past.id FROM past WHERE NOT past.keeps_key))
  RETURNING g.id AS id, g.tenant_id, g.metadata
), stripped AS MATERIALIZED (
  SELECT FROM "queue"."strip_jobs"(ARRAY(SELECT past.id FROM past WHERE past.keeps_key))
), forgotten AS (
  DELETE FROM "queue"."job_executions" AS x WHERE x.job_id = ANY(ARRAY(SELECT past.id FROM past))
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
  DELETE FROM "queue"."job_logs" AS l WHERE l.job_id = ANY(ARRAY(SELECT past.id FROM past))
), removed_dead_letters AS (
  DELETE FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id = ANY(ARRAY(SELECT past.id FROM past))
)
SELECT (SELECT count(*) FROM gone)::int AS pruned, (SELECT count(*) FROM stripped)::int AS stripped,
       (SELECT count(*) FROM seen)::int AS seen, (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor
