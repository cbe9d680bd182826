import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from './connect.ts'
import { andWithin } from './scope.ts'
import type { JobStatus } from '../domain/job.ts'
import type { CancelledWaiting } from '../stats/count-cancelled.ts'

/** Jobs that were found, and what still has to hold of each, the row named `j`, once it is locked. */
export interface ChosenJobs {
  readonly ids: readonly string[]
  readonly condition: RawBuilder<unknown>
}

/** What an act on many tells of each job that it has changed. */
export interface ChangedJob {
  readonly id: string
  readonly queue: string
  /** As it is now; of a job that was removed, as it was. */
  readonly status: JobStatus
  /** Of one that waited and was cancelled: what is counted of it. */
  readonly cancelled?: CancelledWaiting | undefined
  /** Of one whose start was moved: what takes that back. */
  readonly previous?: PreviousStart | undefined
}

/** When a job could start before its start was moved, to the millisecond. */
export interface PreviousStart {
  readonly id: string
  readonly runAt: Date
  /** When it was moved: a job that was changed later is not put back. */
  readonly changedAt: Date
}

/** Locks the chosen jobs, by id as everywhere, and gives those of which the condition holds then: the table `target`. */
export function lockedTargets(database: QueueDatabase, { ids, condition }: ChosenJobs): RawBuilder<unknown> {
  const { jobs } = database.names
  return sql`target AS MATERIALIZED (
      SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at FROM ${jobs} AS j
       WHERE j.id = ANY(${ids}::uuid[]) AND ${condition}${andWithin(database, 'j')}
       ORDER BY j.id FOR UPDATE
    )`
}

/** The ids of `target`: an update goes by its key through them, whatever the planner knows. */
export const targetIds = sql`ANY(ARRAY(SELECT target.id FROM target))`
