SELECT count(*)::int AS count FROM (
  SELECT FROM "queue"."dead_letter_jobs" AS d WHERE true AND d.kind = $1 AND d.queue = $2 AND d.tenant_id = $3
      AND d.dead_lettered_at >= to_timestamp($4::float8 / 1000) AND d.dead_lettered_at < to_timestamp($5::float8
      / 1000)
   LIMIT 1000) AS d
