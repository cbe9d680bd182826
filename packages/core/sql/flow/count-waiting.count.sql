WITH due AS MATERIALIZED (
  SELECT w.queue, w.tenant_id, l.max_waiting FROM "queue"."waiting_counts" AS w JOIN "queue"."limits" AS l ON l.queue
      = w.queue AND l.scope = CASE w.tenant_id WHEN '' THEN 'queue' ELSE 'tenant' END AND l.name = w.tenant_id
              AND l.max_waiting IS NOT NULL
   WHERE w.counted_at <= clock_timestamp() - $1::float8 * interval '1 millisecond'
   ORDER BY w.counted_at LIMIT 1000 FOR NO KEY UPDATE OF w SKIP LOCKED
), counted AS (
  UPDATE "queue"."waiting_counts" AS c SET waiting = n.waiting, counted_at = clock_timestamp()
    FROM (SELECT w.queue, w.tenant_id, CASE w.tenant_id WHEN '' THEN (
                             SELECT count(*) FROM (
                               (SELECT FROM "queue".jobs AS j WHERE j.key IS NULL AND j.queue = w.queue AND j.status
                                   IN ('queued', 'retrying')
                               ORDER BY j.priority, j.run_at, j.id LIMIT w.max_waiting)
                               UNION ALL
                               (SELECT FROM "queue".jobs AS j WHERE coalesce(j.key, '') <> '' AND j.queue = w.queue
                                   AND j.status IN ('queued', 'retrying')
                               ORDER BY j.priority, j.run_at, j.id LIMIT w.max_waiting)
                               LIMIT w.max_waiting) AS j)
                           ELSE (
                             SELECT count(*) FROM (
                               (SELECT FROM "queue".jobs AS j WHERE j.tenant_id = w.tenant_id AND j.queue = w.queue
                                   AND j.status IN ('queued', 'retrying')
                               ORDER BY coalesce(j.key, ''), j.priority, j.run_at, j.id LIMIT w.max_waiting)) AS
                                   j) END::integer AS waiting FROM due AS w) AS n
   WHERE c.queue = n.queue AND c.tenant_id = n.tenant_id
  RETURNING 1
)
SELECT (SELECT count(*)::integer FROM counted) AS counted, EXISTS (SELECT FROM "queue"."waiting_counts") AS is_wanted
