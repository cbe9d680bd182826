// queued | retrying stay so, with another run_at: for many jobs. A bulk action, which `restoreStarts` undoes.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, instantParameter, updatedAt } from '../database/instant.ts'
import { expiresBy } from '../database/job-expiry.ts'
import { writeLeftLaneEvents, writeWaitingEvents } from '../database/lane-events.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets, targetIds } from '../database/chosen-jobs.ts'
import type { SchemaNames } from '../database/schema-names.ts'

/**
 * Moves the earliest start of waiting jobs, and returns the previous one. A past instant counts as now, as for an
 * enqueue. A job that would expire before that start stays as it is, and so does one that has this start.
 */
export async function rescheduleJobs(
  database: QueueDatabase,
  chosen: ChosenJobs,
  runAt: Date,
): Promise<ChangedJob[]> {
  const { names } = database
  const isWaiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const condition = sql`${isWaiting} AND ${chosen.condition}`
  const startsAt = startAfter(sql`clock.at`, runAt)
  const rows = await database.run(sql<MovedRow>`
    WITH ${lockedTargets(database, { ...chosen, condition })}, ${clockAfter('target')}, changed AS (
      UPDATE ${names.jobs} AS j
         SET run_at = ${startsAt},
             updated_at = ${updatedAt(sql`clock.at`)}
        FROM target CROSS JOIN clock
       WHERE j.id = target.id AND j.id = ${targetIds} AND ${canMove(names, 'j', startsAt)}
      RETURNING j.*, target.run_at AS previous_run_at
    ), ${writeWaitingEvents(names, 'changed')}, ${writeLeftLaneEvents(names, 'changed')}
    SELECT c.id, c.queue, c.status, ${epochMs(sql`c.previous_run_at`)} AS previous_run_at,
           ${epochMs(sql`c.updated_at`)} AS changed_at FROM changed AS c`)
  return rows.map(({ previous_run_at: runAtMs, changed_at: changedMs, ...job }) => ({
    ...job,
    previous: { id: job.id, runAt: new Date(runAtMs), changedAt: new Date(changedMs) },
  }))
}

/** Whether a reschedule to this instant changes the waiting job named `alias`. */
export function isMovable(names: SchemaNames, alias: string, runAt: Date): RawBuilder<unknown> {
  return canMove(names, alias, startAfter(sql`clock_timestamp()`, runAt))
}

function startAfter(now: RawBuilder<unknown>, runAt: Date): RawBuilder<unknown> {
  return sql`greatest(${now}, ${instantParameter(runAt)})`
}

function canMove(names: SchemaNames, alias: string, startsAt: RawBuilder<unknown>): RawBuilder<unknown> {
  return sql`${sql.ref(`${alias}.run_at`)} <> ${startsAt} AND NOT ${expiresBy(names, alias, startsAt)}`
}

interface MovedRow extends Pick<ChangedJob, 'id' | 'queue' | 'status'> {
  readonly previous_run_at: number
  readonly changed_at: number
}
