  WITH page AS MATERIALIZED (
    SELECT a.* FROM (
      SELECT a.* FROM "queue"."audit_log" AS a WHERE true ORDER BY a.at DESC, a.id DESC LIMIT 10000
    ) AS a
     WHERE true AND a.actor = $1 AND a.act = $2 ORDER BY a.at DESC, a.id DESC LIMIT 51
  )
  SELECT scan.scan_end, scan.page_rows, a.id, (round(date_part('epoch', a.at) * 1000000::float8)::bigint / 1000)
      AS at, a.act, a.actor_type, a.actor, a.actor_name, a.database_role,
a.tenant_id, a.address, a.request_id, a.count, a.target, a.filter::text AS filter,
to_json(a.job_ids)::text AS job_ids, to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' ||
    a.id AS position
    FROM (SELECT CASE WHEN (SELECT count(*)::int FROM page) <= $3
  THEN (SELECT to_char(a.at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') || ' ' || a.id FROM "queue"."audit_log"
      AS a WHERE true ORDER BY a.at DESC, a.id DESC OFFSET 9999 LIMIT 1) END AS scan_end, (SELECT count(*)::int
      FROM page) AS page_rows) AS scan
    LEFT JOIN (
  SELECT sized.* FROM (
    SELECT page.*, sum(coalesce(octet_length(page.job_ids::text), 0) + coalesce(octet_length(page.filter::text),
        0) + coalesce(octet_length(page.target::text), 0)) OVER (
             ORDER BY page.at DESC, page.id DESC ROWS BETWEEN UNBOUNDED PRECEDING AND 1 PRECEDING) AS bytes_before
      FROM page
  ) AS sized WHERE coalesce(sized.bytes_before, 0) < 2097152
) AS a ON true
   ORDER BY a.at DESC, a.id DESC
