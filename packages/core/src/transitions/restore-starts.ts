// queued | retrying stay so, with the run_at that they had before a reschedule. The undo of a bulk action.
import { plainArray } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, updatedAt } from '../database/instant.ts'
import { expiresBy } from '../database/job-expiry.ts'
import { writeLeftLaneEvents, writeWaitingEvents } from '../database/lane-events.ts'
import { type ChangedJob, lockedTargets, type PreviousStart, targetIds } from '../database/chosen-jobs.ts'

/**
 * Restores the starts of waiting jobs that nothing has changed since they were moved; other jobs stay as they are, among
 * them those that would expire before a start that the caller has changed. The start may be past, where an enqueue or a
 * reschedule would use now: the job returns to its old position, which is never before its creation.
 */
export function restoreStarts(
  database: QueueDatabase,
  starts: readonly PreviousStart[],
): Promise<ChangedJob[]> {
  const { names } = database
  const ids = starts.map(({ id }) => id)
  const msOf = (instant: (start: PreviousStart) => Date): string =>
    plainArray(starts.map((start) => instant(start).getTime()))
  const previousStarts = sql`unnest(${ids}::uuid[], ${msOf(({ runAt }) => runAt)}::float8[],
                           ${msOf(({ changedAt }) => changedAt)}::float8[]) AS g (id, run_at_ms, changed_at_ms)`
  const startsAt = sql`greatest(j.created_at, to_timestamp(g.run_at_ms / 1000::float8))`
  const condition = sql`j.status IN (${names.status.queued}, ${names.status.retrying})
    AND (j.id, date_trunc('milliseconds', j.updated_at)) IN (SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8) FROM ${previousStarts})`
  return database.run(sql<ChangedJob>`
    WITH ${lockedTargets(database, { ids, condition })}, ${clockAfter('target')}, changed AS (
      UPDATE ${names.jobs} AS j
         SET run_at = ${startsAt},
             updated_at = ${updatedAt(sql`clock.at`)}
        FROM clock CROSS JOIN target JOIN ${previousStarts} ON g.id = target.id
       WHERE j.id = target.id AND j.id = ${targetIds} AND NOT ${expiresBy(names, 'j', startsAt)}
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}, ${writeLeftLaneEvents(names, 'changed')}
    SELECT c.id, c.queue, c.status FROM changed AS c`)
}
