  WITH page AS MATERIALIZED (
    SELECT s.* FROM (
      SELECT j.* FROM (
      SELECT j.* FROM ((SELECT j.* FROM "queue"."jobs" AS j WHERE j.id = ANY(ARRAY(SELECT r.id FROM "queue"."jobs"
          AS r WHERE r.locked_by IS NOT NULL)) AND j.locked_by IS NOT NULL AND j.id >= $1::uuid AND j.id < $2::uuid
          ORDER BY "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.* FROM "queue"."archived_jobs" AS j WHERE j.id
          = ANY(ARRAY(SELECT r.id FROM "queue"."jobs" AS r WHERE r.locked_by IS NOT NULL)) AND j.locked_by IS NOT
          NULL AND j.id >= $3::uuid AND j.id < $4::uuid ORDER BY "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."id"
          DESC LIMIT 10000) AS j
    ) AS s
     WHERE s.status = 'running'::"queue"."job_status" ORDER BY "s"."id" DESC LIMIT 51
  )
  SELECT scan.scan_end, scan.page_rows, "p"."id"::text AS "id", "p"."queue" AS "queue", "p"."kind" AS "kind",
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
    FROM (SELECT CASE WHEN (SELECT count(*)::int FROM page) <= $5
  THEN (SELECT j.id FROM (
      SELECT j.* FROM ((SELECT j.id FROM "queue"."jobs" AS j WHERE j.id = ANY(ARRAY(SELECT r.id FROM "queue"."jobs"
          AS r WHERE r.locked_by IS NOT NULL)) AND j.locked_by IS NOT NULL AND j.id >= $6::uuid AND j.id < $7::uuid
          ORDER BY "j"."id" DESC LIMIT 10000) UNION ALL (SELECT j.id FROM "queue"."archived_jobs" AS j WHERE j.id
          = ANY(ARRAY(SELECT r.id FROM "queue"."jobs" AS r WHERE r.locked_by IS NOT NULL)) AND j.locked_by IS NOT
          NULL AND j.id >= $8::uuid AND j.id < $9::uuid ORDER BY "j"."id" DESC LIMIT 10000)) AS j ORDER BY "j"."id"
          DESC LIMIT 10000) AS j ORDER BY j.id DESC OFFSET 9999 LIMIT 1) END AS scan_end, (SELECT count(*)::int
          FROM page) AS page_rows) AS scan
    LEFT JOIN (
  SELECT sized.* FROM (
    SELECT page.*, sum(coalesce(octet_length(page.payload::text), 0) + coalesce(octet_length(page.result::text),
        0) + coalesce(octet_length(page.last_error::text), 0)) OVER (
             ORDER BY page.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM page
  ) AS sized WHERE coalesce(sized.bytes_before, 0) < 2097152
) AS p ON true
   ORDER BY p.id DESC
