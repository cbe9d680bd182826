/** What tests do to the tables of a queue in the schema `queue` by plain SQL, and no operation would. */
import type { PlainSql } from './test-sessions.ts'

interface PlainWorld {
  readonly sql: PlainSql
}

/** Empties every table but the migration history; the queue `default` stays. */
export async function emptyQueue({ sql }: PlainWorld): Promise<void> {
  const tables = [
    'jobs',
    'job_executions',
    'job_logs',
    'job_errors',
    'job_error_days',
    'job_stats',
    'job_stats_series',
    'job_metadata',
    'dead_letter_jobs',
    'workers',
    'queues',
    'audit_log',
    'api_key_buckets',
    'api_sessions',
    'schedules',
    'schedule_sources',
    'job_kinds',
    'job_unique_slots',
    'operations',
    'limits',
    'limit_counters',
    'lanes',
    'lane_turns',
    'lane_events',
  ]
  await sql(`${tables.map((table) => `DELETE FROM queue.${table};`).join('')}
    INSERT INTO queue.queues (name) VALUES ('default')`)
}

/** Lets the time of every waiting job come. */
export async function makeDue({ sql }: PlainWorld): Promise<void> {
  await sql(
    `UPDATE queue.jobs SET run_at = now() - interval '1 second' WHERE status IN ('queued', 'retrying');
     UPDATE queue.lane_events SET due_at = now() - interval '1 second'`,
  )
}

/** Lets the lease of a worker run out. */
export async function expireLease({ sql }: PlainWorld, workerId: string): Promise<void> {
  await sql(`UPDATE queue.workers SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
    workerId,
  ])
}
