import { quoted, type RunnerClient } from '@queue/postgres'

/** Jobs of one kind that wait in one queue. */
export interface WaitingJobs {
  readonly queue: string
  readonly kind: string
  /** How many can start as soon as their queue is resumed, and how many have a later start. */
  readonly due: number
  readonly scheduled: number
  readonly oldestCreatedAt: Date
}

/** A job that was running when the backup was made. It may have ended since, or have done a part of its work. */
export interface RunningJob {
  readonly id: string
  readonly queue: string
  readonly kind: string
  readonly workerId: string
  readonly claimedAt: Date
  readonly attempts: number
  readonly maxAttempts: number
}

/** The report lists at most this many running jobs. */
const runningListMax = 1_000

export async function readWaiting({ client, schema }: RunnerClient): Promise<WaitingJobs[]> {
  const { rows } = await client.query<{
    queue: string
    kind: string
    due: string
    scheduled: string
    oldest_ms: string
  }>(
    `SELECT queue, kind, count(*) FILTER (WHERE run_at <= now()) AS due,
            count(*) FILTER (WHERE run_at > now()) AS scheduled,
            floor(extract(epoch FROM min(created_at)) * 1000)::bigint AS oldest_ms
       FROM ${quoted(schema)}.jobs WHERE status IN ('queued', 'retrying')
      GROUP BY queue, kind ORDER BY queue, kind`,
  )
  return rows.map(({ queue, kind, due, scheduled, oldest_ms: oldestMs }) => ({
    queue,
    kind,
    due: Number(due),
    scheduled: Number(scheduled),
    oldestCreatedAt: new Date(Number(oldestMs)),
  }))
}

/** The jobs that were running when the backup was made. */
export interface RunningJobs {
  /** The earliest claimed first, at most `runningListMax`. */
  readonly running: readonly RunningJob[]
  readonly runningCount: number
  /** Running jobs on their last attempt: recovery dead-letters them, and they do not run again. */
  readonly exhaustedCount: number
}

export async function readRunning({ client, schema }: RunnerClient): Promise<RunningJobs> {
  const running = `${quoted(schema)}.jobs WHERE status = 'running' AND locked_by IS NOT NULL`
  const { rows: counted } = await client.query<{ running: string; exhausted: string }>(
    `SELECT count(*) AS running,
            count(*) FILTER (WHERE attempts >= max_attempts AND NOT cancel_requested) AS exhausted
       FROM ${running}`,
  )
  const { rows } = await client.query<{
    id: string
    queue: string
    kind: string
    worker_id: string
    claimed_ms: string
    attempts: number
    max_attempts: number
  }>(
    `SELECT id, queue, kind, locked_by AS worker_id, floor(extract(epoch FROM locked_at) * 1000)::bigint AS claimed_ms,
            attempts, max_attempts
       FROM ${running} ORDER BY locked_at, id LIMIT ${runningListMax}`,
  )
  return {
    runningCount: Number(counted[0]?.running ?? 0),
    exhaustedCount: Number(counted[0]?.exhausted ?? 0),
    running: rows.map(({ id, queue, kind, worker_id: workerId, ...row }) => ({
      id,
      queue,
      kind,
      workerId,
      claimedAt: new Date(Number(row.claimed_ms)),
      attempts: row.attempts,
      maxAttempts: row.max_attempts,
    })),
  }
}
