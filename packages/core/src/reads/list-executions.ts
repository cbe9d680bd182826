import { asText, epochMs } from '@queue/postgres'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
import { decodeExecution, type ExecutionRow } from '../database/job-row.ts'
import type { Execution } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'

/** The ended attempts of a job, oldest first; undefined where there is no such job. At most 100 are kept. */
export async function listExecutions(
  database: QueueDatabase,
  jobId: string,
): Promise<Execution[] | undefined> {
  if (!isJobId(jobId)) return undefined
  const within = isWithin(database, 'j')
  const rows = await database.run(
    database.names.db
      .selectFrom('jobs as j')
      .leftJoin('job_executions as x', 'x.job_id', 'j.id')
      .select([
        'x.job_id',
        'x.attempt',
        'x.worker_id',
        'x.outcome',
        'x.error',
        'x.error_class',
        'x.fingerprint',
      ])
      .select(({ ref }) => [
        asText(ref('x.lease_token')).as('lease_token'),
        epochMs(ref('x.started_at')).as('started_at'),
        epochMs(ref('x.finished_at')).as('finished_at'),
      ])
      .where('j.id', '=', jobId)
      .$call((query) => (within === undefined ? query : query.where(within)))
      .orderBy('x.lease_token'),
  )
  if (rows.length === 0) return undefined
  return rows.filter((row): row is ExecutionRow => row.job_id !== null).map(decodeExecution)
}
