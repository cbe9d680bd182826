WITH scan AS MATERIALIZED (
  SELECT ARRAY(
    SELECT x.id FROM ((SELECT j.id FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
        'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('queued'::"queue"."job_status", $1::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
      $2::uuid)
    ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.id FROM "queue"."jobs" AS j WHERE
        j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status",
        'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('retrying'::"queue"."job_status", $3::uuid) AND (j.status, j.id) < ('retrying'::"queue"."job_status",
      $4::uuid)
    ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.id FROM "queue"."jobs" AS j WHERE
        j.id = ANY(ARRAY(SELECT r.id FROM "queue"."jobs" AS r WHERE r.locked_by IS NOT NULL)) AND j.id >= $5::uuid
        AND j.id < $6::uuid
    ORDER BY "j"."id" DESC LIMIT 10000)) AS x ORDER BY "x"."id" DESC LIMIT 10000
  ) AS ids
)
SELECT ARRAY(
    SELECT s.id FROM "queue"."jobs" AS s
     WHERE s.id = ANY((SELECT scan.ids FROM scan)::uuid[]) AND "s"."status" IN ('queued'::"queue"."job_status",
         'retrying'::"queue"."job_status", 'running'::"queue"."job_status") AND ("s"."status" IN ('queued'::"queue"."job_status",
         'retrying'::"queue"."job_status")
          OR "s"."status" = 'running'::"queue"."job_status" AND NOT "s"."cancel_requested")
     ORDER BY "s"."id" DESC LIMIT 1001
  ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
  FROM scan
