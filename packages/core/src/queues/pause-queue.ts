// A queue stops or goes on being claimed from. An operator's act; no job changes its state.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { jobFields } from '../domain/job.ts'
import { nameLengthMax } from '../domain/limits.ts'

/** Whether a queue may be claimed from. */
export interface QueueState {
  readonly name: string
  /** Null while the queue is open. */
  readonly pausedAt: Date | null
}

/**
 * Pauses a queue; pausing a paused one keeps its instant. Once this has answered, no claim from the queue commits:
 * each claim holds a share lock on the queue's row, so this write waits for those in flight, and every later one
 * sees it. Jobs that run go on. Throws `queue_not_found` for a queue that no worker has ever served.
 */
export function pauseQueue(database: QueueDatabase, name: string): Promise<QueueState> {
  return setPaused(database, name, sql<Date>`coalesce(paused_at, now())`)
}

/** Opens a queue again; an open one stays as it is. Throws `queue_not_found`. */
export function resumeQueue(database: QueueDatabase, name: string): Promise<QueueState> {
  return setPaused(database, name, sql<null>`null`)
}

async function setPaused(
  database: QueueDatabase,
  name: string,
  pausedAt: RawBuilder<Date | null>,
): Promise<QueueState> {
  // Text that is no name names no queue, and may be text that PostgreSQL cannot take.
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
