WITH doomed AS MATERIALIZED (
  SELECT j.id, j.tenant_id, j.kind, j.unique_key, false AS keeps_key FROM "queue"."jobs" AS j
   WHERE j.id = ANY($1::uuid[]) AND (((j.status = 'succeeded'::"queue"."job_status" AND j.finished_at < now() -
       $2::float8 * interval '1 millisecond')) AND (j.unique_scope IS DISTINCT FROM 'window' OR NOT EXISTS (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id AND s.expires_at > now()))
          AND NOT (j.stripped_at IS NOT NULL AND false)) ORDER BY j.id FOR UPDATE SKIP LOCKED
), archived AS MATERIALIZED (
  SELECT e.id FROM "queue"."ended_jobs" AS e WHERE e.id = ANY($3::uuid[]) ORDER BY e.id FOR UPDATE SKIP LOCKED
), slots AS MATERIALIZED (
  SELECT s.* FROM doomed AS j CROSS JOIN LATERAL (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id FOR UPDATE SKIP LOCKED) AS s
)
SELECT e.id, false AS keeps_key FROM archived AS e
 UNION ALL
SELECT j.id, j.keeps_key FROM doomed AS j
 WHERE j.unique_key IS NULL OR j.id IN (SELECT slots.job_id FROM slots) OR NOT EXISTS (
    SELECT s.tenant_id, s.kind, s.key, s.job_id FROM "queue"."job_unique_slots" AS s
     WHERE s.tenant_id = coalesce(j.tenant_id, '') AND s.kind = j.kind AND s.key = j.unique_key AND s.job_id =
         j.id)
