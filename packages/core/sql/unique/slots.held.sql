WITH seen AS MATERIALIZED (
  SELECT s.tenant_id, s.kind, s.key, j.id, coalesce(CASE s.scope WHEN 'window' THEN j.id IS NOT NULL AND s.expires_at
      > clock_timestamp()
                     WHEN 'live' THEN j.id IS NOT NULL AND j.finished_at IS NULL AND NOT ("j"."status" = 'queued'::"queue"."job_status"
                         AND coalesce("j"."expires_at" <= clock_timestamp(), false))
                     ELSE j.status = 'queued'::"queue"."job_status" AND j.unique_scope = 'waiting' AND "j"."lease_token"
                         % 1000000000::bigint = 0 AND NOT ("j"."status" = 'queued'::"queue"."job_status" AND coalesce("j"."expires_at"
                         <= clock_timestamp(), false)) END, false) AS is_held,
         s.scope = 'live' AND ("j"."status" = 'queued'::"queue"."job_status" AND coalesce("j"."expires_at" <= clock_timestamp(),
             false)) AS has_expired
    FROM unnest($1::text[], $2::text[],
    $3::text[], $4::text[],
    $5::uuid[], $6::float8[])
    AS i (tenant_id, kind, key, scope, job_id, window_ms)
   CROSS JOIN LATERAL (SELECT s.* FROM "queue"."job_unique_slots" AS s WHERE s.tenant_id = i.tenant_id AND s.kind
       = i.kind AND s.key = i.key OFFSET 0) AS s
    LEFT JOIN LATERAL (SELECT j.* FROM "queue"."jobs" AS j WHERE j.id = s.job_id OFFSET 0) AS j ON true
   WHERE s.job_id <> i.job_id
), locked AS MATERIALIZED (
  SELECT j.id FROM (SELECT seen.id FROM seen WHERE seen.has_expired ORDER BY seen.id) AS s
   CROSS JOIN LATERAL (SELECT j.id FROM "queue"."jobs" AS j
                        WHERE j.id = s.id AND j.status = 'queued'::"queue"."job_status" FOR NO KEY UPDATE SKIP
                            LOCKED) AS j
)
SELECT json_build_array(seen.tenant_id, seen.kind, seen.key)::text AS slot,
       CASE WHEN seen.is_held THEN 'held' ELSE 'locked' END AS holder FROM seen
 WHERE seen.is_held OR seen.has_expired AND NOT EXISTS (SELECT FROM locked WHERE locked.id = seen.id)
