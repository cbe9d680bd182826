WITH scan AS MATERIALIZED (
  SELECT ARRAY(
    SELECT x.id FROM ((SELECT j.id FROM (
    SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
        'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('queued'::"queue"."job_status", $1::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
      $2::uuid) ORDER BY "j"."status" ASC, "j"."id" ASC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs"
      AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status",
      'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('queued'::"queue"."job_status", $3::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
      $4::uuid) ORDER BY "j"."status" ASC, "j"."id" ASC LIMIT 10000)) AS j ORDER BY "j"."status" ASC,
      "j"."id" ASC LIMIT 10000) AS j) UNION ALL (SELECT j.id FROM (
    SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
        'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('retrying'::"queue"."job_status", $5::uuid) AND (j.status, j.id) < ('retrying'::"queue"."job_status",
      $6::uuid) ORDER BY "j"."status" ASC, "j"."id" ASC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs"
      AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status",
      'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
  AND (j.status, j.id) >= ('retrying'::"queue"."job_status", $7::uuid) AND (j.status, j.id) < ('retrying'::"queue"."job_status",
      $8::uuid) ORDER BY "j"."status" ASC, "j"."id" ASC LIMIT 10000)) AS j ORDER BY "j"."status" ASC,
      "j"."id" ASC LIMIT 10000) AS j)) AS x ORDER BY "x"."id" ASC LIMIT 10000
  ) AS ids
)
SELECT ARRAY(
    SELECT s.id FROM "queue"."all_jobs" AS s
     WHERE "s"."id" = ANY((SELECT scan.ids FROM scan)::uuid[]) AND "s"."id" BETWEEN least((SELECT scan.ids FROM
         scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND greatest((SELECT
         scan.ids FROM scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND "s"."status"
         IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND "s"."run_at" <> greatest(clock_timestamp(),
         to_timestamp($9::float8 / 1000::float8)) AND NOT ("s"."status" = 'queued'::"queue"."job_status" AND coalesce("s"."expires_at"
         <= greatest(clock_timestamp(), to_timestamp($10::float8 / 1000::float8)), false)) AND "s"."queue" = $11
     ORDER BY "s"."id" ASC LIMIT 501
  ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
  FROM scan
