// Removes a dead letter; its job stays failed_permanent. An operator's act.
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { QueueError } from '../domain/errors.ts'
import { isJobId } from '../domain/job-id.ts'

/** Removes one dead letter, leaves its job as it is, and returns the job's id. Throws `dead_letter_not_found`. */
export async function deleteDeadLetter(database: QueueDatabase, id: string): Promise<string> {
  const within = isWithin(database)
  const [row] = isJobId(id)
    ? await database.run(
        database.names.db
          .deleteFrom('dead_letter_jobs')
          .where('id', '=', id)
          .$call((query) => (within === undefined ? query : query.where(within)))
          .returning('job_id'),
      )
    : []
  if (row === undefined)
    throw new QueueError('dead_letter_not_found', `there is no dead letter ${id.slice(0, 64)}`)
  return row.job_id
}
