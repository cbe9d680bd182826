WITH scan AS MATERIALIZED (
  SELECT d.* FROM "queue"."dead_letter_jobs" AS d WHERE true AND true ORDER BY d.dead_lettered_at DESC,
      d.id DESC
   LIMIT 10000
)
SELECT ARRAY(SELECT d.job_id FROM scan AS d WHERE (true and "d"."kind" = $1)
          ORDER BY d.dead_lettered_at DESC, d.id DESC LIMIT 1001) AS ids,
       (SELECT count(*)::int FROM scan) AS rows,
       (SELECT d.job_id FROM scan AS d ORDER BY d.dead_lettered_at, d.id LIMIT 1) AS scan_end
