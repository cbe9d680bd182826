WITH scan AS MATERIALIZED (
  SELECT l.* FROM "queue"."tenant_job_logs" AS l WHERE l.job_id = $1::uuid
   ORDER BY l.lease_token, l.line LIMIT 51
)
SELECT end_of_scan.scanned, end_of_scan.scan_end, s.line, s.lease_token::text AS lease_token,
    s.attempt,
       (round(date_part('epoch', s.at) * 1000000::float8)::bigint / 1000) AS at, s.level, s.message,
           s.fields::text AS fields
  FROM "queue"."tenant_all_jobs" AS j
 CROSS JOIN (SELECT (SELECT count(*)::int FROM scan) AS scanned,
                    (SELECT s.lease_token || ' ' || s.line FROM scan AS s
                      ORDER BY s.lease_token DESC, s.line DESC LIMIT 1) AS scan_end) AS end_of_scan
  LEFT JOIN (SELECT s.* FROM scan AS s WHERE true
              ORDER BY s.lease_token, s.line LIMIT 51) AS s ON true
 WHERE j.id = $2::uuid AND "j"."tenant_id" = $3 AND "j"."queue" = ANY($4::text[]) AND "j"."kind" = ANY($5::text[])
 ORDER BY s.lease_token, s.line
