WITH scan AS MATERIALIZED (
  SELECT ARRAY(
    SELECT x.id FROM ((SELECT j.id FROM (
    SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
        'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('queued'::"queue"."job_status", $1::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
      $2::uuid) ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs"
      AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status",
      'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('queued'::"queue"."job_status", $3::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
      $4::uuid) ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."status" DESC,
      "j"."id" DESC LIMIT 10000) AS j) UNION ALL (SELECT j.id FROM (
    SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
        'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('retrying'::"queue"."job_status", $5::uuid) AND (j.status, j.id) < ('retrying'::"queue"."job_status",
      $6::uuid) ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs"
      AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status",
      'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('retrying'::"queue"."job_status", $7::uuid) AND (j.status, j.id) < ('retrying'::"queue"."job_status",
      $8::uuid) ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."status" DESC,
      "j"."id" DESC LIMIT 10000) AS j) UNION ALL (SELECT j.id FROM (
    SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.id = ANY(ARRAY(SELECT r.id FROM "queue"."jobs"
        AS r WHERE r.locked_by IS NOT NULL)) AND j.locked_by IS NOT NULL AND j.id >= $9::uuid AND j.id < $10::uuid
        ORDER BY "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs" AS j WHERE j.id
        = ANY(ARRAY(SELECT r.id FROM "queue"."jobs" AS r WHERE r.locked_by IS NOT NULL)) AND j.locked_by IS NOT
        NULL AND j.id >= $11::uuid AND j.id < $12::uuid ORDER BY "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."id"
        DESC LIMIT 10000) AS j)) AS x ORDER BY "x"."id" DESC LIMIT 10000
  ) AS ids
)
SELECT ARRAY(
    SELECT s.id FROM "queue"."all_jobs" AS s
     WHERE "s"."id" = ANY((SELECT scan.ids FROM scan)::uuid[]) AND "s"."id" BETWEEN least((SELECT scan.ids FROM
         scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND greatest((SELECT
         scan.ids FROM scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND "s"."status"
         IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status", 'running'::"queue"."job_status")
         AND ("s"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
          OR "s"."status" = 'running'::"queue"."job_status" AND NOT "s"."cancel_requested")
     ORDER BY "s"."id" DESC LIMIT 1001
  ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
  FROM scan
