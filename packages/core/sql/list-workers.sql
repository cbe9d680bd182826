SELECT w.id, w.hostname, w.pid, w.version, w.queues, w.kinds, w.concurrency, w.state,
       (SELECT count(*) FROM "queue"."jobs" AS j
         WHERE j.locked_by = w.id AND j.locked_by IS NOT NULL)::int AS running,
       (date_part('epoch', w.started_at) * 1000) AS started_at, (date_part('epoch', w.heartbeat_at) * 1000) AS
           heartbeat_at,
       (date_part('epoch', w.lease_expires_at) * 1000) AS lease_expires_at
  FROM "queue"."workers" AS w ORDER BY w.state = 'active' DESC, w.started_at DESC, w.id
