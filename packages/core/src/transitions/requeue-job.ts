// failed_permanent | cancelled → queued, the dead letter gone with it. An operator's act.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { InvalidTransition, QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'

/**
 * Gives an ended job a new life: attempts 0, due now, no result. The lease token and the crashes stay, so that what
 * is left of an earlier attempt still cannot write. Throws `job_not_found`, or `InvalidTransition` in other states.
 */
export async function requeueJob(database: QueueDatabase, id: string): Promise<Job> {
  const { names } = database
  const rows = await database.run(sql<JobRow & { changed: boolean }>`
    WITH target AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid FOR UPDATE
    ), changed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = now(),
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL,
             locked_at = NULL, locked_by = NULL, updated_at = now()
        FROM target
       WHERE j.id = target.id AND j.status IN (${names.status.failed_permanent}, ${names.status.cancelled})
      RETURNING j.*
    ), unburied AS (
      DELETE FROM ${names.deadLetters} AS d USING changed WHERE d.job_id = changed.id
    )
    SELECT true AS changed, ${jobColumns('c')} FROM changed AS c
    UNION ALL
    SELECT false AS changed, ${jobColumns('t')} FROM target AS t WHERE NOT EXISTS (SELECT FROM changed)`)
  const row = rows[0]
  if (row === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  if (!row.changed) throw new InvalidTransition({ jobId: id, status: row.status, verb: 'requeued' })
  return decodeJob(row)
}
