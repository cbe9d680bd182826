  WITH page AS MATERIALIZED (
    SELECT d.* FROM (
      SELECT d.* FROM "queue"."dead_letter_jobs" AS d
   WHERE true AND true ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT 51
    ) AS d
     WHERE true ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT 51
  )
  SELECT scan.scan_end, scan.page_rows, d.id, d.job_id, d.fingerprint, "d"."queue" AS "queue",
      "d"."kind" AS "kind", "d"."kind_version"::text AS "kind_version", "d"."tenant_id" AS "tenant_id",
      "d"."key" AS "key", "d"."weight"::text AS "weight", "d"."payload"::text AS "payload",
      "d"."metadata"::text AS "metadata", "d"."priority"::text AS "priority", "d"."attempts"::text AS "attempts",
      "d"."max_attempts"::text AS "max_attempts", "d"."crashes"::text AS "crashes", "d"."last_error" AS "last_error",
      "d"."idempotency_key" AS "idempotency_key", array_to_json("d"."sensitive")::text AS "sensitive",
      (round(date_part('epoch', "d"."created_at") * 1000000::float8)::bigint / 1000)::text AS "created_at",
      d.execution_history::text AS execution_history,
(round(date_part('epoch', d.dead_lettered_at) * 1000000::float8)::bigint / 1000) AS dead_lettered_at,
    to_char(d.dead_lettered_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || d.id AS position
    FROM (SELECT NULL::text AS scan_end, (SELECT count(*)::int FROM page) AS page_rows) AS scan
    LEFT JOIN (
  SELECT sized.* FROM (
    SELECT page.*, sum(coalesce(octet_length(page.payload::text), 0) + coalesce(octet_length(page.execution_history::text),
        0) + coalesce(octet_length(page.last_error::text), 0)) OVER (
             ORDER BY page.dead_lettered_at DESC, page.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING)
                 AS bytes_before
      FROM page
  ) AS sized WHERE coalesce(sized.bytes_before, 0) < 2097152
) AS d ON true
   ORDER BY d.dead_lettered_at DESC, d.id DESC
