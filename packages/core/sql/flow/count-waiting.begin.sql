INSERT INTO "queue"."waiting_counts" (queue, tenant_id, waiting, counted_at)
SELECT w.queue, w.tenant_id, CASE w.tenant_id WHEN '' THEN (
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
                                   j) END::integer, clock_timestamp()
  FROM (SELECT $1::text AS queue, $2::text AS tenant_id, $3::integer AS max_waiting) AS w
ON CONFLICT ON CONSTRAINT waiting_counts_pkey DO UPDATE SET waiting = excluded.waiting, counted_at = excluded.counted_at
