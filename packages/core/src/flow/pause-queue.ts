// Pauses and resumes the claims from a queue. An operator's act; no job changes its state.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { Acted } from '../database/acted.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { nameLengthMax } from '../domain/limits.ts'

/** Whether jobs are claimed from a queue. */
export interface QueueState {
  readonly name: string
  /** Null while the queue is not paused. */
  readonly pausedAt: Date | null
}

/**
 * Pauses a queue; a paused queue keeps its instant. After this returns, no claim from the queue commits: each claim
 * holds a share lock on the queue's row, so this write waits for the claims in flight, and later claims see it. Running
 * jobs continue. Throws `queue_not_found` for a queue that no worker has ever served.
 */
export function pauseQueue(database: QueueDatabase, name: string): Promise<Acted<QueueState>> {
  return setPaused(database, name, sql`coalesce(before.paused_at, now())`)
}

/** Resumes a queue; a queue that is not paused stays as it is. Throws `queue_not_found`. */
export function resumeQueue(database: QueueDatabase, name: string): Promise<Acted<QueueState>> {
  return setPaused(database, name, sql`NULL::timestamptz`)
}

async function setPaused(
  database: QueueDatabase,
  name: string,
  pausedAt: RawBuilder<unknown>,
): Promise<Acted<QueueState>> {
  const { queues } = database.names
  // An invalid name cannot exist, and may contain characters that PostgreSQL does not accept.
  const [row] = jobFields.queue.safeParse(name).success
    ? await database.run(sql<{ name: string; paused_ms: number | null; changed: boolean }>`
        WITH before AS MATERIALIZED (
          SELECT q.name, q.paused_at FROM ${queues} AS q WHERE q.name = ${name} FOR NO KEY UPDATE
        )
        UPDATE ${queues} AS q SET paused_at = ${pausedAt} FROM before WHERE q.name = before.name
        RETURNING q.name, ${epochMs(sql<Date | null>`q.paused_at`)} AS paused_ms,
                  q.paused_at IS DISTINCT FROM before.paused_at AS changed`)
    : []
  if (row === undefined) {
    const shownName = JSON.stringify(name.slice(0, nameLengthMax))
    throw new QueueError('queue_not_found', `no worker has ever served a queue named ${shownName}`)
  }
  const { paused_ms: pausedMs, changed } = row
  return { result: { name: row.name, pausedAt: pausedMs === null ? null : new Date(pausedMs) }, changed }
}
