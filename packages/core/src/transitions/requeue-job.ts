// failed_permanent | cancelled → queued, the dead letter gone with it. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { InvalidTransition, QueueError } from '../domain/errors.ts'
import type { Job, JobStatus } from '../domain/job.ts'
import { transitions } from '../domain/transitions.ts'

/** Each further try needs another act on the very job in between. */
const triesMax = 3

/**
 * Gives an ended job a new life: attempts 0, due now, no result. The lease token and the crashes stay, so that what
 * is left of an earlier attempt still cannot write. Throws `job_not_found`, or `InvalidTransition` in other states.
 *
 * A job that ended while this waited for its row is tried again: the statement had begun before there was a dead
 * letter, cannot see it, and would leave it behind.
 */
export async function requeueJob(database: QueueDatabase, id: string): Promise<Job> {
  for (let tries = 1; ; tries += 1) {
    const [row] = await database.run(requeueStatement(database, id))
    if (row === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
    if (row.changed) return decodeJob(row)
    const endedMeanwhile = (transitions.requeue.from as readonly JobStatus[]).includes(row.status)
    if (!endedMeanwhile || tries === triesMax) {
      throw new InvalidTransition({ jobId: id, status: row.status, verb: 'requeued' })
    }
  }
}

function requeueStatement(
  database: QueueDatabase,
  id: string,
): RawBuilder<JobRow & { readonly changed: boolean }> {
  const { names } = database
  return sql`
    WITH seen AS MATERIALIZED (
      SELECT j.status, j.lease_token FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid
    ), target AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')} FOR UPDATE
    ), changed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = now(),
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL, updated_at = now()
        FROM target JOIN seen ON seen.status = target.status AND seen.lease_token = target.lease_token
       WHERE j.id = target.id AND target.status IN (${names.status.failed_permanent}, ${names.status.cancelled})
      RETURNING j.*
    ), removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d USING changed WHERE d.job_id = changed.id
    )
    SELECT true AS changed, ${jobColumns('c')} FROM changed AS c
    UNION ALL
    SELECT false AS changed, ${jobColumns('t')} FROM target AS t WHERE NOT EXISTS (SELECT FROM changed)`
}
