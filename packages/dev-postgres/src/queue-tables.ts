/** Changes that tests make with plain SQL to a queue in the schema `queue`, and that no operation of the queue makes. */
import type { PlainSql } from './test-sessions.ts'

interface TestQueue {
  readonly sql: PlainSql
}

/** Empties every table except the migration history; the queue `default` stays. */
export async function emptyQueue({ sql }: TestQueue): Promise<void> {
  const tables = [
    'jobs',
    'ended_jobs',
    'job_executions',
    'job_logs',
    'job_errors',
    'job_error_days',
    'job_stats',
    'job_stats_series',
    'job_metadata',
    'dead_letter_jobs',
    'requeued_jobs',
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

/** Makes every waiting job due. */
export async function makeDue({ sql }: TestQueue): Promise<void> {
  await sql(
    `UPDATE queue.jobs SET run_at = now() - interval '1 second' WHERE status IN ('queued', 'retrying');
     UPDATE queue.lane_events SET due_at = now() - interval '1 second'`,
  )
}

/** Makes the lease of a worker expire. */
export async function expireLease({ sql }: TestQueue, workerId: string): Promise<void> {
  await sql(`UPDATE queue.workers SET lease_expires_at = now() - interval '1 second' WHERE id = $1`, [
    workerId,
  ])
}
