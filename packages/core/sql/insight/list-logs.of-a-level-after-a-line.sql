WITH scan AS MATERIALIZED (
  SELECT l.* FROM "queue"."job_logs" AS l WHERE l.job_id = $1::uuid AND (l.lease_token, l.line) > ($2,
      $3)
   ORDER BY l.lease_token, l.line LIMIT 10000
)
SELECT end_of_scan.scanned, end_of_scan.scan_end, s.line, s.lease_token::text AS lease_token,
    s.attempt,
       (round(date_part('epoch', s.at) * 1000000::float8)::bigint / 1000) AS at, s.level, s.message,
           s.fields::text AS fields
  FROM "queue"."all_jobs" AS j
 CROSS JOIN (SELECT (SELECT count(*)::int FROM scan) AS scanned,
                    (SELECT s.lease_token || ' ' || s.line FROM scan AS s
                      ORDER BY s.lease_token DESC, s.line DESC LIMIT 1) AS scan_end) AS end_of_scan
  LEFT JOIN (SELECT s.* FROM scan AS s WHERE s.level = ANY($4::text[])
              ORDER BY s.lease_token, s.line LIMIT 51) AS s ON true
 WHERE j.id = $5::uuid
 ORDER BY s.lease_token, s.line
