WITH RECURSIVE heads AS (
  (SELECT c.queue, c.key, coalesce(c.tenant_id, '') AS tenant_id, c.kind, c.priority, c.run_at,
      1 AS n FROM "queue"."jobs" AS c WHERE c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status")
      AND c.key IS NOT NULL ORDER BY c.queue, c.key, coalesce(c.tenant_id, ''), c.kind, c.priority,
      c.run_at, c.id LIMIT 1)
  UNION ALL
  SELECT n.*, h.n + 1 FROM heads AS h CROSS JOIN LATERAL (
    SELECT c.queue, c.key, coalesce(c.tenant_id, '') AS tenant_id, c.kind, c.priority, c.run_at FROM "queue"."jobs"
        AS c
     WHERE c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND c.key IS NOT NULL
         AND (c.queue, c.key, coalesce(c.tenant_id, ''), c.kind, c.priority) > (h.queue, h.key,
         h.tenant_id, h.kind, h.priority)
     ORDER BY c.queue, c.key, coalesce(c.tenant_id, ''), c.kind, c.priority, c.run_at, c.id LIMIT 1) AS n
   WHERE h.n < 1000
), page AS MATERIALIZED (
  SELECT heads.* FROM heads
), unknown AS MATERIALIZED (
  SELECT h.* FROM page AS h
   WHERE h.run_at < now() - interval '1 minute' AND NOT EXISTS (
     SELECT FROM "queue"."lanes" AS l
      WHERE l.queue = h.queue AND l.key = h.key AND l.tenant_id = h.tenant_id AND l.kind = h.kind
        AND l.priority = h.priority AND l.head_at <= h.run_at)
), repaired AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, priority)
  SELECT u.run_at, u.queue, u.kind, u.key, u.tenant_id, u.priority FROM unknown AS u
   WHERE NOT EXISTS (
     SELECT FROM "queue"."lane_events" AS e
      WHERE e.queue = u.queue AND e.due_at <= u.run_at AND e.key = u.key AND e.tenant_id = u.tenant_id
        AND e.kind = u.kind AND e.priority = u.priority)
  RETURNING 1
)
SELECT (SELECT count(*)::integer FROM repaired) AS repaired, (
  SELECT json_build_object('queue', p.queue, 'key', p.key, 'tenant_id', p.tenant_id, 'kind',
      p.kind, 'priority', p.priority)::text
    FROM page AS p ORDER BY p.queue, p.key, p.tenant_id, p.kind, p.priority
  OFFSET 999 LIMIT 1) AS next
