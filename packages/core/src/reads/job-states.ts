import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import type { JobStatus } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'

/** What changes of a job while it runs, without its documents. */
export interface JobState {
  readonly id: string
  readonly status: JobStatus
  readonly attempts: number
  readonly maxAttempts: number
  readonly cancelRequested: boolean
  readonly progress: number | null
  readonly progressMessage: string | null
  readonly updatedAt: Date
}

interface StateRow {
  readonly id: string
  readonly status: JobStatus
  readonly attempts: number
  readonly max_attempts: number
  readonly cancel_requested: boolean
  readonly progress: number | null
  readonly progress_message: string | null
  readonly updated_at: number
}

/** The states of these jobs in one query, in no order; those that are not there are left out. */
export async function jobStates(database: QueueDatabase, ids: readonly string[]): Promise<JobState[]> {
  const known = ids.filter(isJobId)
  if (known.length === 0) return []
  const rows = await database.run(sql<StateRow>`
    SELECT j.id, j.status, j.attempts, j.max_attempts, j.cancel_requested, j.progress, j.progress_message,
           ${epochMs(sql`j.updated_at`)} AS updated_at
      FROM ${database.names.jobs} AS j WHERE j.id = ANY(${known}::uuid[])`)
  return rows.map((row) => ({
    id: row.id,
    status: row.status,
    attempts: row.attempts,
    maxAttempts: row.max_attempts,
    cancelRequested: row.cancel_requested,
    progress: row.progress,
    progressMessage: row.progress_message,
    updatedAt: new Date(row.updated_at),
  }))
}
