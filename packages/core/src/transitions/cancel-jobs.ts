// queued | retrying → cancelled; running → running with cancel_requested: for many jobs. A bulk action.
import { epochMs } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { clockAfter, updatedAt } from '../database/instant.ts'
import { writeLeftLaneEvents } from '../database/lane-events.ts'
import {
  type CancelledJob,
  type ChangedJob,
  type ChosenJobs,
  lockedTargets,
  targetIds,
} from '../database/chosen-jobs.ts'
import type { SchemaNames } from '../database/schema-names.ts'

/**
 * Cancels waiting jobs, which `restoreCancelledJobs` undoes, and requests the cancel of running ones for which it was not requested
 * before.
 */
export async function cancelJobs(database: QueueDatabase, chosen: ChosenJobs): Promise<ChangedJob[]> {
  const { names } = database
  const isWaiting = sql`j.status IN (${names.status.queued}, ${names.status.retrying})`
  const condition = sql`${isCancellable(names, 'j')} AND ${chosen.condition}`
  const rows = await database.run(sql<CancelledRow>`
    WITH ${lockedTargets(database, { ...chosen, condition })}, ${clockAfter('target')}, changed AS (
    UPDATE ${names.jobs} AS j
       SET status = CASE WHEN ${isWaiting} THEN ${names.status.cancelled} ELSE j.status END,
           finished_at = CASE WHEN ${isWaiting} THEN clock.at ELSE j.finished_at END,
           cancel_requested = true, updated_at = ${updatedAt(sql`clock.at`)}
      FROM target CROSS JOIN clock WHERE j.id = target.id AND j.id = ${targetIds}
    RETURNING j.*, target.status AS previous_status
    ), ${writeLeftLaneEvents(names, 'changed')}
    SELECT c.id, c.queue, c.status, c.kind, c.tenant_id, c.lease_token = 0 AS unclaimed,
           c.previous_status, ${epochMs(sql`c.updated_at`)} AS changed_at,
           ${epochMs(sql`c.created_at`)} AS created_at, ${epochMs(sql`c.finished_at`)} AS finished_at FROM changed AS c`)
  return rows.map(decode)
}

/** Whether a cancel changes the job named `alias`. */
export function isCancellable({ status }: SchemaNames, alias: string): RawBuilder<unknown> {
  const state = sql.ref(`${alias}.status`)
  return sql`(${state} IN (${status.queued}, ${status.retrying})
              OR ${state} = ${status.running} AND NOT ${sql.ref(`${alias}.cancel_requested`)})`
}

interface CancelledRow extends Pick<ChangedJob, 'id' | 'queue' | 'status'> {
  readonly kind: string
  readonly tenant_id: string | null
  readonly unclaimed: boolean
  readonly previous_status: CancelledJob['status']
  readonly changed_at: number
  readonly created_at: number
  /** Null where the job is running. */
  readonly finished_at: number | null
}

function decode(row: CancelledRow): ChangedJob {
  const { id, queue, status, kind, finished_at: finishedMs } = row
  if (finishedMs === null) return { id, queue, status }
  const [createdAt, cancelledAt] = [new Date(row.created_at), new Date(finishedMs)]
  const job = { queue, kind, tenantId: row.tenant_id, createdAt, cancelledAt, isUnclaimed: row.unclaimed }
  const waited = { id, status: row.previous_status, changedAt: new Date(row.changed_at) }
  return { id, queue, status, cancelled: job, waited }
}
