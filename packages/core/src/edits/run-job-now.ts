// queued | retrying stay so, due now. An operator's act.
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { andWithin } from '../database/scope.ts'
import { InvalidTransition, QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { getJob } from '../reads/get-job.ts'

/** Makes a waiting job due now. Throws `job_not_found`, or `InvalidTransition` in other states. */
export async function runJobNow(database: QueueDatabase, id: string): Promise<Job> {
  const { names } = database
  const [row] = await database.run(sql<JobRow>`
    WITH changed AS (
      UPDATE ${names.jobs} AS j SET run_at = least(j.run_at, now()), updated_at = now()
       WHERE j.id = ${id}::uuid AND j.status IN (${names.status.queued}, ${names.status.retrying})${andWithin(database, 'j')}
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}
    SELECT ${jobColumns('c')} FROM changed AS c`)
  if (row !== undefined) return decodeJob(row)
  const job = await getJob(database, id)
  if (job === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  throw new InvalidTransition({
    jobId: id,
    status: job.status,
    verb: 'run now',
    reason: 'only a waiting job can be run',
  })
}
