WITH scopes (scope, mark) AS (VALUES ('queue', 1), ('kind', 2), ('key', 4)), counted AS (
  SELECT j.queue, j.kind, j.key, coalesce(j.tenant_id, '') AS tenant_id, j.counted, 1 AS jobs
    FROM "queue"."jobs" AS j JOIN "queue"."queues" AS q ON q.name = j.queue AND q.name = $1
   WHERE j.locked_by IS NOT NULL AND j.counted IS NOT NULL
  UNION ALL
  SELECT e.queue, e.kind, e.key, e.tenant_id, e.counted, e.jobs
    FROM "queue"."queues" AS q JOIN "queue"."lane_events" AS e
      ON e.queue = q.name AND e.due_at <= now() + interval '1 minute' AND q.name = $2
   WHERE e.counted IS NOT NULL AND e.jobs > 0
), sums AS (
  SELECT t.queue, s.scope, CASE s.scope WHEN 'queue' THEN '' WHEN 'kind' THEN t.kind ELSE t.key END AS name,
         CASE s.scope WHEN 'key' THEN t.tenant_id ELSE '' END AS tenant_id, sum(t.jobs)::integer AS jobs
    FROM counted AS t JOIN scopes AS s ON t.counted & s.mark <> 0
   GROUP BY 1, 2, 3, 4
), kept AS (
  SELECT c.queue, c.scope, c.name, c.tenant_id, c.running
    FROM "queue"."limit_counters" AS c JOIN "queue"."queues" AS q ON q.name = c.queue AND q.name = $3
), wrong AS (
  SELECT coalesce(k.queue, s.queue) AS queue, coalesce(k.scope, s.scope) AS scope, coalesce(k.name,
      s.name) AS name,
         coalesce(k.tenant_id, s.tenant_id) AS tenant_id, coalesce(s.jobs, 0) AS jobs
    FROM sums AS s FULL JOIN kept AS k
      ON k.queue = s.queue AND k.scope = s.scope AND k.name = s.name AND k.tenant_id = s.tenant_id
   WHERE coalesce(s.jobs, 0) <> coalesce(k.running, 0)
), repaired AS (
  INSERT INTO "queue"."limit_counters" AS c (queue, scope, name, tenant_id, running)
  SELECT w.queue, w.scope, w.name, w.tenant_id, w.jobs FROM wrong AS w ORDER BY w.scope, w.name,
      w.tenant_id
  ON CONFLICT ON CONSTRAINT limit_counters_pkey DO UPDATE SET running = excluded.running
  RETURNING 1
), opened AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, counted)
  SELECT DISTINCT now(), l.queue, '', l.key, l.tenant_id, 0 FROM "queue"."lanes" AS l
   WHERE l.queue = $4 AND l.is_full AND EXISTS (SELECT FROM repaired)
)
SELECT count(*)::integer AS repaired FROM repaired
