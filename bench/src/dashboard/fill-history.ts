import type { Pool } from 'pg'

/** Rows of one statement: a transaction for each keeps the WAL and the memory of a fill small. */
const batchRows = 250_000

export interface FillOptions {
  readonly pool: Pool
  readonly jobs: number
  readonly onStep: (step: string) => void
}

/**
 * A month of a busy queue: of a hundred jobs one waits or runs, one was cancelled, two have failed for good and left a dead letter,
 * and the others have succeeded. One of ten has metadata. Beside them the numbers of 200 series, and a hundred causes.
 */
export async function fillHistory({ pool, jobs, onStep }: FillOptions): Promise<void> {
  for (let from = 0; from < jobs; from += batchRows) {
    onStep(`dashboard: ${from} of ${jobs} jobs`)
    await pool.query(insertJobs, [from, Math.min(batchRows, jobs - from), jobs])
  }
  onStep('dashboard: what belongs to them')
  for (const statement of [...besides, 'VACUUM (ANALYZE)']) await pool.query(statement)
}

/** The newest has the highest n; its id has its instant. */
const insertJobs = `
  WITH made AS (
    SELECT n, now() - interval '30 days' * (1 - n / $3::float8) AS at,
           CASE WHEN n % 100 = 0 AND n > $3 * 0.9 THEN CASE WHEN n % 1000 = 0 THEN 'retrying' ELSE 'queued' END
                WHEN n % 100 = 1 THEN 'cancelled'
                WHEN n % 100 IN (2, 3) THEN 'failed_permanent' ELSE 'succeeded' END AS status
      FROM generate_series($1::bigint + 1, $1::bigint + $2::bigint) AS n
  ), jobs AS (
    INSERT INTO queue.jobs (id, queue, kind, priority, payload, metadata, status, run_at, created_at, finished_at, attempts, last_error)
    SELECT (lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n % 4096), 3, '0') || '8'
              || substr(md5(n::text), 1, 15))::uuid,
           'queue-' || n % 10, 'kind-' || n % 20, 4, jsonb_build_object('order_id', n, 'to', 'ada@example.com'),
           CASE WHEN n % 10 = 0 THEN jsonb_build_object('order_id', n, 'customer', 'c-' || n % 1000) END,
           status::queue.job_status, at, at, CASE WHEN status IN ('queued', 'retrying') THEN NULL ELSE at + interval '2 seconds' END,
           CASE status WHEN 'queued' THEN 0 WHEN 'cancelled' THEN 0 WHEN 'succeeded' THEN 1 WHEN 'retrying' THEN 1 ELSE 3 END,
           CASE WHEN status IN ('failed_permanent', 'retrying') THEN 'Error: the receiver answered 503' END
      FROM made
    RETURNING id, metadata
  )
  INSERT INTO queue.job_metadata (job_id, name, value)
  SELECT id, m.key, m.value FROM jobs, LATERAL jsonb_each_text(metadata) AS m WHERE metadata IS NOT NULL`

const besides = [
  `INSERT INTO queue.queues (name) SELECT 'queue-' || n FROM generate_series(0, 9) AS n ON CONFLICT DO NOTHING`,
  `INSERT INTO queue.job_executions (job_id, lease_token, attempt, worker_id, started_at, finished_at, outcome, error, fingerprint, error_class)
   SELECT id, 1, 3, 'worker-1', created_at, finished_at, 'failed', last_error, left(md5(kind), 16), 'Error'
     FROM queue.jobs WHERE status = 'failed_permanent'`,
  `INSERT INTO queue.dead_letter_jobs (id, job_id, queue, kind, payload, priority, attempts, max_attempts, crashes, last_error,
                                      dead_lettered_at, created_at, fingerprint, lease_token, execution_history)
   SELECT id, id, queue, kind, payload, priority, attempts, max_attempts, 0, last_error, finished_at, created_at, left(md5(kind), 16), 1, '[]'
     FROM queue.jobs WHERE status = 'failed_permanent'`,
  `INSERT INTO queue.job_errors (queue, fingerprint, first_seen_at, last_seen_at, sampled_at, sample_job_id, count, kind, error_class,
                                worker_versions, sample_error)
   SELECT queue, left(md5(kind), 16), min(created_at), max(finished_at), max(finished_at), (array_agg(id))[1], count(*), kind,
          'Error', '{1.4.2,1.4.1}', max(last_error)
     FROM queue.jobs WHERE status = 'failed_permanent' GROUP BY queue, kind`,
  ...(['minute', 'hour'] as const).map(
    (period) =>
      `INSERT INTO queue.job_stats (period, at, queue, kind, enqueued, started, succeeded, failed, retried, wait_buckets, run_buckets)
       SELECT '${period}', date_trunc('${period}', now()) - n * interval '1 ${period}', 'queue-' || s % 10, 'kind-' || s % 20, 100, 100, 98, 2, 4,
              '{"74":80,"84":15,"98":5}', '{"104":80,"108":15,"116":5}'
         FROM generate_series(0, ${period === 'minute' ? 48 * 60 - 1 : 90 * 24 - 1}) AS n, generate_series(0, 19) AS s`,
  ),
  `INSERT INTO queue.job_stats (period, at, queue, kind, enqueued, started, succeeded, failed, retried, wait_buckets, run_buckets)
   SELECT period, at, q, '*', sum(enqueued), sum(started), sum(succeeded), sum(failed), sum(retried),
          jsonb_build_object(74, 80 * count(*), 84, 15 * count(*), 98, 5 * count(*)),
          jsonb_build_object(104, 80 * count(*), 108, 15 * count(*), 116, 5 * count(*))
     FROM queue.job_stats, unnest(ARRAY['*', queue]) AS q GROUP BY period, at, q`,
] as const
