SELECT f.id::text AS id FROM (
  SELECT f.*, row_number() OVER (PARTITION BY f.tenant_id, f.kind, f.unique_key,
           CASE WHEN f.unique_scope IS DISTINCT FROM 'live' THEN f.id END ORDER BY f.id) AS place
    FROM (SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope FROM "queue"."jobs" AS j WHERE j.id =
        ANY($1::uuid[])) AS f
) AS f
 WHERE f.place = 1 AND NOT ("f"."unique_scope" IS NOT DISTINCT FROM 'live' AND EXISTS (
SELECT FROM "queue"."job_unique_slots" AS s
  LEFT JOIN LATERAL (SELECT h.id, h.status, h.unique_scope, h.lease_token, h.finished_at, h.expires_at FROM "queue"."jobs"
      AS h WHERE h.id = s.job_id OFFSET 0) AS j ON true
 WHERE s.tenant_id = coalesce("f"."tenant_id", '') AND s.kind = "f"."kind"
   AND s.key = "f"."unique_key" AND coalesce(CASE s.scope WHEN 'window' THEN j.id IS NOT NULL AND s.expires_at
       > clock_timestamp()
                     WHEN 'live' THEN j.id IS NOT NULL AND j.finished_at IS NULL AND NOT ("j"."status" = 'queued'::"queue"."job_status"
                         AND coalesce("j"."expires_at" <= clock_timestamp(), false))
                     ELSE j.status = 'queued'::"queue"."job_status" AND j.unique_scope = 'waiting' AND "j"."lease_token"
                         % 1000000000::bigint = 0 AND NOT ("j"."status" = 'queued'::"queue"."job_status" AND coalesce("j"."expires_at"
                         <= clock_timestamp(), false)) END, false))) ORDER BY f.id DESC
