SELECT j.id, j.status, j.attempts, j.max_attempts AS "maxAttempts", j.progress, j.cancel_requested AS "cancelRequested",
       j.progress_message AS "progressMessage", (round(date_part('epoch', "j"."updated_at") * 1000000::float8)::bigint
           / 1000) AS "updatedAtMs"
  FROM (
    SELECT a.* FROM (SELECT DISTINCT unnest($1::uuid[]) AS id) AS i
     CROSS JOIN LATERAL (SELECT a.* FROM "queue"."tenant_all_jobs" AS a WHERE a.id = i.id OFFSET 0) AS a) AS j
         WHERE true AND "j"."tenant_id" = $2 AND "j"."queue" = ANY($3::text[]) AND "j"."kind" = ANY($4::text[])
