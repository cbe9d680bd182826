WITH held AS MATERIALIZED (
  SELECT j.id FROM (
    SELECT j.id FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.queue = $1 AND j.kind = $2 AND coalesce(j.counted,
        0) & 2 = 0 ORDER BY j.id
  ) AS r CROSS JOIN LATERAL (
    SELECT j.id FROM "queue"."jobs" AS j WHERE j.id = r.id AND j.locked_by IS NOT NULL AND j.queue = $3 AND j.kind
        = $4 AND coalesce(j.counted, 0) & 2 = 0 FOR UPDATE
  ) AS j
), marked AS (
  UPDATE "queue"."jobs" AS j SET counted = coalesce(j.counted, 0) | 2
   WHERE j.id = ANY(ARRAY(SELECT held.id FROM held))
  RETURNING j.key, j.tenant_id
)
INSERT INTO "queue"."limit_counters" AS c (queue, scope, name, tenant_id, running)
SELECT $5, n.* FROM (
  SELECT t.scope, t.name, t.tenant_id, count(*)
    FROM marked AS m CROSS JOIN LATERAL (SELECT 'kind', $6::text, '') AS t (scope, name, tenant_id)
   GROUP BY t.scope, t.name, t.tenant_id) AS n
 ORDER BY n.name, n.tenant_id
ON CONFLICT ON CONSTRAINT limit_counters_pkey DO UPDATE SET running = c.running + excluded.running
