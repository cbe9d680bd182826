import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import { endedAttempts } from '../database/attempt-history.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { decodeExecution, type ExecutionRow } from '../database/job-row.ts'
import type { Execution } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'
import { executionsPerJobMax } from '../domain/limits.ts'

/** The ended attempts of a job, oldest first; undefined where there is no such job. At most 100 are kept. */
export async function listExecutions(
  database: QueueDatabase,
  jobId: string,
): Promise<Execution[] | undefined> {
  if (!isJobId(jobId)) return undefined
  const { names } = database
  const rows = await database.run(sql<ExecutionRow | { readonly job_id: null }>`
    SELECT x.job_id, x.lease_token::text AS lease_token, x.attempt, x.worker_id, ${epochMs(sql.ref('x.started_at'))} AS started_at,
           ${epochMs(sql.ref('x.finished_at'))} AS finished_at, x.outcome, x.error, x.error_class, x.fingerprint
      FROM ${names.allJobs} AS j LEFT JOIN ${endedAttempts(names)} AS x ON x.job_id = j.id
     WHERE j.id = ${jobId}::uuid${andWithin(database, 'j')}
     ORDER BY x.lease_token DESC LIMIT ${sql.lit(executionsPerJobMax)}`)
  if (rows.length === 0) return undefined
  return rows
    .filter((row): row is ExecutionRow => row.job_id !== null)
    .map(decodeExecution)
    .toReversed()
}
