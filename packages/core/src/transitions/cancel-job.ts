// queued | retrying → cancelled; running → running with cancel_requested. Called for any user of the queue.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, updatedAt } from '../database/instant.ts'
import { writeLeftLaneEvents } from '../database/lane-events.ts'
import { andWithin } from '../database/scope.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { isTerminal } from '../domain/transitions.ts'
import { archivedJob } from '../reads/get-job.ts'
import { isCancellable } from './cancel-jobs.ts'

export interface CancelResult {
  /**
   * `cancelled`: the job was waiting and has ended. `requested`: it is running, and its worker is notified, again where
   * the cancel was requested before.
   * `already_terminal`: it had already ended; nothing changed.
   */
  readonly outcome: 'cancelled' | 'requested' | 'already_terminal'
  readonly job: Job
}

/**
 * A `CancelResult`, with whether anything changed, and whether the job was never claimed: workers count enqueues at the
 * first claim, so that job is not counted yet.
 */
export interface Cancelled extends CancelResult {
  readonly changed: boolean
  readonly isUnclaimed: boolean
}

/**
 * Cancels a waiting job at once, or requests the cancel of a running one. Throws `job_not_found`.
 *
 * The row as it is once locked decides whether there is anything to do, not the row as the statement found it. The new
 * values use only columns of `j`, because PostgreSQL checks the constraints on the older row first, and evaluates the
 * assignments again when it finds the newer one.
 */
export async function cancelJob(database: QueueDatabase, id: string): Promise<Cancelled> {
  const { names } = database
  const isWaiting = (row: string) =>
    sql`${sql.ref(`${row}.status`)} IN (${names.status.queued}, ${names.status.retrying})`
  const rows = await database.run(sql<JobRow & { changed: boolean; unclaimed: boolean }>`
    WITH target AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')} FOR UPDATE
    ), ${clockAfter('target')}, changed AS (
      UPDATE ${names.jobs} AS j
         SET status = CASE WHEN ${isWaiting('j')} THEN ${names.status.cancelled} ELSE j.status END,
             finished_at = CASE WHEN ${isWaiting('j')} THEN clock.at ELSE j.finished_at END,
             cancel_requested = true, updated_at = ${updatedAt(sql`clock.at`)}
        FROM target CROSS JOIN clock WHERE j.id = target.id AND ${isCancellable(names, 'target')}
      RETURNING j.*
    ), ${writeLeftLaneEvents(names, 'changed')}
    SELECT true AS changed, c.lease_token = 0 AS unclaimed, ${jobColumns('c')} FROM changed AS c
    UNION ALL
    SELECT false AS changed, false AS unclaimed, ${jobColumns('t')} FROM target AS t WHERE NOT EXISTS (SELECT FROM changed)`)
  const row = rows[0]
  if (row === undefined) return alreadyEnded(await archivedJob(database, id), id)
  const job = decodeJob(row)
  const { changed, unclaimed: isUnclaimed } = row
  return { outcome: outcomeOf(job, changed), job, changed, isUnclaimed }
}

function alreadyEnded(job: Job | undefined, id: string): Cancelled {
  if (job === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  return { outcome: 'already_terminal', job, changed: false, isUnclaimed: false }
}

function outcomeOf({ status }: Job, changed: boolean): CancelResult['outcome'] {
  if (!isTerminal(status)) return 'requested'
  return changed ? 'cancelled' : 'already_terminal'
}
