// queued | retrying stay so, with another run_at: of many jobs. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { noteLeft, noteWaiting } from '../database/lane-events.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets, targetIds } from '../database/chosen-jobs.ts'

/** Moves the earliest start of those that wait. A past instant counts as now, as for an enqueue. */
export function rescheduleJobs(
  database: QueueDatabase,
  chosen: ChosenJobs,
  runAt: RawBuilder<Date>,
): Promise<ChangedJob[]> {
  const { names } = database
  const isWaiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const condition = sql`${isWaiting} AND ${chosen.condition}`
  return database.run(sql<ChangedJob>`
    WITH ${lockedTargets(database, { ...chosen, condition })}, changed AS (
      UPDATE ${names.jobs} AS j SET run_at = greatest(now(), ${runAt}), updated_at = now()
        FROM target WHERE j.id = target.id AND j.id = ${targetIds}
      RETURNING j.*
    ), ${noteWaiting(names, 'changed')}, ${noteLeft(names, 'changed')}
    SELECT c.id, c.queue, c.status FROM changed AS c`)
}
