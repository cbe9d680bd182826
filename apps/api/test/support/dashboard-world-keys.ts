import type { TestDatabase } from '@queue/testing'

/** The customers of the queue `webhooks`, by job key. One is at its limit, one is paused, and one is rate limited. */
const customers = [
  { key: 'wayne', waiting: 34, running: 5, dueSeconds: 95 },
  { key: 'globex', waiting: 21, running: 2, dueSeconds: 41 },
  { key: 'initech', waiting: 13, running: 0, dueSeconds: 70 },
  { key: 'umbrella', waiting: 8, running: 0, dueSeconds: 58 },
  { key: 'hooli', waiting: 3, running: 1, dueSeconds: 12 },
] as const

/** At most five jobs per customer run. One customer is paused, and one has used up its rate. */
export async function insertKeyed(database: TestDatabase): Promise<void> {
  await insertJobs(database)
  // A limit counts jobs that are already running.
  const { limits } = database.queue
  await limits.set({ queue: 'webhooks', scope: 'each_key', maxRunning: 5 })
  await limits.set({ queue: 'webhooks', scope: 'key', name: 'initech', maxRunning: 2, paused: true })
  const rate = { count: 1, perMs: 1_800_000, burst: 1 }
  await limits.set({ queue: 'webhooks', scope: 'key', name: 'umbrella', maxRunning: 1, rate })
  await database.pool.query(
    `UPDATE queue.limits SET paused_at = now() - interval '40 minutes' WHERE name = 'initech'`,
  )
  await database.pool.query(
    `INSERT INTO queue.limit_counters (queue, scope, name, spent_until)
     VALUES ('webhooks', 'key', 'umbrella', now() + interval '25 minutes')
     ON CONFLICT ON CONSTRAINT limit_counters_pkey DO UPDATE SET spent_until = excluded.spent_until`,
  )
}

async function insertJobs({ pool }: TestDatabase): Promise<void> {
  await pool.query(
    `WITH job AS (
       INSERT INTO queue.jobs (id, kind, queue, key, status, attempts, lease_token, locked_at, locked_by, payload, metadata,
                               run_at, created_at)
       SELECT (substr(at.hex, 1, 8) || '-' || substr(at.hex, 9) || '-7' || substr(md5(random()::text), 1, 3) || '-8' ||
               substr(md5(random()::text), 1, 3) || '-' || substr(md5(random()::text), 1, 12))::uuid,
              'webhook_delivery', 'webhooks', c.key, s.status::queue.job_status, s.runs, s.runs,
              CASE s.runs WHEN 1 THEN now() - interval '9 seconds' END, CASE s.runs WHEN 1 THEN 'hooks-93aa' END,
              jsonb_build_object('order_id', 5000 + n), jsonb_build_object('order_id', 5000 + n, 'customer', c.key), now() - c.due, now() - c.due
         FROM unnest($1::text[], $2::integer[], $3::integer[], $4::interval[]) AS c (key, waiting, running, due),
              generate_series(1, c.waiting + c.running) AS n,
              LATERAL (SELECT CASE WHEN n > c.waiting THEN 1 ELSE 0 END AS runs,
                              CASE WHEN n > c.waiting THEN 'running' ELSE 'queued' END AS status) AS s,
              LATERAL (SELECT lpad(to_hex((extract(epoch FROM now() - c.due) * 1000)::bigint), 12, '0') AS hex) AS at
       RETURNING *
     ), described AS (
       INSERT INTO queue.job_metadata (job_id, name, value)
       SELECT id, m.key, m.value FROM job, LATERAL jsonb_each_text(job.metadata) AS m
     )
     INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
     SELECT run_at, queue, kind, key, '', priority FROM job WHERE status = 'queued'`,
    [
      customers.map(({ key }) => key),
      customers.map(({ waiting }) => waiting),
      customers.map(({ running }) => running),
      customers.map(({ dueSeconds }) => `${dueSeconds} seconds`),
    ],
  )
}
