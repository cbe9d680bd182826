// queued | retrying stay so, with another run_at: of many jobs. An operator's act, which `restoreStarts` takes back.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { writeLeftLaneEvents, writeWaitingEvents } from '../database/lane-events.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets, targetIds } from '../database/chosen-jobs.ts'

/**
 * Moves the earliest start of those that wait, and tells what it was. A past instant counts as now, as for an enqueue. Like an
 * edit, it moves `updated_at` by a millisecond at least, so that the next change is told from this one.
 */
export async function rescheduleJobs(
  database: QueueDatabase,
  chosen: ChosenJobs,
  runAt: RawBuilder<Date>,
): Promise<ChangedJob[]> {
  const { names } = database
  const isWaiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const condition = sql`${isWaiting} AND ${chosen.condition}`
  const rows = await database.run(sql<MovedRow>`
    WITH ${lockedTargets(database, { ...chosen, condition })}, changed AS (
      UPDATE ${names.jobs} AS j
         SET run_at = greatest(now(), ${runAt}),
             updated_at = greatest(now(), date_trunc('milliseconds', j.updated_at) + interval '1 millisecond')
        FROM target WHERE j.id = target.id AND j.id = ${targetIds}
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
