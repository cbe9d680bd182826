 SELECT f.id, f.queue, f.kind, coalesce(f.kind_version, 1) AS version, f.status, (round(date_part('epoch',
     "f"."run_at") * 1000000::float8)::bigint / 1000) AS "run_at", (round(date_part('epoch',
     "f"."expires_at") * 1000000::float8)::bigint / 1000) AS "expires_at",
        (round(date_part('epoch', "f"."locked_at") * 1000000::float8)::bigint / 1000) AS "locked_at",
            (round(date_part('epoch', "f"."finished_at") * 1000000::float8)::bigint / 1000) AS "finished_at",
            f.cancel_requested, f.cancel_reason, f.attempts, f.max_attempts,
        NOT pg_is_in_recovery()
        AND current_setting('transaction_read_only') = 'off' AS is_writable, f.is_waiting,
            f.is_due, f.has_attempts, f.is_in_time, f.is_steady,
        f.is_unfit, f.is_registered,
        f.is_open, (round(date_part('epoch', "f"."paused_at") * 1000000::float8)::bigint / 1000) AS "paused_at",
            f.is_held, f.serving, f.of_kind, f.able, f.slots, f.held, f.free, f.calm,
        f.limits::text AS limits, coalesce((
          SELECT jsonb_object_agg(l.scope, ARRAY(
             SELECT r.id FROM (
               SELECT j.* FROM "queue"."workers" AS w CROSS JOIN LATERAL (
                 SELECT j.id, j.queue, j.kind, j.key, j.tenant_id, j.counted, j.locked_at FROM "queue"."jobs" AS
                     j
                  WHERE j.locked_by IS NOT NULL AND j.locked_by = w.id LIMIT 5000) AS j
                LIMIT 5000) AS r
              WHERE r.queue = f.queue AND CASE l.scope
                      WHEN 'queue' THEN r.counted & 1 <> 0
                      WHEN 'kind' THEN r.counted & 2 <> 0 AND r.kind = f.kind
                      ELSE r.counted & 4 <> 0 AND r.key = f.key AND coalesce(r.tenant_id, '') = coalesce(f.tenant_id,
                          '') END
              ORDER BY r.locked_at, r.id LIMIT 10))
            FROM jsonb_to_recordset(f.limits) AS l (scope text, max_running integer, running integer)
           WHERE l.running >= l.max_running), '{}')::text AS holders, f.next_id, f.is_in_order,
        f.due AS due,
        (round(date_part('epoch', "f"."heard_at") * 1000000::float8)::bigint / 1000) AS "heard_at",
            f.versions, ARRAY(SELECT DISTINCT o.queue
                  FROM "queue"."workers" AS w CROSS JOIN LATERAL unnest(w.queues) AS o (queue)
                 CROSS JOIN LATERAL (SELECT f.kind, f.kind_version) AS c
                 WHERE f.able = 0 AND o.queue <> f.queue AND w.state = 'active' AND now() < w.lease_expires_at
                     AND (c.kind_version IS NULL AND c.kind = ANY(w.kinds)
                       OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds))
                 ORDER BY o.queue LIMIT 10) AS elsewhere
   FROM (
   SELECT c.id, c.tenant_id, c.queue, c.key, c.kind, c.kind_version, c.status, c.run_at, c.expires_at,
       c.locked_at, c.finished_at,
          c.cancel_requested, c.cancel_reason, c.attempts, c.max_attempts,
          c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AS is_waiting,
              c.run_at <= now() AS is_due, c.attempts < c.max_attempts AS has_attempts,
          (c.expires_at IS NULL OR c.status = 'retrying'::"queue"."job_status" OR c.expires_at > now()) AS is_in_time,
              c.crashes = 0 AS is_steady,
          coalesce((SELECT x.outcome = 'snoozed' AND x.error IS NOT NULL FROM "queue"."job_executions" AS x WHERE
              x.job_id = c.id
                    ORDER BY x.lease_token DESC LIMIT 1), false) AS is_unfit,
          q.name IS NOT NULL AS is_registered, q.name IS NOT NULL AND q.paused_at IS NULL AS is_open,
              q.paused_at,
          EXISTS (SELECT FROM "queue"."workers" AS w WHERE w.id = c.locked_by AND w.state = 'active' AND now()
              < w.lease_expires_at) AS is_held,
          s.serving, s.of_kind, s.able, s.slots, s.heard_at, h.held, h.free, h.calm,
          f.limits, f.next_id, f.is_in_order, f.due,
          ARRAY(SELECT DISTINCT k.name FROM "queue"."workers" AS w CROSS JOIN LATERAL unnest(w.kinds) AS k (name)
                 WHERE c.queue = ANY(w.queues) AND w.state = 'active' AND now() < w.lease_expires_at AND split_part(k.name,
                     '/', 1) = c.kind
                 ORDER BY k.name LIMIT 10) AS versions
     FROM "queue"."all_jobs" AS c LEFT JOIN "queue"."queues" AS q ON q.name = c.queue
    CROSS JOIN LATERAL (
      SELECT count(*) FILTER (WHERE w.state = 'active' AND now() < w.lease_expires_at)::integer AS serving,
             count(*) FILTER (WHERE w.state = 'active' AND now() < w.lease_expires_at AND EXISTS (SELECT FROM unnest(w.kinds)
                 AS k (name) WHERE split_part(k.name, '/', 1) = c.kind))::integer AS of_kind,
             count(*) FILTER (WHERE w.state = 'active' AND now() < w.lease_expires_at AND (c.kind_version IS NULL
                 AND c.kind = ANY(w.kinds)
                       OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds)))::integer
                           AS able,
             coalesce(sum(w.concurrency) FILTER (WHERE w.state = 'active' AND now() < w.lease_expires_at AND (c.kind_version
                 IS NULL AND c.kind = ANY(w.kinds)
                       OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds))),
                           0)::integer AS slots,
             max(w.heartbeat_at) AS heard_at
        FROM "queue"."workers" AS w WHERE c.queue = ANY(w.queues)
    ) AS s
    CROSS JOIN LATERAL (
      SELECT coalesce(sum(b.held), 0)::integer AS held,
             CASE WHEN coalesce(sum(b.seen), 0) <= 5000::numeric THEN count(*) FILTER (WHERE b.held < b.concurrency)::integer
                 END AS free,
             CASE WHEN coalesce(sum(b.seen), 0) <= 5000::numeric THEN count(*) FILTER (WHERE b.crashed = 0)::integer
                 END AS calm
        FROM (
          SELECT r.concurrency, count(*) AS seen, count(r.crashes) AS held, count(*) FILTER (WHERE r.crashes >
              0) AS crashed
            FROM (
              SELECT w.id, w.concurrency, j.crashes
                FROM "queue"."workers" AS w LEFT JOIN LATERAL (
                  SELECT j.crashes FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.locked_by = w.id
                   LIMIT 5001
                ) AS j ON true
               WHERE c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND c.queue
                   = ANY(w.queues) AND w.state = 'active' AND now() < w.lease_expires_at AND (c.kind_version IS
                   NULL AND c.kind = ANY(w.kinds)
                       OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds))
               LIMIT 5001) AS r
           GROUP BY r.id, r.concurrency) AS b) AS h
CROSS JOIN LATERAL (
  SELECT now() AS at, c.queue, c.kind, c.key, coalesce(c.tenant_id, '') AS tenant_id, coalesce(c.weight,
      1) AS weight,
         c.status IN ('queued', 'retrying') AS is_waiting
) AS p
CROSS JOIN LATERAL (
  SELECT coalesce(r.limits, '[]') AS limits, o.next_id, o.is_in_order IS TRUE AS is_in_order,
         CASE WHEN r.limits IS NOT NULL THEN (
           SELECT coalesce(sum(coalesce(b.weight, 1)), 0)::integer FROM (
             SELECT b.weight FROM generate_series(0, 9) AS g (priority) CROSS JOIN LATERAL (
               (SELECT b.weight FROM "queue".jobs AS b
              WHERE b.queue = p.queue AND b.priority = g.priority::smallint AND b.status IN ('queued',
                  'retrying') AND b.key IS NULL
                AND b.run_at <= p.at ORDER BY b.run_at, b.id LIMIT 1001) UNION ALL (SELECT b.weight FROM "queue".jobs
                    AS b
              WHERE b.queue = p.queue AND b.priority = g.priority::smallint AND b.status IN ('queued',
                  'retrying') AND coalesce(b.key, '') <> ''
                AND b.run_at <= p.at ORDER BY b.run_at, b.id LIMIT 1001)) AS b LIMIT 1001) AS b) END AS due
    FROM (
      SELECT jsonb_agg(jsonb_build_object('scope', l.scope, 'max_running', l.max_running, 'running',
          c.running,
                                          'room', CASE WHEN l.paused_at IS NOT NULL THEN 0
             ELSE greatest(0, least(coalesce(l.max_running - c.running, 1000000000), coalesce(
               CASE WHEN floor(
               l.rate_burst::float8
               - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8
                   * 1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - at)::float8 * 1000::float8
                   * l.rate_count::float8 / l.rate_per_ms::float8
               + 1e-6::float8)::integer < least(c.awaited, l.rate_burst) THEN 0 ELSE floor(
               l.rate_burst::float8
               - extract(epoch FROM greatest(at, least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8
                   * 1000::float8) / l.rate_count::float8) * interval '1 microsecond')) - at)::float8 * 1000::float8
                   * l.rate_count::float8 / l.rate_per_ms::float8
               + 1e-6::float8)::integer END, 1000000000))) END,
                                          'paused_at', (SELECT floor(date_part('epoch', i.at) * 1000::float8)::bigint
                                              FROM (SELECT l.paused_at AS at) AS i WHERE isfinite(i.at)),
                                              'opens_at', (SELECT floor(date_part('epoch',
                                              i.at) * 1000::float8)::bigint FROM (SELECT greatest(at,
                                              least(c.spent_until, at + ceil((l.rate_burst)::float8 * (l.rate_per_ms::float8
                                              * 1000::float8) / l.rate_count::float8) * interval '1 microsecond'))
                                              - ceil(((l.rate_burst - least(c.awaited, l.rate_burst)))::float8
                                              * (l.rate_per_ms::float8 * 1000::float8) / l.rate_count::float8)
                                              * interval '1 microsecond' AS at) AS i WHERE isfinite(i.at)))) AS
                                              limits
        FROM (
          SELECT l.scope, l.name, '' AS tenant_id, l.max_running, l.rate_count, l.rate_per_ms,
              l.rate_burst, l.paused_at
            FROM "queue".limits AS l
           WHERE p.is_waiting AND l.queue = p.queue AND (l.scope = 'queue' AND l.name = '' OR l.scope = 'kind'
               AND l.name = p.kind)
             AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL OR l.paused_at IS NOT NULL)
          UNION ALL
          SELECT 'key', p.key, p.tenant_id, l.max_running, l.rate_count, l.rate_per_ms, l.rate_burst,
              l.paused_at
            FROM (
           SELECT CASE WHEN every.on_retry IS NULL THEN coalesce(own.max_running, every.max_running) ELSE 1 END
               AS max_running,
                  coalesce(own.paused_at, every.paused_at) AS paused_at,
                  CASE WHEN own.rate_count IS NULL THEN every.rate_count ELSE own.rate_count END AS rate_count,
                      CASE WHEN own.rate_count IS NULL THEN every.rate_per_ms ELSE own.rate_per_ms END AS rate_per_ms,
                      CASE WHEN own.rate_count IS NULL THEN every.rate_burst ELSE own.rate_burst END AS rate_burst
             FROM (SELECT) AS one
             LEFT JOIN "queue".limits AS own ON own.queue = p.queue AND own.scope = 'key' AND own.name = p.key
             LEFT JOIN "queue".limits AS every ON every.queue = p.queue AND every.scope = 'each_key' AND every.name
                 = '') AS l
           WHERE p.is_waiting AND p.key IS NOT NULL
             AND (l.max_running IS NOT NULL OR l.rate_count IS NOT NULL OR l.paused_at IS NOT NULL)
        ) AS l
       CROSS JOIN LATERAL (
         SELECT greatest(0, coalesce(k.running, 0) - coalesce((
           SELECT sum(e.jobs) FROM (
             SELECT e.kind, e.key, e.tenant_id, e.counted, e.jobs FROM "queue".lane_events AS e
              WHERE e.queue = p.queue AND e.due_at <= p.at ORDER BY e.due_at LIMIT 1000) AS e
            WHERE CASE l.scope WHEN 'queue' THEN e.counted & 1 <> 0
                       WHEN 'kind' THEN e.counted & 2 <> 0 AND e.kind = l.name
                       ELSE e.counted & 4 <> 0 AND e.key = l.name AND e.tenant_id = l.tenant_id END),
                           0)::integer) AS running,
                coalesce(k.spent_until, '-infinity') AS spent_until,
                greatest(coalesce(k.awaited, 1), p.weight) AS awaited
           FROM (SELECT) AS one LEFT JOIN "queue".limit_counters AS k
             ON k.queue = p.queue AND k.scope = l.scope AND k.name = l.name AND k.tenant_id = l.tenant_id
       ) AS c
    ) AS r
    LEFT JOIN LATERAL (
      SELECT (coalesce((
           SELECT to_jsonb(c) FROM (
             SELECT c.id, c.kind, c.priority, c.run_at
               FROM "queue".limit_counters AS k JOIN "queue".jobs AS c ON c.id = k.held_by
              WHERE every.on_retry = 'block' AND k.queue = p.queue AND k.scope = 'key' AND k.name = p.key
                AND k.tenant_id = p.tenant_id AND c.status = 'retrying' AND c.queue = p.queue AND c.key = p.key
                    AND coalesce(c.tenant_id, '') = p.tenant_id
                  AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL) AS c
         ), (
           WITH RECURSIVE lines AS (
             (SELECT c.kind, c.priority FROM "queue".jobs AS c WHERE c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id,
                 '') = p.tenant_id
                  AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL ORDER BY c.kind,
                      c.priority LIMIT 1)
             UNION ALL
             SELECT n.* FROM lines AS f CROSS JOIN LATERAL (
               SELECT c.kind, c.priority FROM "queue".jobs AS c
                WHERE c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                  AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL AND (c.kind,
                      c.priority) > (f.kind, f.priority) ORDER BY c.kind, c.priority LIMIT 1) AS n
           )
           SELECT to_jsonb(c) FROM lines AS f CROSS JOIN LATERAL (
             SELECT c.id, c.kind, c.priority, c.run_at FROM "queue".jobs AS c
              WHERE c.queue = p.queue AND c.key = p.key AND coalesce(c.tenant_id, '') = p.tenant_id
                  AND c.status IN ('queued', 'retrying') AND c.key IS NOT NULL AND c.kind = f.kind AND c.priority
                      = f.priority AND c.run_at <= at AND c.attempts < c.max_attempts AND (c.expires_at IS NULL
                      OR c.status = 'retrying' OR c.expires_at > at)
              ORDER BY c.run_at, c.id LIMIT 1) AS c
            ORDER BY c.priority, c.run_at, c.id LIMIT 1
         )) ->> 'id')::uuid AS next_id, true AS is_in_order
        FROM "queue".limits AS every
       WHERE p.is_waiting AND p.key IS NOT NULL AND every.queue = p.queue AND every.scope = 'each_key' AND every.name
           = ''
         AND every.on_retry IS NOT NULL
    ) AS o ON true
) AS f) AS f
  WHERE f.id = ANY($1::uuid[])
