// failed_permanent → queued, by the dead letter; or (pruned) → queued. An operator's act.
import type { ActDatabase } from '../acts.ts'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { insertedMetadata } from '../database/metadata-rows.ts'
import { andWithin } from '../database/scope.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { type CopiedColumn, restoredColumns } from '../database/tables.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import { isJobId } from '../domain/job-id.ts'
import { requeueBatchMax } from '../domain/limits.ts'
import {
  type DeadLetterSelection,
  deadLetterSelectionSchema,
  selectionConditions,
} from '../dead-letters/dead-letters.ts'
import type { ChangedJob, ChosenJobs } from '../database/chosen-jobs.ts'
import { lockJobs } from '../database/lock-jobs.ts'
import {
  deadLetterSlotIsHeld,
  liveSlotRequest,
  takeLiveSlots,
  takeSlotsOrRefuse,
  uniqueKeyIsHeld,
} from '../unique/take-live-slots.ts'
import { noLongerWaiting } from './requeue-job.ts'

/**
 * Requeues the job of one dead letter and removes the dead letter. Throws `dead_letter_not_found`, and
 * `unique_conflict` where another job holds its unique key.
 */
export async function requeueDeadLetter(database: ActDatabase, id: string): Promise<Job> {
  const condition = sql<SqlBool>`d.id = ${isJobId(id) ? id : null}::uuid`
  const [job] = isJobId(id) ? await requeueAll(database, condition) : []
  if (job !== undefined) return job
  const [conflicting] = isJobId(id) ? await uniqueDeadLetters(database, condition, requeueBatchMax) : []
  if (conflicting !== undefined) throw uniqueKeyIsHeld(conflicting.job_id)
  throw new QueueError('dead_letter_not_found', `there is no dead letter ${id.slice(0, 64)}`)
}

/**
 * Requeues the jobs of up to `requeueBatchMax` dead letters of the selection, the oldest first. A full answer means
 * that there may be more: call again.
 */
export async function requeueDeadLetters(
  database: ActDatabase,
  selection: DeadLetterSelection,
): Promise<Job[]> {
  const checked = parseOrThrow(deadLetterSelectionSchema, selection, 'invalid_options')
  return requeueAll(database, selectionConditions(checked))
}

/** Jobs that need a unique slot come after the others. A job whose slot is held stays a dead letter. */
async function requeueAll(database: ActDatabase, conditions: Expression<SqlBool>): Promise<Job[]> {
  const jobs = await requeueSelected(
    database,
    sql<SqlBool>`${conditions} AND d.unique_scope IS DISTINCT FROM 'live'`,
  )
  const remaining = requeueBatchMax - jobs.length
  if (remaining === 0) return jobs
  const isFree = sql<SqlBool>`${conditions} AND NOT ${deadLetterSlotIsHeld(database.names)}`
  const deadLetters = await uniqueDeadLetters(database, isFree, remaining)
  if (deadLetters.length === 0) return jobs
  const requeued = await database.transaction(async (inside) => {
    await lockJobs(
      inside,
      deadLetters.map((deadLetter) => deadLetter.job_id),
    )
    const owners = await takeLiveSlots(inside, deadLetters.map(slotRequestOf))
    const ids = deadLetters.filter((deadLetter) => owners.has(deadLetter.job_id)).map(({ id }) => id)
    return requeueSelected(inside, sql<SqlBool>`d.id = ANY(${ids}::uuid[])`)
  })
  return [...jobs, ...requeued].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

interface UniqueDeadLetter {
  readonly id: string
  readonly job_id: string
  readonly tenant_id: string | null
  readonly kind: string
  readonly unique_key: string
}

/** The dead letters of jobs whose unique key has the scope `live`, the oldest first. */
function uniqueDeadLetters(
  database: QueueDatabase,
  conditions: Expression<SqlBool>,
  limit: number,
): Promise<UniqueDeadLetter[]> {
  return database.run(sql<UniqueDeadLetter>`
    SELECT d.id::text AS id, d.job_id::text AS job_id, d.tenant_id, d.kind, d.unique_key
      FROM ${database.names.deadLetters} AS d
     WHERE ${conditions} AND d.unique_scope = 'live'${andWithin(database, 'd')}
     ORDER BY d.dead_lettered_at, d.id LIMIT ${limit}`)
}

function slotRequestOf({ job_id: id, tenant_id: tenantId, kind, unique_key: uniqueKey }: UniqueDeadLetter) {
  return liveSlotRequest({ id, tenantId, kind, uniqueKey })
}

/**
 * Requeues the dead letters of these jobs that meet the condition on the row named `d`, inside a transaction. Returns
 * what a bulk action reports of each.
 */
export async function requeueDeadLettersOf(
  database: QueueDatabase,
  { ids, condition }: ChosenJobs,
): Promise<ChangedJob[]> {
  await lockJobs(database, ids)
  const chosen = sql<SqlBool>`d.job_id = ANY(${ids}::uuid[]) AND ${condition}`
  const deadLetters = await uniqueDeadLetters(database, chosen, ids.length)
  const refused = await takeSlotsOrRefuse(database, deadLetters.map(slotRequestOf))
  const conditions = sql<SqlBool>`${chosen} AND d.job_id <> ALL(${refused}::uuid[])`
  return database.run(requeueStatement<ChangedJob>(database, conditions, sql`l.id, l.queue, l.status`))
}

async function requeueSelected(database: QueueDatabase, conditions: Expression<SqlBool>): Promise<Job[]> {
  const rows = await database.run(requeueStatement<JobRow>(database, conditions, jobColumns('l')))
  return rows.map(decodeJob)
}

/**
 * Requeues each job and removes its dead letter in the same statement. The job started in time once, so it has no
 * expiry any more. A job that was pruned meanwhile is inserted again with its id and a higher lease token, and without
 * its idempotency key where another job has that by now. A job that was requeued and dead-lettered again meanwhile has
 * a dead letter that this statement cannot see, and is left alone. Jobs are locked before dead letters, in the order of
 * their ids, as everywhere.
 */
function requeueStatement<Row>(
  database: QueueDatabase,
  conditions: Expression<SqlBool>,
  columns: RawBuilder<unknown>,
): RawBuilder<Row> {
  const { names } = database
  return sql<Row>`
    WITH dead_letters AS MATERIALIZED (
      SELECT d.* FROM ${names.deadLetters} AS d WHERE ${conditions}${andWithin(database, 'd')}
       ORDER BY d.dead_lettered_at, d.id LIMIT ${sql.lit(requeueBatchMax)}
    ), present AS MATERIALIZED (
      SELECT j.* FROM (SELECT l.job_id, l.lease_token FROM dead_letters AS l ORDER BY l.job_id) AS l
       CROSS JOIN LATERAL (
         SELECT j.id, j.status FROM ${names.jobs} AS j
          WHERE j.id = l.job_id AND j.lease_token = l.lease_token AND j.stripped_at IS NULL FOR UPDATE
       ) AS j
    ), revived AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = now(),
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL, updated_at = now(),
             expires_at = NULL, cancel_reason = NULL, ${noLongerWaiting}
        FROM present AS p
       WHERE j.id = p.id AND j.id = ANY(ARRAY(SELECT present.id FROM present))
         AND p.status = ${names.status.failed_permanent}
      RETURNING j.*
    ), reborn AS (${reinsert(database)}), ${insertedMetadata(names, 'reborn')}, lives AS (
      SELECT * FROM revived UNION ALL SELECT * FROM reborn
    ), ${writeWaitingEvents(names, 'lives')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(ARRAY(SELECT lives.id FROM lives))
    )
    SELECT ${columns} FROM lives AS l ORDER BY l.id`
}

function reinsert({ names }: QueueDatabase): RawBuilder<unknown> {
  // OFFSET 0 makes each job a lookup by its id, where the planner would otherwise read a whole view for a join.
  const separateLookups = names.behindViews ? sql` OFFSET 0` : sql``
  const keyIsFree = sql`NOT EXISTS (
    SELECT FROM ${names.jobs} AS o
     WHERE coalesce(o.tenant_id, '') = coalesce(l.tenant_id, '') AND o.idempotency_key = l.idempotency_key
       AND o.idempotency_key IS NOT NULL)`
  const currentValues: Partial<Record<CopiedColumn, RawBuilder<unknown>>> = {
    lease_token: sql`l.lease_token + 1`,
    unique_key: sql`CASE WHEN l.unique_scope <> 'waiting' THEN l.unique_key END`,
    unique_scope: sql`CASE WHEN l.unique_scope <> 'waiting' THEN l.unique_scope END`,
    idempotency_key: sql`CASE WHEN ${keyIsFree} THEN l.idempotency_key END`,
    idempotency_fingerprint: sql`CASE WHEN ${keyIsFree} THEN l.idempotency_fingerprint END`,
  }
  const values = restoredColumns.map((name) => currentValues[name] ?? sql`l.${sql.id(name)}`)
  return sql`
      INSERT INTO ${names.jobs} (id, ${sql.join(restoredColumns.map((name) => sql.id(name)))})
      SELECT l.job_id, ${sql.join(values)}
        FROM dead_letters AS l
       WHERE NOT EXISTS (SELECT FROM ${names.jobs} AS j WHERE j.id = l.job_id${separateLookups})
       ORDER BY l.job_id
      ON CONFLICT DO NOTHING
      RETURNING *`
}
