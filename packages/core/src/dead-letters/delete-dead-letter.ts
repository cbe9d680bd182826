// The dead letter goes; its job stays failed_permanent. An operator's act.
import type { QueueDatabase } from '../database/connect.ts'
import { QueueError } from '../domain/errors.ts'
import { isJobId } from '../domain/job-id.ts'

/** Removes one dead letter and leaves its job as it is. Throws `dead_letter_not_found`. */
export async function deleteDeadLetter(database: QueueDatabase, id: string): Promise<void> {
  const rows = isJobId(id)
    ? await database.run(
        database.names.db.deleteFrom('dead_letter_jobs').where('id', '=', id).returning('id'),
      )
    : []
  if (rows.length === 0)
    throw new QueueError('dead_letter_not_found', `there is no dead letter ${id.slice(0, 64)}`)
}
