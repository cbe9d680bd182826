WITH running AS MATERIALIZED (
  SELECT j.queue, j.kind, j.key, coalesce(j.tenant_id, '') AS tenant_id, j.counted, count(*) AS jobs
    FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.counted IS NOT NULL
   GROUP BY j.queue, j.kind, j.key, coalesce(j.tenant_id, ''), j.counted)
SELECT "l"."queue", "l"."scope", "l"."name", "l"."max_running", "l"."max_waiting", "l"."rate_count",
    "l"."rate_per_ms", "l"."rate_burst", "l"."on_retry", "l"."fair_by", "l"."weight", (round(date_part('epoch',
    "l"."paused_at") * 1000000::float8)::bigint / 1000) AS paused_ms,
         (round(date_part('epoch', "l"."created_at") * 1000000::float8)::bigint / 1000) AS created_ms,
             (round(date_part('epoch', "l"."updated_at") * 1000000::float8)::bigint / 1000) AS updated_ms,
       CASE WHEN l.max_running IS NULL OR l.scope NOT IN ('queue', 'kind', 'key') THEN NULL
            WHEN l.scope IN ('queue', 'kind') THEN (
         SELECT coalesce(sum(r.jobs), 0)::integer FROM running AS r
          WHERE r.queue = l.queue
            AND CASE l.scope WHEN 'queue' THEN r.counted & 1 <> 0 ELSE r.counted & 2 <> 0 AND r.kind = l.name END)
            ELSE (SELECT coalesce(max(t.jobs), 0)::integer FROM (
                    SELECT sum(r.jobs) AS jobs FROM running AS r
                     WHERE r.queue = l.queue AND r.key = l.name AND r.counted & 4 <> 0 GROUP BY r.tenant_id) AS
                         t)
            END AS running
  FROM "queue"."limits" AS l WHERE "l"."queue" = $1 AND (l.queue, l.scope, l.name) > ($2, $3,
      $4)
 ORDER BY l.queue, l.scope, l.name LIMIT 51
