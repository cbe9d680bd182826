// failed_permanent | cancelled → queued, and their dead letters are removed: for many jobs. A bulk action.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import {
  type ChangedJob,
  type ChosenJobs,
  decodeRequeued,
  lockedTargets,
  type RequeuedRow,
  requeuedRow,
} from '../database/chosen-jobs.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { updatedAt } from '../database/instant.ts'
import { keepForUndo } from '../database/requeued-jobs.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import type { SlotRequest } from '../unique/slots.ts'
import { liveSlotRequest, takeSlotsOrRefuse } from '../unique/take-live-slots.ts'
import { noLongerWaiting } from './requeue-job.ts'

/** A job that is locked, and what names its slot if its unique key has the scope `live`. */
interface LockedJob {
  readonly id: string
  readonly tenant_id: string | null
  readonly kind: string
  readonly live_key: string | null
}

/**
 * Requeues each job as `requeueJob` does. It leaves receipts alone, jobs whose expiry is past, which need a new one by
 * a requeue of the single job, and jobs with a unique key of scope `live` that another job holds. The first statement
 * locks the jobs and checks them. The last one changes only these, and sees their dead letters.
 */
export async function requeueJobs(database: QueueDatabase, chosen: ChosenJobs): Promise<ChangedJob[]> {
  const condition = sql`${isRequeueable(database.names, 'j')} AND ${chosen.condition}`
  const locked = await database.run(sql<LockedJob>`
    WITH ${lockedTargets(database, { ...chosen, condition })}
    SELECT t.id, t.tenant_id, t.kind, CASE WHEN t.unique_scope = 'live' THEN t.unique_key END AS live_key FROM target AS t`)
  const refused = new Set(await takeSlotsOrRefuse(database, locked.flatMap(slotRequestsOf)))
  const ids = locked.map(({ id }) => id).filter((id) => !refused.has(id))
  const rows = ids.length === 0 ? [] : await database.run(requeueStatement(database, ids))
  return rows.map(decodeRequeued)
}

/** Whether a requeue changes the job named `alias`, as far as its unique key does not matter. */
export function isRequeueable({ status }: SchemaNames, alias: string): RawBuilder<unknown> {
  const column = (name: string) => sql.ref(`${alias}.${name}`)
  return sql`(${column('status')} IN (${status.failed_permanent}, ${status.cancelled})
              AND ${column('stripped_at')} IS NULL AND coalesce(${column('expires_at')} > clock_timestamp(), true))`
}

function slotRequestsOf({ id, tenant_id: tenantId, kind, live_key: uniqueKey }: LockedJob): SlotRequest[] {
  return uniqueKey === null ? [] : [liveSlotRequest({ id, tenantId, kind, uniqueKey })]
}

/** It waits for no row, so its own start is after every wait. Meanwhile the expiry of a job may have passed. */
function requeueStatement(database: QueueDatabase, ids: readonly string[]): RawBuilder<RequeuedRow> {
  const { names } = database
  return sql<RequeuedRow>`
    WITH before AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ANY(${ids}::uuid[])
    ), changed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = statement_timestamp(),
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL,
             updated_at = ${updatedAt(sql`statement_timestamp()`)}, cancel_reason = NULL, ${noLongerWaiting}
       WHERE j.id = ANY(${ids}::uuid[]) AND ${isRequeueable(names, 'j')}
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}, ${keepForUndo(names, 'before', 'changed')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(ARRAY(SELECT changed.id FROM changed))
    )
    SELECT ${requeuedRow('c')} FROM changed AS c ORDER BY c.id`
}
