// queued | retrying stay so, with another run_at: for many jobs. A bulk action, which `restoreStarts` undoes.
import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, instantParameter } from '../database/instant.ts'
import { writeLeftLaneEvents, writeWaitingEvents } from '../database/lane-events.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets, targetIds } from '../database/chosen-jobs.ts'

/**
 * Moves the earliest start of waiting jobs, and returns the previous one. A past instant counts as now, as for an
 * enqueue. Like an edit, it moves `updated_at` by at least a millisecond, so that a later change can be told apart.
 */
export async function rescheduleJobs(
  database: QueueDatabase,
  chosen: ChosenJobs,
  runAt: Date,
): Promise<ChangedJob[]> {
  const { names } = database
  const isWaiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const condition = sql`${isWaiting} AND ${chosen.condition}`
  const rows = await database.run(sql<MovedRow>`
    WITH ${lockedTargets(database, { ...chosen, condition })}, ${clockAfter('target')}, changed AS (
      UPDATE ${names.jobs} AS j
         SET run_at = greatest(clock.at, ${instantParameter(runAt)}),
             updated_at = greatest(clock.at, date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
        FROM target CROSS JOIN clock WHERE j.id = target.id AND j.id = ${targetIds}
      RETURNING j.*, target.run_at AS previous_run_at
    ), ${writeWaitingEvents(names, 'changed')}, ${writeLeftLaneEvents(names, 'changed')}
    SELECT c.id, c.queue, c.status, ${epochMs(sql`c.previous_run_at`)} AS previous_run_at,
           ${epochMs(sql`c.updated_at`)} AS changed_at FROM changed AS c`)
  return rows.map(({ previous_run_at: runAtMs, changed_at: changedMs, ...job }) => ({
    ...job,
    previous: { id: job.id, runAt: new Date(runAtMs), changedAt: new Date(changedMs) },
  }))
}

interface MovedRow extends Pick<ChangedJob, 'id' | 'queue' | 'status'> {
  readonly previous_run_at: number
  readonly changed_at: number
}
