SELECT e.fingerprint, e.tenant_id, e.queue, e.kind, e.error_class, e.count::text AS count,
       (round(date_part('epoch', e.first_seen_at) * 1000000::float8)::bigint / 1000) AS first_seen_at,
           (round(date_part('epoch', e.last_seen_at) * 1000000::float8)::bigint / 1000) AS last_seen_at,
           e.first_version,
       to_json(e.worker_versions)::text AS worker_versions, e.sample_job_id, e.sample_error,
           to_json(ARRAY['last', to_char(e.last_seen_at AT TIME ZONE 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"'),
           e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id])::text AS position
  FROM "queue"."tenant_job_errors" AS e
 WHERE "e"."tenant_id" = $1 AND "e"."queue" = ANY($2::text[]) AND "e"."kind" = ANY($3::text[])
 ORDER BY e.last_seen_at DESC, e.fingerprint || ' ' || e.queue || ' ' || e.tenant_id DESC LIMIT 51
