WITH seen AS MATERIALIZED (
  SELECT j.id, (((j.status = 'succeeded'::"queue"."job_status" AND j.finished_at < now() - $1::float8 * interval
      '1 millisecond') OR (j.status = 'cancelled'::"queue"."job_status" AND j.finished_at < now() - $2::float8
      * interval '1 millisecond') OR (j.status = 'failed_permanent'::"queue"."job_status" AND j.finished_at < now()
      - $3::float8 * interval '1 millisecond')) AND (j.unique_scope IS DISTINCT FROM 'window' OR NOT EXISTS (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id AND s.expires_at > now()))
          AND NOT (j.stripped_at IS NOT NULL AND (j.idempotency_key IS NOT NULL AND NOT starts_with(j.idempotency_key,
              'schedule:')
          AND j.finished_at >= now() - $4::float8 * interval '1 millisecond'))) AS is_removable FROM "queue"."all_jobs"
              AS j
   WHERE j.id > $5::uuid AND j.id < (lpad(to_hex(greatest(0, (extract(epoch FROM now() - $6::float8 * interval
       '1 millisecond') * 1000::numeric)::bigint)), 12, '0') || '70008000000000000000')::uuid
   ORDER BY j.id LIMIT 1000
)
SELECT ARRAY(SELECT s.id FROM seen AS s WHERE s.is_removable ORDER BY s.id) AS ids,
       (SELECT count(*) FROM seen)::int AS seen, (SELECT id FROM seen ORDER BY id DESC LIMIT 1) AS cursor
