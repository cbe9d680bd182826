SELECT f.id, f.queue, f.kind, coalesce(f.kind_version, 1) AS version, f.status, (date_part('epoch',
    "f"."run_at") * 1000) AS "run_at", (date_part('epoch', "f"."expires_at") * 1000) AS "expires_at",
       (date_part('epoch', "f"."locked_at") * 1000) AS "locked_at", (date_part('epoch', "f"."finished_at") * 1000)
           AS "finished_at", f.cancel_requested, f.cancel_reason, f.attempts, f.max_attempts,
       NOT pg_catalog.pg_is_in_recovery()
       AND pg_catalog.current_setting('transaction_read_only') = 'off' AS is_writable, f.is_waiting,
           f.is_due, f.has_attempts, f.is_in_time, f.is_steady, f.is_registered,
       f.is_open, (date_part('epoch', "f"."paused_at") * 1000) AS "paused_at", f.is_held, f.serving,
           f.of_kind, f.able, f.slots, f.held, f.free, f.calm,
       (date_part('epoch', "f"."heard_at") * 1000) AS "heard_at", f.versions, ARRAY(SELECT DISTINCT o.queue
                 FROM "queue"."workers" AS w CROSS JOIN LATERAL unnest(w.queues) AS o (queue)
                CROSS JOIN LATERAL (SELECT f.kind, f.kind_version) AS c
                WHERE f.able = 0 AND o.queue <> f.queue AND w.state = 'active' AND now() < w.lease_expires_at AND
                    (c.kind_version IS NULL AND c.kind = ANY(w.kinds)
                      OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds))
                ORDER BY o.queue LIMIT 10) AS elsewhere
  FROM (
  SELECT c.id, c.tenant_id, c.queue, c.kind, c.kind_version, c.status, c.run_at, c.expires_at,
      c.locked_at, c.finished_at,
         c.cancel_requested, c.cancel_reason, c.attempts, c.max_attempts,
         c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AS is_waiting,
             c.run_at <= now() AS is_due, c.attempts < c.max_attempts AS has_attempts,
         (c.expires_at IS NULL OR c.status = 'retrying'::"queue"."job_status" OR c.expires_at > now()) AS is_in_time,
             c.crashes = 0 AS is_steady,
         q.name IS NOT NULL AS is_registered, q.name IS NOT NULL AND q.paused_at IS NULL AS is_open,
             q.paused_at,
         EXISTS (SELECT FROM "queue"."workers" AS w WHERE w.id = c.locked_by AND w.state = 'active' AND now() <
             w.lease_expires_at) AS is_held,
         s.serving, s.of_kind, s.able, s.slots, s.heard_at, h.held, h.free, h.calm,
         ARRAY(SELECT DISTINCT k.name FROM "queue"."workers" AS w CROSS JOIN LATERAL unnest(w.kinds) AS k (name)
                WHERE c.queue = ANY(w.queues) AND w.state = 'active' AND now() < w.lease_expires_at AND split_part(k.name,
                    '/', 1) = c.kind
                ORDER BY k.name LIMIT 10) AS versions
    FROM "queue"."jobs" AS c LEFT JOIN "queue"."queues" AS q ON q.name = c.queue
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
            CASE WHEN coalesce(sum(b.seen), 0) <= 5000 THEN count(*) FILTER (WHERE b.held < b.concurrency)::integer
                END AS free,
            CASE WHEN coalesce(sum(b.seen), 0) <= 5000 THEN count(*) FILTER (WHERE b.crashed = 0)::integer END
                AS calm
       FROM (
         SELECT r.concurrency, count(*) AS seen, count(r.crashes) AS held, count(*) FILTER (WHERE r.crashes > 0)
             AS crashed
           FROM (
             SELECT w.id, w.concurrency, j.crashes
               FROM "queue"."workers" AS w LEFT JOIN LATERAL (
                 SELECT j.crashes FROM "queue"."jobs" AS j WHERE j.locked_by IS NOT NULL AND j.locked_by = w.id
                     OFFSET 0
               ) AS j ON true
              WHERE c.status IN ('queued'::"queue"."job_status", 'retrying'::"queue"."job_status") AND c.queue
                  = ANY(w.queues) AND w.state = 'active' AND now() < w.lease_expires_at AND (c.kind_version IS
                  NULL AND c.kind = ANY(w.kinds)
                      OR c.kind_version IS NOT NULL AND c.kind || '/' || c.kind_version = ANY(w.kinds))
              LIMIT 5001) AS r
          GROUP BY r.id, r.concurrency) AS b) AS h) AS f
 WHERE f.id = ANY($1::uuid[])
