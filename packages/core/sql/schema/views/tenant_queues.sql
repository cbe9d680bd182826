CREATE VIEW queue.tenant_queues WITH (security_barrier) AS
  SELECT j.tenant_id, j.queue, j.kind, j.queued, j.retrying, j.running, j.ready, j.newly_ready,
      j.oldest_due_at,
         q.name IS NOT NULL AS registered, q.paused_at,
         (SELECT count(*) FROM queue.workers AS w
           WHERE w.state = 'active' AND now() < w.lease_expires_at AND j.queue = ANY(w.queues)) AS workers
    FROM (
      SELECT tenant_id, queue, kind, count(*) FILTER (WHERE status = 'queued') AS queued,
             count(*) FILTER (WHERE status = 'retrying') AS retrying, 0 AS running,
             count(*) FILTER (WHERE run_at <= now()) AS ready,
             count(*) FILTER (WHERE run_at <= now() AND run_at > now() - interval '5 minutes') AS newly_ready,
             min(run_at) FILTER (WHERE run_at <= now()) AS oldest_due_at
        FROM queue.jobs WHERE status IN ('queued', 'retrying')
            AND tenant_id = nullif(current_setting('queue.tenant', true), '') GROUP BY tenant_id, queue, kind
      UNION ALL
      SELECT tenant_id, queue, kind, 0, 0, count(*), 0, 0, NULL
        FROM queue.jobs WHERE locked_by IS NOT NULL AND tenant_id = nullif(current_setting('queue.tenant',
            true), '') GROUP BY tenant_id, queue, kind
    ) AS j LEFT JOIN queue.queues AS q ON q.name = j.queue;
