  WITH scan AS MATERIALIZED (
    SELECT ARRAY(
      SELECT j.id FROM (
      SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.status IN ('queued'::"queue"."job_status",
          'retrying'::"queue"."job_status", 'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
    AND (j.status, j.id) >= ('queued'::"queue"."job_status", $1::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
        $2::uuid) ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs"
        AS j WHERE j.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status",
        'failed_permanent'::"queue"."job_status", 'cancelled'::"queue"."job_status")
    AND (j.status, j.id) >= ('queued'::"queue"."job_status", $3::uuid) AND (j.status, j.id) < ('queued'::"queue"."job_status",
        $4::uuid) ORDER BY "j"."status" DESC, "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."status" DESC,
        "j"."id" DESC LIMIT 10000) AS j
    ) AS ids
  ), page AS MATERIALIZED (
    SELECT s.* FROM "queue"."all_jobs" AS s
     WHERE "s"."id" = ANY((SELECT scan.ids FROM scan)::uuid[]) AND "s"."id" BETWEEN least((SELECT scan.ids FROM
         scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND greatest((SELECT
         scan.ids FROM scan)[1], (SELECT scan.ids FROM scan)[cardinality((SELECT scan.ids FROM scan))]) AND "s"."kind"
         = $5 ORDER BY s.id DESC LIMIT 51
  )
  SELECT found.scan_end, found.page_rows, "p"."id"::text AS "id", "p"."queue" AS "queue", "p"."kind" AS "kind",
      "p"."kind_version"::text AS "kind_version", "p"."tenant_id" AS "tenant_id", "p"."key" AS "key",
      "p"."weight"::text AS "weight", "p"."payload"::text AS "payload", "p"."metadata"::text AS "metadata",
      "p"."status" AS "status", "p"."priority"::text AS "priority", "p"."attempts"::text AS "attempts",
      "p"."max_attempts"::text AS "max_attempts", "p"."timeout_ms"::text AS "timeout_ms", "p"."retry_policy"::text
      AS "retry_policy", "p"."crashes"::text AS "crashes", "p"."last_error" AS "last_error",
      "p"."result"::text AS "result", "p"."progress"::text AS "progress", "p"."progress_message" AS "progress_message",
      (round(date_part('epoch', "p"."run_at") * 1000000::float8)::bigint / 1000)::text AS "run_at",
      (round(date_part('epoch', "p"."expires_at") * 1000000::float8)::bigint / 1000)::text AS "expires_at",
      (round(date_part('epoch', "p"."locked_at") * 1000000::float8)::bigint / 1000)::text AS "locked_at",
      "p"."locked_by" AS "locked_by", "p"."cancel_requested" AS "cancel_requested", "p"."cancel_reason" AS "cancel_reason",
      "p"."idempotency_key" AS "idempotency_key", "p"."unique_key" AS "unique_key", "p"."unique_scope" AS "unique_scope",
      "p"."trace_context" AS "trace_context", array_to_json("p"."sensitive")::text AS "sensitive",
      "p"."open_results" AS "open_results", (round(date_part('epoch', "p"."created_at") * 1000000::float8)::bigint
      / 1000)::text AS "created_at", (round(date_part('epoch', "p"."updated_at") * 1000000::float8)::bigint / 1000)::text
      AS "updated_at", (round(date_part('epoch', "p"."stripped_at") * 1000000::float8)::bigint / 1000)::text AS
      "stripped_at", (round(date_part('epoch', "p"."finished_at") * 1000000::float8)::bigint / 1000)::text AS "finished_at"
    FROM (
      SELECT CASE WHEN (SELECT count(*)::int FROM page) <= $6 THEN scan.ids[10000] END AS scan_end,
             (SELECT count(*)::int FROM page) AS page_rows
        FROM scan
    ) AS found
    LEFT JOIN (
  SELECT sized.* FROM (
    SELECT page.*, sum(coalesce(octet_length(page.payload::text), 0) + coalesce(octet_length(page.result::text),
        0) + coalesce(octet_length(page.last_error::text), 0)) OVER (
             ORDER BY page.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM page
  ) AS sized WHERE coalesce(sized.bytes_before, 0) < 2097152
) AS p ON true
   ORDER BY p.id DESC
