import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from './connect.ts'
import { andWithin } from './scope.ts'
import type { CountedJob, JobStatus } from '../domain/job.ts'

/** The ids of jobs to change, and the condition that each must still meet once its row, named `j`, is locked. */
export interface ChosenJobs {
  readonly ids: readonly string[]
  readonly condition: RawBuilder<unknown>
}

/** The figures by which the cancel of a waiting job is counted. */
export interface CancelledWaiting extends CountedJob {
  readonly createdAt: Date
  readonly cancelledAt: Date
  /** Whether no worker ever claimed it. Enqueues are counted at the first claim, so its enqueue is not counted yet. */
  readonly isUnclaimed: boolean
}

/** What a bulk action reports of each job that it has changed. */
export interface ChangedJob {
  readonly id: string
  readonly queue: string
  /** The state after the change; of a deleted job, its last state. */
  readonly status: JobStatus
  /** Set for a waiting job that was cancelled: the figures by which the cancel is counted. */
  readonly cancelled?: CancelledWaiting | undefined
  /** Set for a waiting job that was cancelled: what undoes the cancel. */
  readonly waited?: CancelledJob | undefined
  /** Set for a job that was requeued: what undoes the requeue. */
  readonly requeued?: RequeuedJob | undefined
  /** Set for a job whose start was moved: what undoes the move. */
  readonly previous?: PreviousStart | undefined
}

/** The state of a waiting job before its cancel. The cancel leaves everything else of the job as it was. */
export interface CancelledJob {
  readonly id: string
  readonly status: 'queued' | 'retrying'
  /** When the job was cancelled: its `updatedAt` after the cancel. The undo leaves jobs alone that were changed later. */
  readonly changedAt: Date
}

/** A job that was requeued. The database keeps what it was before. */
export interface RequeuedJob {
  readonly id: string
  /** When the job was requeued: its `updatedAt` after the requeue. The undo leaves jobs alone that were changed later. */
  readonly changedAt: Date
}

/** When a job could start before its start was moved, to the millisecond. */
export interface PreviousStart {
  readonly id: string
  readonly runAt: Date
  /** When the start was moved. The undo leaves jobs alone that were changed later. */
  readonly changedAt: Date
}

/** The columns of a requeued job, in the row named `alias`, of which `decodeRequeued` makes a changed job. */
export function requeuedRow(alias: string): RawBuilder<RequeuedRow> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql<RequeuedRow>`${column('id')}, ${column('queue')}, ${column('status')}, ${epochMs(column('updated_at'))} AS changed_at`
}

export interface RequeuedRow extends Pick<ChangedJob, 'id' | 'queue' | 'status'> {
  readonly changed_at: number
}

export function decodeRequeued({ id, queue, status, changed_at: changedMs }: RequeuedRow): ChangedJob {
  return { id, queue, status, requeued: { id, changedAt: new Date(changedMs) } }
}

/**
 * The table `target`: locks the chosen jobs in the order of their ids, as every statement does, and keeps those for
 * which the condition still holds.
 */
export function lockedTargets(database: QueueDatabase, { ids, condition }: ChosenJobs): RawBuilder<unknown> {
  const { jobs } = database.names
  return sql`target AS MATERIALIZED (
      SELECT j.id, j.tenant_id, j.kind, j.unique_key, j.unique_scope, j.run_at, j.status, j.lease_token FROM ${jobs} AS j
       WHERE j.id = ANY(${ids}::uuid[]) AND ${condition}${andWithin(database, 'j')}
       ORDER BY j.id FOR UPDATE
    )`
}

/**
 * The ids of `target` as an array, so that an update always finds its rows by the primary key, whatever the planner
 * estimates.
 */
export const targetIds = sql`ANY(ARRAY(SELECT target.id FROM target))`
