UPDATE "queue"."lanes" AS l SET share = s.share
  FROM "queue"."lanes" AS o
  LEFT JOIN "queue"."limits" AS r ON r.queue = o.queue AND r.scope = 'queue' AND r.name = ''
 CROSS JOIN LATERAL (SELECT CASE r.fair_by WHEN 'tenant' THEN o.tenant_id
                                          WHEN 'key' THEN o.key || chr(9) || o.tenant_id END AS share) AS s
 WHERE o.queue = $1 AND l.queue = o.queue AND l.key = o.key AND l.tenant_id = o.tenant_id AND l.kind = o.kind
   AND l.priority = o.priority AND l.share IS DISTINCT FROM s.share
