// failed_permanent → queued, by the dead letter; or (pruned) → queued. An operator's act.
import type { ActDatabase } from '../audit/perform.ts'
import { type Expression, type RawBuilder, sql, type SqlBool } from 'kysely'
import type { QueueDatabase } from '../database/connect.ts'
import { updatedAt } from '../database/instant.ts'
import { insertedMetadata } from '../database/metadata-rows.ts'
import { andWithin } from '../database/scope.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import type { SchemaNames } from '../database/schema-names.ts'
import { type CopiedColumn, restoredColumns } from '../database/tables.ts'
import { QueueError } from '../domain/errors.ts'
import type { Job } from '../domain/job.ts'
import { isJobId } from '../domain/job-id.ts'
import { requeueBatchMax } from '../domain/limits.ts'
import { type CheckedDeadLetterSelection, selectionConditions } from '../reads/dead-letters.ts'
import {
  type ChangedJob,
  type ChosenJobs,
  decodeRequeued,
  type RequeuedRow,
  requeuedRow,
} from '../database/chosen-jobs.ts'
import { keepForUndo, requeuedColumns } from '../database/requeued-jobs.ts'
import { lockJobs } from '../database/lock-jobs.ts'
import type { SlotRequest } from '../unique/slots.ts'
import {
  liveSlotIsHeld,
  liveSlotRequest,
  takeSlotOrThrow,
  takeSlotsOrRefuse,
} from '../unique/take-live-slots.ts'
import { noLongerWaiting } from './requeue-job.ts'

/**
 * Requeues the job of one dead letter and removes the dead letter. Throws `dead_letter_not_found`, `unique_conflict`
 * where another job holds its unique key, and `unique_key_locked` where another open transaction decides that.
 */
export async function requeueDeadLetter(database: ActDatabase, id: string): Promise<Job> {
  const job = isJobId(id) ? await database.transaction((inside) => requeueOne(inside, id)) : undefined
  if (job === undefined) {
    throw new QueueError('dead_letter_not_found', `there is no dead letter ${id.slice(0, 64)}`)
  }
  return job
}

/** Requeues the job of this dead letter; undefined where the dead letter is not there, or gone once it is locked. */
async function requeueOne(database: QueueDatabase, id: string): Promise<Job | undefined> {
  const condition = sql<SqlBool>`d.id = ${id}::uuid`
  const found = await database.run(sql<{ job_id: string }>`
    SELECT d.job_id::text AS job_id FROM ${database.names.deadLetters} AS d WHERE ${condition}${andWithin(database, 'd')}`)
  const ids = found.map((row) => row.job_id)
  const [deadLetter] = ids.length === 0 ? [] : await lockDeadLetters(database, { ids, condition })
  if (deadLetter === undefined) return undefined
  for (const slotRequest of slotRequestsOf(deadLetter)) await takeSlotOrThrow(database, slotRequest)
  const [row] = await database.run(requeueStatement<JobRow>(database, [deadLetter.id], jobColumns('l')))
  return row === undefined ? undefined : decodeJob(row)
}

/** A round of a requeue: the jobs whose dead letters it has found, and those that it has requeued. */
export interface RequeueRound {
  readonly found: readonly string[]
  readonly jobs: readonly Job[]
}

const noneFound: RequeueRound = { found: [], jobs: [] }

/**
 * Requeues the jobs of up to `requeueBatchMax` dead letters of the selection, the oldest first. A full answer means
 * that there may be more: call again.
 *
 * A job whose slot is held stays a dead letter, so rounds follow until one finds no more. None finds a job again that an
 * earlier one has found: a job that fails at once is requeued once. `inRound` gives each round its own transaction,
 * because each locks its jobs in the order of their ids.
 */
export async function requeueDeadLetters(
  inRound: (work: (database: ActDatabase) => Promise<RequeueRound>) => Promise<RequeueRound>,
  selection: CheckedDeadLetterSelection,
): Promise<Job[]> {
  const conditions = selectionConditions(selection)
  const jobs: Job[] = []
  const found: string[] = []
  while (jobs.length < requeueBatchMax) {
    const max = requeueBatchMax - jobs.length
    const round = await inRound((database) => requeueRound(database, { conditions, found, max }))
    if (round.found.length === 0) break
    jobs.push(...round.jobs)
    found.push(...round.found)
  }
  return jobs.toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

async function requeueRound(database: ActDatabase, search: Search): Promise<RequeueRound> {
  const ids = await findIds(database, search)
  if (ids.length === 0) return noneFound
  const requeued = await database.transaction((inside) =>
    requeueLocked<JobRow>(inside, { ids, condition: sql`${search.conditions}` }, jobColumns('l')),
  )
  return { found: ids, jobs: requeued.map(decodeJob) }
}

interface Search {
  readonly conditions: Expression<SqlBool>
  /** The jobs that an earlier round has found. */
  readonly found: readonly string[]
  readonly max: number
}

/** The jobs of the oldest dead letters whose unique keys are free. */
async function findIds(database: QueueDatabase, { conditions, found, max }: Search): Promise<string[]> {
  const { names } = database
  const rows = await database.run(sql<{ job_id: string }>`
    SELECT d.job_id::text AS job_id FROM ${names.deadLetters} AS d
     WHERE ${conditions} AND d.job_id <> ALL(${found}::uuid[]) AND NOT ${liveSlotIsHeld(names, 'd')}${andWithin(database, 'd')}
     ORDER BY d.dead_lettered_at, d.id LIMIT ${max}`)
  return rows.map((row) => row.job_id)
}

/**
 * Requeues the dead letters of these jobs that meet the condition on the row named `d`, inside a transaction. Returns
 * what a bulk action reports of each.
 */
export async function requeueDeadLettersOf(
  database: QueueDatabase,
  chosen: ChosenJobs,
): Promise<ChangedJob[]> {
  const rows = await requeueLocked<RequeuedRow>(database, chosen, requeuedRow('l'))
  return rows.map(decodeRequeued)
}

/** A dead letter that is locked, and what names the slot of its job if its unique key has the scope `live`. */
interface LockedDeadLetter {
  readonly id: string
  readonly job_id: string
  readonly tenant_id: string | null
  readonly kind: string
  readonly live_key: string | null
}

/**
 * Locks the jobs, then their dead letters, which a pruned job still has, then the slots: each in the order of their
 * keys. The dead letters are checked under these locks, and only these are requeued.
 */
async function requeueLocked<Row>(
  database: QueueDatabase,
  chosen: ChosenJobs,
  columns: RawBuilder<unknown>,
): Promise<Row[]> {
  const locked = await lockDeadLetters(database, chosen)
  const refused = new Set(await takeSlotsOrRefuse(database, locked.flatMap(slotRequestsOf)))
  const free = locked.filter((deadLetter) => !refused.has(deadLetter.job_id)).map(({ id }) => id)
  return free.length === 0 ? [] : database.run(requeueStatement<Row>(database, free, columns))
}

/** Locks these jobs, and then those of their dead letters that meet the condition. */
async function lockDeadLetters(
  database: QueueDatabase,
  { ids, condition }: ChosenJobs,
): Promise<LockedDeadLetter[]> {
  await lockJobs(database, ids)
  return database.run(sql<LockedDeadLetter>`
    SELECT d.id::text AS id, d.job_id::text AS job_id, d.tenant_id, d.kind,
           CASE WHEN d.unique_scope = 'live' THEN d.unique_key END AS live_key
      FROM ${database.names.deadLetters} AS d
     WHERE d.job_id = ANY(${ids}::uuid[]) AND ${condition}${andWithin(database, 'd')} ORDER BY d.job_id FOR UPDATE`)
}

function slotRequestsOf(deadLetter: LockedDeadLetter): SlotRequest[] {
  const { job_id: id, tenant_id: tenantId, kind, live_key: uniqueKey } = deadLetter
  return uniqueKey === null ? [] : [liveSlotRequest({ id, tenantId, kind, uniqueKey })]
}

/**
 * Requeues each job and removes its dead letter in the same statement, which waits for no row: the jobs and the dead
 * letters are locked. The job started in time once, so it has no expiry any more. A job that was pruned is inserted
 * again with its id and a higher lease token, and without its idempotency key where another job has that by now.
 */
function requeueStatement<Row>(
  database: QueueDatabase,
  ids: readonly string[],
  columns: RawBuilder<unknown>,
): RawBuilder<Row> {
  const { names } = database
  return sql<Row>`
    WITH dead_letters AS MATERIALIZED (
      SELECT d.* FROM ${names.deadLetters} AS d WHERE d.id = ANY(${ids}::uuid[])
    ), present AS MATERIALIZED (
      SELECT j.* FROM (SELECT l.job_id, l.lease_token FROM dead_letters AS l ORDER BY l.job_id) AS l
       CROSS JOIN LATERAL (
         SELECT j.* FROM ${names.jobs} AS j
          WHERE j.id = l.job_id AND j.lease_token = l.lease_token AND j.stripped_at IS NULL FOR UPDATE
       ) AS j
    ), revived AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = statement_timestamp(),
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL,
             updated_at = ${updatedAt(sql`statement_timestamp()`)}, expires_at = NULL, cancel_reason = NULL, ${noLongerWaiting}
        FROM present AS p
       WHERE j.id = p.id AND j.id = ANY(ARRAY(SELECT present.id FROM present))
         AND p.status = ${names.status.failed_permanent}
      RETURNING j.*
    ), reborn AS (${reinsert(database)}), ${insertedMetadata(names, 'reborn')}, lives AS (
      SELECT * FROM revived UNION ALL SELECT * FROM reborn
    ), ${writeWaitingEvents(names, 'lives')}, before AS (${endedJobs(names)}), ${keepForUndo(names, 'before', 'lives')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d WHERE d.job_id = ANY(ARRAY(SELECT lives.id FROM lives))
    )
    SELECT ${columns} FROM lives AS l ORDER BY l.id`
}

/** What the undo makes of each job: of one that was pruned, a job that has failed now, so that it is kept with its dead letter. */
function endedJobs({ status }: SchemaNames): RawBuilder<unknown> {
  const prunedValues: Partial<Record<string, RawBuilder<unknown>>> = {
    status: status.failed_permanent,
    attempts: sql`l.attempts`,
    run_at: sql`statement_timestamp()`,
    finished_at: sql`statement_timestamp()`,
    cancel_requested: sql`false`,
    unique_scope: sql`l.unique_scope`,
  }
  return sql`
      SELECT p.id, ${sql.join(requeuedColumns.map((name) => sql`p.${sql.id(name)}`))} FROM present AS p
      UNION ALL
      SELECT l.job_id, ${sql.join(requeuedColumns.map((name) => prunedValues[name] ?? sql`NULL`))}
        FROM dead_letters AS l WHERE l.job_id NOT IN (SELECT p.id FROM present AS p)`
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
    unique_scope: sql`nullif(l.unique_scope, 'waiting')`,
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
