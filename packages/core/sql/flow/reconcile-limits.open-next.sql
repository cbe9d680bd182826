WITH page AS MATERIALIZED (
  SELECT l.queue, l.key, l.tenant_id, l.kind, l.priority, l.is_full, l.turn_at FROM "queue"."lanes" AS l WHERE
      (l.queue, l.key, l.tenant_id, l.kind, l.priority) > ($1::text, $2::text, $3::text, $4::text,
      $5::smallint)
   ORDER BY l.queue, l.key, l.tenant_id, l.kind, l.priority LIMIT 1000
), open AS MATERIALIZED (
  SELECT DISTINCT l.queue, l.key, l.tenant_id FROM page AS l
   WHERE l.is_full AND l.turn_at < now() - interval '1 minute' AND NOT EXISTS (
     SELECT FROM "queue"."limits" AS r
       LEFT JOIN "queue"."limit_counters" AS c
         ON c.queue = l.queue AND c.scope = 'key' AND c.name = l.key AND c.tenant_id = l.tenant_id
      WHERE r.queue = l.queue AND (r.scope = 'each_key' AND r.name = '' OR r.scope = 'key' AND r.name = l.key)
        AND (r.paused_at IS NOT NULL OR c.running >= r.max_running
             OR r.rate_count IS NOT NULL AND c.spent_until > now() - interval '1 minute'
             OR r.on_retry IS NOT NULL
                AND (c.running >= 1 OR EXISTS (SELECT FROM "queue"."lanes" AS o
                                                WHERE o.queue = l.queue AND o.key = l.key AND o.tenant_id = l.tenant_id
                                                  AND NOT o.is_full))))
), repaired AS (
  INSERT INTO "queue"."lane_events" (due_at, queue, kind, key, tenant_id, counted)
  SELECT now(), o.queue, '', o.key, o.tenant_id, 0 FROM open AS o
   WHERE (o.queue, o.key, o.tenant_id) NOT IN (
     SELECT e.queue, e.key, e.tenant_id FROM "queue"."lane_events" AS e WHERE e.key IS NOT NULL)
  RETURNING 1
)
SELECT (SELECT count(*)::integer FROM repaired) AS repaired, (
  SELECT json_build_object('queue', p.queue, 'key', p.key, 'tenant_id', p.tenant_id, 'kind',
      p.kind, 'priority', p.priority)::text
    FROM page AS p ORDER BY p.queue, p.key, p.tenant_id, p.kind, p.priority
  OFFSET 999 LIMIT 1) AS next
