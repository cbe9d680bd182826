import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import { jobsByIds } from '../database/archive.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import type { JobStatus } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'

/** The members of a job that change while it runs, without its documents. */
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

/** The states of these jobs, in one query and in no particular order. Jobs that do not exist are left out. */
export async function jobStates(database: QueueDatabase, ids: readonly string[]): Promise<JobState[]> {
  const wellFormedIds = ids.filter(isJobId)
  if (wellFormedIds.length === 0) return []
  const rows = await database.run(sql<Omit<JobState, 'updatedAt'> & { readonly updatedAtMs: number }>`
    SELECT j.id, j.status, j.attempts, j.max_attempts AS "maxAttempts", j.progress, j.cancel_requested AS "cancelRequested",
           j.progress_message AS "progressMessage", ${epochMs(sql.ref('j.updated_at'))} AS "updatedAtMs"
      FROM ${jobsByIds(database.names, wellFormedIds)} AS j WHERE true${andWithin(database, 'j')}`)
  return rows.map(({ updatedAtMs, ...state }) => ({ ...state, updatedAt: new Date(updatedAtMs) }))
}
