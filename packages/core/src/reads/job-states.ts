import { epochMs } from '@queue/postgres'
import { sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { isWithin } from '../database/scope.ts'
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
  const within = isWithin(database, 'j')
  const rows = await database.run(
    database.names.db
      .selectFrom('jobs as j')
      .select(['j.id', 'j.status', 'j.attempts', 'j.max_attempts as maxAttempts', 'j.progress'])
      .select(['j.cancel_requested as cancelRequested', 'j.progress_message as progressMessage'])
      .select(({ ref }) => epochMs(ref('j.updated_at')).as('updatedAtMs'))
      .where('j.id', '=', sql<string>`any(${wellFormedIds}::uuid[])`)
      .$call((query) => (within === undefined ? query : query.where(within))),
  )
  return rows.map(({ updatedAtMs, ...state }) => ({ ...state, updatedAt: new Date(updatedAtMs) }))
}
