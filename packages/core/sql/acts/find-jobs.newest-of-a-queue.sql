WITH scan AS MATERIALIZED (
  SELECT ARRAY(
    SELECT x.id FROM ((SELECT j.id FROM (
    SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.id >= $1::uuid AND j.id < $2::uuid ORDER BY "j"."id"
        DESC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs" AS j WHERE j.id >= $3::uuid AND j.id
        < $4::uuid ORDER BY "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."id" DESC LIMIT 10000) AS j)) AS x ORDER
        BY "x"."id" DESC LIMIT 10000
  ) AS ids
)
SELECT ARRAY(
    SELECT s.id FROM "queue"."all_jobs" AS s
     WHERE "s"."id" = ANY((SELECT scan.ids FROM scan)::uuid[]) AND "s"."id" BETWEEN least((SELECT scan.ids FROM
         scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND greatest((SELECT
         scan.ids FROM scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND "s"."status"
         IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status",
         'cancelled'::"queue"."job_status", 'succeeded'::"queue"."job_status") AND "s"."queue" = $5 AND "s"."finished_at"
         < to_timestamp($6::float8 / 1000::float8)
     ORDER BY "s"."id" DESC LIMIT 1001
  ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
  FROM scan
