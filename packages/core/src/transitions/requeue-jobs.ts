// failed_permanent | cancelled → queued, and their dead letters are removed: for many jobs. A bulk action.
import { type RawBuilder, sql } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { type ChangedJob, type ChosenJobs, lockedTargets } from '../database/chosen-jobs.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { andWithin } from '../database/scope.ts'
import { liveSlotRequest, takeSlotsOrRefuse } from '../unique/take-live-slots.ts'
import { noLongerWaiting } from './requeue-job.ts'

interface LiveJob {
  readonly id: string
  readonly tenant_id: string | null
  readonly kind: string
  readonly unique_key: string
}

/**
 * Requeues each job as `requeueJob` does. It leaves receipts alone, jobs whose expiry is past, which need a new one by
 * a requeue of the single job, and jobs with a unique key of scope `live` that another job holds. All jobs are locked
 * first, so that the statement that requeues them sees their dead letters.
 */
export async function requeueJobs(database: QueueDatabase, chosen: ChosenJobs): Promise<ChangedJob[]> {
  const { names } = database
  const hasEnded = sql`j.status IN (${names.status.failed_permanent}, ${names.status.cancelled})`
  const inTime = sql`coalesce(j.expires_at > now(), true)`
  const condition = sql`${hasEnded} AND j.stripped_at IS NULL AND ${inTime} AND ${chosen.condition}`
  const live = await lockLive(database, { ...chosen, condition })
  const refused = await takeSlotsOrRefuse(database, live.map(slotRequestOf))
  return database.run(
    requeueStatement(database, chosen.ids, sql`${condition} AND j.id <> ALL(${refused}::uuid[])`),
  )
}

/** Locks all of the jobs, and returns those with a unique key of scope `live`. */
function lockLive(database: QueueDatabase, chosen: ChosenJobs): Promise<LiveJob[]> {
  return database.run(sql<LiveJob>`
    WITH ${lockedTargets(database, chosen)}
    SELECT t.id, t.tenant_id, t.kind, t.unique_key FROM target AS t WHERE t.unique_scope = 'live'`)
}

function slotRequestOf({ id, tenant_id: tenantId, kind, unique_key: uniqueKey }: LiveJob) {
  return liveSlotRequest({ id, tenantId, kind, uniqueKey })
}

function requeueStatement(
  database: QueueDatabase,
  ids: readonly string[],
  condition: RawBuilder<unknown>,
): RawBuilder<ChangedJob> {
  const { names } = database
  return sql<ChangedJob>`
    WITH changed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = now(),
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL, updated_at = now(),
             cancel_reason = NULL, ${noLongerWaiting}
       WHERE j.id = ANY(${ids}::uuid[]) AND ${condition}${andWithin(database, 'j')}
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(ARRAY(SELECT changed.id FROM changed))
    )
    SELECT c.id, c.queue, c.status FROM changed AS c ORDER BY c.id`
}
