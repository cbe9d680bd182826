WITH scan AS MATERIALIZED (
  SELECT ARRAY(
    SELECT x.id FROM ((SELECT j.id FROM (SELECT j.* FROM "queue"."tenant_job_list" AS j WHERE j.tenant_id IS NOT
        NULL AND (j.tenant_id, j.id) >= ($1, $2::uuid) AND (j.tenant_id, j.id) < ($3, $4::uuid) ORDER BY "j"."tenant_id"
        DESC, "j"."id" DESC LIMIT 10000) AS j)) AS x ORDER BY "x"."id" DESC LIMIT 10000
  ) AS ids
)
SELECT ARRAY(
    SELECT s.id FROM "queue"."tenant_all_jobs" AS s
     WHERE "s"."id" = ANY((SELECT scan.ids FROM scan)::uuid[]) AND "s"."id" BETWEEN least((SELECT scan.ids FROM
         scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND greatest((SELECT
         scan.ids FROM scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND "s"."status"
         IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status", 'running'::"queue"."job_status")
         AND "s"."tenant_id" = $5 AND ("s"."status" IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
          OR "s"."status" = 'running'::"queue"."job_status" AND NOT "s"."cancel_requested") AND "s"."tenant_id"
              = $6 AND "s"."queue" = ANY($7::text[]) AND "s"."kind" = ANY($8::text[])
     ORDER BY "s"."id" DESC LIMIT 1001
  ) AS ids, cardinality(scan.ids) AS rows, scan.ids[cardinality(scan.ids)] AS scan_end
  FROM scan
