// Pauses and resumes the claims from a queue. An operator's act; no job changes its state.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
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
export function pauseQueue(database: QueueDatabase, name: string): Promise<QueueState> {
  return setPaused(database, name, sql<Date>`coalesce(paused_at, now())`)
}

/** Resumes a queue; a queue that is not paused stays as it is. Throws `queue_not_found`. */
export function resumeQueue(database: QueueDatabase, name: string): Promise<QueueState> {
  return setPaused(database, name, sql<null>`null`)
}

async function setPaused(
  database: QueueDatabase,
  name: string,
  pausedAt: RawBuilder<Date | null>,
): Promise<QueueState> {
  // An invalid name cannot exist, and may contain characters that PostgreSQL does not accept.
  const [row] = jobFields.queue.safeParse(name).success
    ? await database.run(
        database.names.db
          .updateTable('queues')
          .set({ paused_at: pausedAt })
          .where('name', '=', name)
          .returning(({ ref }) => ['name' as const, epochMs(ref('paused_at')).as('pausedMs')]),
      )
    : []
  if (row === undefined) {
    const shownName = JSON.stringify(name.slice(0, nameLengthMax))
    throw new QueueError('queue_not_found', `no worker has ever served a queue named ${shownName}`)
  }
  return { name: row.name, pausedAt: row.pausedMs === null ? null : new Date(row.pausedMs) }
}
