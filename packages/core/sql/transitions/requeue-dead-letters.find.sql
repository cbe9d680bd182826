SELECT d.job_id::text AS job_id FROM "queue"."dead_letter_jobs" AS d
 WHERE (true and "d"."kind" = $1 and "d"."queue" = $2 and "d"."fingerprint" = $3 and "d"."tenant_id" = $4 and "d"."dead_lettered_at"
     >= to_timestamp($5::float8 / 1000::float8) and "d"."dead_lettered_at" < to_timestamp($6::float8 / 1000::float8))
     AND d.job_id <> ALL($7::uuid[]) AND NOT ("d"."unique_scope" IS NOT DISTINCT FROM 'live' AND EXISTS (
SELECT FROM "queue"."job_unique_slots" AS s
  LEFT JOIN LATERAL (SELECT h.id, h.status, h.unique_scope, h.lease_token, h.finished_at, h.expires_at FROM "queue"."jobs"
      AS h WHERE h.id = s.job_id OFFSET 0) AS j ON true
 WHERE s.tenant_id = coalesce("d"."tenant_id", '') AND s.kind = "d"."kind"
   AND s.key = "d"."unique_key" AND coalesce(CASE s.scope WHEN 'window' THEN j.id IS NOT NULL AND s.expires_at
       > clock_timestamp()
                     WHEN 'live' THEN j.id IS NOT NULL AND j.finished_at IS NULL AND NOT ("j"."status" = 'queued'::"queue"."job_status"
                         AND coalesce("j"."expires_at" <= clock_timestamp(), false))
                     ELSE j.status = 'queued'::"queue"."job_status" AND j.unique_scope = 'waiting' AND "j"."lease_token"
                         % 1000000000::bigint = 0 AND NOT ("j"."status" = 'queued'::"queue"."job_status" AND coalesce("j"."expires_at"
                         <= clock_timestamp(), false)) END, false)))
 ORDER BY d.dead_lettered_at, d.id LIMIT $8
