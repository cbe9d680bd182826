import type { Pool } from 'pg'

/** Rows per statement. Each statement is its own transaction, which keeps WAL and memory small. */
const batchRows = 250_000

export interface FillOptions {
  readonly pool: Pool
  readonly jobs: number
  readonly onStep: (step: string) => void
}

/**
 * Fills a database with a month of a busy queue. Of a hundred jobs one was cancelled, two have failed permanently and have a
 * dead letter, and the others have succeeded; of the last three days one in a hundred is waiting. One of ten has metadata. The
 * jobs have 20 kinds in 10 queues, each kind in one queue, and one job a day comes from a schedule. In addition there are the
 * attempts of failed jobs, the job statistics of each kind, nearly ten thousand causes of failures with
 * entries for each hour, and 100 000 entries of the audit log.
 */
export async function fillHistory({ pool, jobs, onStep }: FillOptions): Promise<void> {
  const startedAtMs = performance.now()
  for (let start = 0; start < jobs; start += batchRows) {
    const remainingMs = start === 0 ? undefined : ((performance.now() - startedAtMs) / start) * (jobs - start)
    const remaining = remainingMs === undefined ? '' : `, ${Math.ceil(remainingMs / 1_000)} s remaining`
    onStep(`dashboard: ${start} of ${jobs} jobs${remaining}`)
    await pool.query(insertJobs, [start, Math.min(batchRows, jobs - start), jobs])
  }
  for (const [name, statements] of Object.entries(otherRows)) {
    onStep(`dashboard: ${name}`)
    for (const statement of statements) await pool.query(statement)
  }
  onStep('dashboard: VACUUM')
  await pool.query('VACUUM (ANALYZE)')
}

/**
 * Inserts jobs with the numbers from $1 + 1 to $1 + $2 of $3 in total. The newest has the highest number, and each id contains
 * the time of its creation. The status follows from n % 100; kind and queue follow from n and n / 100.
 */
const insertJobs = `
  WITH made AS (
    SELECT n, now() - interval '30 days' * (1 - n / $3::float8) AS at,
           CASE WHEN n % 100 = 0 AND n > $3 * 0.9 THEN CASE WHEN n % 1000 = 0 THEN 'retrying' ELSE 'queued' END
                WHEN n % 100 = 1 THEN 'cancelled'
                WHEN n % 100 IN (2, 3) THEN 'failed_permanent' ELSE 'succeeded' END AS status,
           n % (floor($3 / 30) + 1)::bigint = 0 AS is_run
      FROM generate_series($1::bigint + 1, $1::bigint + $2::bigint) AS n
  ), jobs AS (
    INSERT INTO queue.jobs (id, queue, kind, priority, payload, metadata, status, run_at, created_at, finished_at, attempts, last_error,
                            started_at, worker_id, idempotency_key, idempotency_fingerprint)
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
              || substr(md5(n::text), 1, 15))::uuid,
           'queue-' || (n + n / 100) % 10, 'kind-' || (n + n / 100) % 20, 4, jsonb_build_object('order_id', n, 'to', 'ada@example.com'),
           CASE WHEN n % 10 = 0 THEN jsonb_build_object('order_id', n, 'customer', 'c-' || n % 1000) END,
           status::queue.job_status, at, at, CASE WHEN status IN ('queued', 'retrying') THEN NULL ELSE at + interval '2 seconds' END,
           CASE status WHEN 'queued' THEN 0 WHEN 'cancelled' THEN 0 WHEN 'succeeded' THEN 1 WHEN 'retrying' THEN 1 ELSE 3 END,
           CASE WHEN status IN ('failed_permanent', 'retrying') THEN 'Error: the receiver answered 503' END,
           CASE status WHEN 'succeeded' THEN at END, CASE status WHEN 'succeeded' THEN 'worker-' || 1 + n % 20 END,
           CASE WHEN is_run THEN 'schedule:nightly@' || n END, CASE WHEN is_run THEN sha256('') END
      FROM made
    RETURNING id, metadata
  )
  INSERT INTO queue.job_metadata (job_id, name, value)
  SELECT id, m.key, m.value FROM jobs, LATERAL jsonb_each_text(metadata) AS m WHERE metadata IS NOT NULL`

const otherRows = {
  'queues, workers and schedules': [
    `INSERT INTO queue.queues (name) SELECT 'queue-' || n FROM generate_series(0, 9) AS n ON CONFLICT DO NOTHING`,
    `INSERT INTO queue.workers (id, lease_expires_at, queues, kinds, concurrency, pid, hostname, version, zone_version)
     SELECT 'worker-' || n, now() + interval '1 day', ARRAY['queue-' || n % 10], ARRAY['kind-' || n % 10, 'kind-' || n % 10 + 10], 16, 1,
            'worker-' || n, '1.4.2', '2026a'
       FROM generate_series(1, 20) AS n`,
    `INSERT INTO queue.schedules (name, kind, payload, options, cron, next_run_at, due_at)
     SELECT name, 'kind-1', '{}', '{"queue":"queue-1"}', '0 2 * * *', now() + interval '1 day', now() + interval '1 day'
       FROM unnest(ARRAY['nightly'] || ARRAY(SELECT 'schedule-' || n FROM generate_series(1, 99) AS n)) AS name`,
  ],
  'attempts and dead letters': [
    `INSERT INTO queue.job_executions (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error, fingerprint, error_class)
     SELECT id, 1, 3, 'worker-1', created_at, finished_at, 'failed', last_error, left(md5(kind), 16), 'Error'
       FROM queue.all_jobs WHERE status = 'failed_permanent'`,
    `INSERT INTO queue.dead_letter_jobs (id, job_id, queue, kind, payload, priority, attempts, max_attempts, crashes, last_error,
                                        dead_lettered_at, created_at, fingerprint, lease_token, execution_history)
     SELECT id, id, queue, kind, payload, priority, attempts, max_attempts, 0, last_error, finished_at, created_at, left(md5(kind), 16), 1, '[]'
       FROM queue.all_jobs WHERE status = 'failed_permanent'`,
    `INSERT INTO queue.job_errors (queue, fingerprint, first_seen_at, last_seen_at, sampled_at, sample_job_id, count, kind, error_class,
                                  first_version, worker_versions, sample_error)
     SELECT queue, left(md5(kind), 16), min(created_at), max(finished_at), max(finished_at), (array_agg(id))[1], count(*), kind,
            'Error', '1.4.1', '{1.4.2,1.4.1}', max(last_error)
       FROM queue.all_jobs WHERE status = 'failed_permanent' GROUP BY queue, kind`,
    `INSERT INTO queue.job_errors (queue, fingerprint, first_seen_at, last_seen_at, sampled_at, sample_job_id, count, kind, error_class,
                                  first_version, worker_versions, sample_error)
     SELECT 'queue-' || n % 10, left(md5('cause ' || n), 16), now() - interval '30 days', now() - n * interval '1 second', now(),
            gen_random_uuid(), 7440, 'kind-' || n % 20, 'Error', '1.4.1', '{1.4.2,1.4.1}', repeat('Error: the receiver answered 503' || chr(10), 20)
       FROM generate_series(1, 9900) AS n`,
    `INSERT INTO queue.job_error_days (error_id, day, version, count, hours)
     SELECT id, date_trunc('day', now(), 'UTC') - d * interval '1 day', '1.4.2', 240, array_fill(10, ARRAY[24])
       FROM generate_series(30, 0, -1) AS d, queue.job_errors`,
  ],
  numbers: [
    ...(['minute', 'hour'] as const).map(
      (period) =>
        `INSERT INTO queue.job_stats (period, at, queue, kind, enqueued, started, succeeded, failed, retried, wait_buckets, run_buckets)
         SELECT '${period}', date_trunc('${period}', now()) - n * interval '1 ${period}', 'queue-' || s % 10, 'kind-' || s, 100, 100, 98, 2, 4,
                '{"74":80,"84":15,"98":5}', '{"104":80,"108":15,"116":5}'
           FROM generate_series(0, ${period === 'minute' ? 48 * 60 - 1 : 90 * 24 - 1}) AS n, generate_series(0, 19) AS s`,
    ),
    `INSERT INTO queue.job_stats (period, at, queue, kind, enqueued, started, succeeded, failed, retried, wait_buckets, run_buckets)
     SELECT period, at, q, '*', sum(enqueued), sum(started), sum(succeeded), sum(failed), sum(retried),
            jsonb_build_object(74, 80 * count(*), 84, 15 * count(*), 98, 5 * count(*)),
            jsonb_build_object(104, 80 * count(*), 108, 15 * count(*), 116, 5 * count(*))
       FROM queue.job_stats, unnest(ARRAY['*', queue]) AS q GROUP BY period, at, q`,
  ],
  'the audit log': [
    `INSERT INTO queue.audit_log (at, act, actor_type, actor, count)
     SELECT now() - n * interval '25 seconds', CASE WHEN n % 10 = 0 THEN 'job.cancel' ELSE 'job.requeue' END, 'token', 'token', 1
       FROM generate_series(1, 100000) AS n`,
  ],
} as const
