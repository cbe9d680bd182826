SELECT d.id::text AS id, d.job_id::text AS job_id, d.tenant_id, d.kind, d.unique_key
  FROM "queue"."dead_letter_jobs" AS d
 WHERE (true and "d"."kind" = $1 and "d"."queue" = $2 and "d"."fingerprint" = $3 and "d"."tenant_id" = $4 and "d"."dead_lettered_at"
     >= to_timestamp($5::float8 / 1000) and "d"."dead_lettered_at" < to_timestamp($6::float8 / 1000)) AND NOT EXISTS
     (
SELECT FROM "queue"."job_unique_slots" AS s LEFT JOIN "queue"."jobs" AS j ON j.id = s.job_id
 WHERE s.tenant_id = coalesce(d.tenant_id, '') AND s.kind = d.kind AND s.key = d.unique_key AND coalesce(CASE s.scope
     WHEN 'window' THEN j.id IS NOT NULL AND s.expires_at > clock_timestamp()
                     WHEN 'live' THEN j.id IS NOT NULL AND j.finished_at IS NULL AND NOT (j.status = 'queued'::"queue"."job_status"
                         AND coalesce(j.expires_at <= clock_timestamp(), false))
                     ELSE j.status = 'queued'::"queue"."job_status" AND j.unique_scope = 'waiting' AND j.lease_token
                         % 1000000000 = 0 AND NOT (j.status = 'queued'::"queue"."job_status" AND coalesce(j.expires_at
                         <= clock_timestamp(), false)) END, false)) AND d.unique_scope = 'live'
 ORDER BY d.dead_lettered_at, d.id LIMIT $7
