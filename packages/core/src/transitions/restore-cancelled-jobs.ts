// cancelled → queued | retrying, as they were before a cancel. The undo of a cancel, of one job or of many.
import { plainArray } from '@queue/postgres'
import { type RawBuilder, sql } from 'kysely'
import { type CancelledJob, type ChangedJob, lockedTargets } from '../database/chosen-jobs.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import type { UniqueScope } from '../domain/unique.ts'
import { isUnclaimed, type SlotRequest } from '../unique/slots.ts'
import { takeSlotsOrRefuse, uniqueKeyIsHeld } from '../unique/take-live-slots.ts'

/** A job that is locked, and what names its slot if it held its unique key while it waited. */
interface LockedJob {
  readonly id: string
  readonly tenant_id: string | null
  readonly kind: string
  readonly held_key: string | null
  readonly unique_scope: UniqueScope | null
}

/**
 * Restores jobs that were cancelled while they waited and that nothing has changed since. The cancel has kept their
 * start, attempts, expiry and keys. Other jobs stay as they are, and so do jobs whose unique key another job holds by now. Throws `unique_conflict`
 * where that leaves none. The first statement locks the jobs and checks them; the last one changes only these.
 */
export async function restoreCancelledJobs(
  database: QueueDatabase,
  cancelled: readonly CancelledJob[],
): Promise<ChangedJob[]> {
  const locked = await lockUnchanged(database, cancelled)
  const refused = new Set(await takeSlotsOrRefuse(database, locked.flatMap(slotRequestsOf)))
  const free = locked.filter(({ id }) => !refused.has(id)).map(({ id }) => id)
  if (free.length > 0) return database.run(restoreStatement(database, free, cancelled))
  const [conflicting] = refused
  if (conflicting !== undefined) throw uniqueKeyIsHeld(conflicting, 'restored')
  return []
}

/** A job that was cancelled while it waited has attempts left, and its last attempt did not end it. */
function lockUnchanged(database: QueueDatabase, cancelled: readonly CancelledJob[]): Promise<LockedJob[]> {
  const { status } = database.names
  const condition = sql`j.status = ${status.cancelled} AND j.cancel_reason IS NULL AND j.stripped_at IS NULL
    AND j.attempts < j.max_attempts AND NOT ${wasEndedByAttempt(database)}
    AND (j.id, date_trunc('milliseconds', j.updated_at)) IN (SELECT g.id, to_timestamp(g.changed_at_ms / 1000::float8) FROM ${rowsOf(cancelled)})`
  const ids = cancelled.map(({ id }) => id)
  return database.run(sql<LockedJob>`
    WITH ${lockedTargets(database, { ids, condition })}
    SELECT t.id, t.tenant_id, t.kind, t.unique_scope,
           CASE WHEN t.unique_scope = 'live' OR t.unique_scope = 'waiting' AND ${isUnclaimed('t')} THEN t.unique_key END AS held_key
      FROM target AS t`)
}

/**
 * Whether the job `j` was cancelled while it ran. The attempt has ended with the job then, which a requeue changes. An
 * attempt that its worker returned unstarted leaves no history: nothing has run, so its job counts as waiting.
 */
function wasEndedByAttempt({ names }: QueueDatabase): RawBuilder<unknown> {
  return sql`EXISTS (
      SELECT FROM ${names.executions} AS x
       WHERE x.job_id = j.id AND x.lease_token = j.lease_token AND x.outcome = 'cancelled' AND x.finished_at >= j.finished_at)`
}

/** It waits for no row, so its own start is after every wait. */
function restoreStatement(
  database: QueueDatabase,
  ids: readonly string[],
  cancelled: readonly CancelledJob[],
): RawBuilder<ChangedJob> {
  const { names } = database
  return sql<ChangedJob>`
    WITH changed AS (
      UPDATE ${names.jobs} AS j
         SET status = CASE WHEN j.attempts > 0 OR g.status = 'retrying' THEN ${names.status.retrying} ELSE ${names.status.queued} END,
             finished_at = NULL, cancel_requested = false, updated_at = ${updatedAt(sql`statement_timestamp()`)}
        FROM ${rowsOf(cancelled)} WHERE j.id = g.id AND j.id = ANY(${ids}::uuid[])
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}
    SELECT c.id, c.queue, c.status FROM changed AS c ORDER BY c.id`
}

function rowsOf(cancelled: readonly CancelledJob[]): RawBuilder<unknown> {
  return sql`unnest(${cancelled.map(({ id }) => id)}::uuid[], ${cancelled.map(({ status }) => status)}::text[],
                    ${plainArray(cancelled.map(({ changedAt }) => changedAt.getTime()))}::float8[]) AS g (id, status, changed_at_ms)`
}

function slotRequestsOf(job: LockedJob): SlotRequest[] {
  const { id: jobId, tenant_id: tenantId, kind, held_key: key, unique_scope: scope } = job
  if (key === null || scope === null) return []
  return [{ tenantId: tenantId ?? '', kind, key, scope, windowMs: null, jobId }]
}
