import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import type { Job } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'

/** The job; undefined where there is none, or where `id` does not have the form of an id. */
export async function getJob(database: QueueDatabase, id: string): Promise<Job | undefined> {
  if (!isJobId(id)) return undefined
  const rows = await database.run(
    sql<JobRow>`SELECT ${jobColumns('j')} FROM ${database.names.allJobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')}`,
  )
  return rows[0] === undefined ? undefined : decodeJob(rows[0])
}

/**
 * The job if it has succeeded and left `jobs`. For an act that has found no row there: it may have waited for the statement that ended
 * the job, and then sees neither of its rows.
 */
export async function archivedJob(database: QueueDatabase, id: string): Promise<Job | undefined> {
  const job = await getJob(database, id)
  return job?.status === 'succeeded' ? job : undefined
}
