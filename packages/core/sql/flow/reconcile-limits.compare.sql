WITH scopes (scope, mark) AS (VALUES ('queue', 1), ('kind', 2), ('key', 4)), counted AS (
  SELECT j.queue, j.kind, j.key, coalesce(j.tenant_id, '') AS tenant_id, j.counted, 1 AS jobs
    FROM "queue"."jobs" AS j JOIN "queue"."queues" AS q ON q.name = j.queue
   WHERE j.locked_by IS NOT NULL AND j.counted IS NOT NULL
  UNION ALL
  SELECT e.queue, e.kind, e.key, e.tenant_id, e.counted, e.jobs
    FROM "queue"."queues" AS q JOIN "queue"."lane_events" AS e
      ON e.queue = q.name AND e.due_at <= now() + interval '1 minute'
   WHERE e.counted IS NOT NULL AND e.jobs > 0
), sums AS (
  SELECT t.queue, s.scope, CASE s.scope WHEN 'queue' THEN '' WHEN 'kind' THEN t.kind ELSE t.key END AS name,
         CASE s.scope WHEN 'key' THEN t.tenant_id ELSE '' END AS tenant_id, sum(t.jobs)::integer AS jobs
    FROM counted AS t JOIN scopes AS s ON t.counted & s.mark <> 0
   GROUP BY 1, 2, 3, 4
), kept AS (
  SELECT c.queue, c.scope, c.name, c.tenant_id, c.running
    FROM "queue"."limit_counters" AS c JOIN "queue"."queues" AS q ON q.name = c.queue
), wrong AS (
  SELECT coalesce(k.queue, s.queue) AS queue, coalesce(k.scope, s.scope) AS scope, coalesce(k.name,
      s.name) AS name,
         coalesce(k.tenant_id, s.tenant_id) AS tenant_id, coalesce(s.jobs, 0) AS jobs
    FROM sums AS s FULL JOIN kept AS k
      ON k.queue = s.queue AND k.scope = s.scope AND k.name = s.name AND k.tenant_id = s.tenant_id
   WHERE coalesce(s.jobs, 0) <> coalesce(k.running, 0)
) SELECT DISTINCT w.queue FROM wrong AS w ORDER BY w.queue
