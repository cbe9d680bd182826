import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { decodeExecution, type ExecutionRow } from '../database/job-row.ts'
import type { Execution } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'

/** The ended attempts of a job, oldest first; undefined when there is no such job. At most 100 are kept. */
export async function listExecutions(
  database: QueueDatabase,
  jobId: string,
): Promise<Execution[] | undefined> {
  if (!isJobId(jobId)) return undefined
  const { names } = database
  const rows = await database.run(sql<ExecutionRow | { readonly job_id: null }>`
    SELECT x.job_id, x.lease_token::text AS lease_token, x.attempt, x.worker_id, x.outcome, x.error,
           ${epochMs(sql`x.started_at`)} AS started_at, ${epochMs(sql`x.finished_at`)} AS finished_at
      FROM ${names.jobs} AS j LEFT JOIN ${names.executions} AS x ON x.job_id = j.id
     WHERE j.id = ${jobId}::uuid
     ORDER BY x.lease_token`)
  if (rows.length === 0) return undefined
  return rows.filter((row): row is ExecutionRow => row.job_id !== null).map(decodeExecution)
}
