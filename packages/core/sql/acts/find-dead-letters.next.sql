WITH scan AS MATERIALIZED (
  SELECT d.* FROM "queue"."dead_letter_jobs" AS d WHERE d.job_id > $1::uuid
   ORDER BY d.job_id LIMIT 501
)
SELECT ARRAY(SELECT d.job_id FROM scan AS d WHERE true AND d.dead_lettered_at < $2::timestamptz
          ORDER BY d.job_id LIMIT 501) AS ids,
       (SELECT count(*)::int FROM scan) AS rows,
       (SELECT d.job_id FROM scan AS d ORDER BY d.job_id DESC LIMIT 1) AS scan_end
