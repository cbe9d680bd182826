// failed_permanent | cancelled → queued, and its dead letter is removed. An operator's act.
import { type RawBuilder, sql } from 'kysely'
import { z } from 'zod'
import type { ActDatabase } from '../audit/perform.ts'
import { clockAfter, instantParameter, updatedAt } from '../database/instant.ts'
import type { QueueDatabase } from '../database/connect.ts'
import { andWithin } from '../database/scope.ts'
import { writeWaitingEvents } from '../database/lane-events.ts'
import { keepForUndo } from '../database/requeued-jobs.ts'
import { decodeJob, type JobRow, jobColumns } from '../database/job-row.ts'
import { InvalidInput, InvalidTransition, QueueError } from '../domain/errors.ts'
import { type Job, jobFields, type JobStatus } from '../domain/job.ts'
import { parseOrThrow } from '../domain/job-definition.ts'
import type { OptionsOf } from '../domain/options-of.ts'
import { transitions } from '../domain/transitions.ts'
import { archivedJob } from '../reads/get-job.ts'
import { lockJobs } from '../database/lock-jobs.ts'
import { liveSlotRequest, takeSlotOrThrow } from '../unique/take-live-slots.ts'

const optionFields = {
  /** A new expiry in place of the job's: the job is cancelled if it has not started by then. Exclusive with `expiresInMs`. */
  expiresAt: jobFields.expiresAt.optional(),
  /** The same in milliseconds from now. Exclusive with `expiresAt`. */
  expiresInMs: jobFields.expiresInMs.optional(),
}
const optionsSchema = z
  .strictObject(optionFields)
  .refine(({ expiresAt, expiresInMs }) => expiresAt === undefined || expiresInMs === undefined, {
    path: ['expiresInMs'],
    message: 'give an instant or a duration, not both',
  })

/** What a requeue can change of the job. */
export type RequeueOptions = OptionsOf<typeof optionFields>

/** Each further try is needed only where another act on the same job came in between. */
const triesMax = 3

/**
 * Requeues an ended job: attempts 0, due now, no result. The lease token and the crashes stay, so that a stale worker
 * of an earlier attempt still cannot write. Throws `job_not_found`; `InvalidTransition` in other states and where
 * retention has removed the payload; and `invalid_job` where the expiry of the job is past and no later one is given.
 *
 * A job that ended while this call waited for its row is tried again: the statement began before its dead letter
 * existed, cannot see it, and would leave it behind.
 *
 * A job with a unique key of scope `live` needs its key again: `unique_conflict` where another job holds it. A unique
 * key of scope `waiting` ended with the first claim and does not come back.
 */
export async function requeueJob(
  database: ActDatabase,
  id: string,
  options: RequeueOptions = {},
): Promise<Job> {
  const checked = parseOrThrow(optionsSchema, options, 'invalid_job')
  for (let tries = 1; ; tries += 1) {
    const [row] = await database.run(
      requeueStatement(database, id, { options: checked, andCondition: andNotLive }),
    )
    if (row === undefined) throw await notRequeueable(database, id)
    if (row.changed) return decodeJob(row)
    if (row.stripped_at !== null) throw isReceipt(row, 'requeued')
    const hasEnded = (transitions.requeue.from as readonly JobStatus[]).includes(row.status)
    if (hasEnded && !row.in_time) throw expiryIsPast(checked)
    if (hasEnded && row.unique_scope === 'live') {
      return database.transaction((inside) => requeueLive(inside, decodeJob(row), checked))
    }
    if (!hasEnded || tries === triesMax) {
      throw new InvalidTransition({ jobId: id, status: row.status, verb: 'requeued' })
    }
  }
}

async function notRequeueable(database: QueueDatabase, id: string): Promise<QueueError> {
  const job = await archivedJob(database, id)
  return job === undefined
    ? new QueueError('job_not_found', `there is no job ${id}`)
    : new InvalidTransition({ jobId: id, status: job.status, verb: 'requeued' })
}

/** The error for a receipt, whose payload is gone. */
export function isReceipt({ id, status }: Pick<Job, 'id' | 'status'>, verb: string): InvalidTransition {
  const reason = 'retention has removed its payload'
  return new InvalidTransition({ jobId: id, status, verb, reason })
}

function expiryIsPast({ expiresAt }: RequeueOptions): InvalidInput {
  const path = [expiresAt === undefined ? 'expiresInMs' : 'expiresAt']
  const message = 'the expiry of the job is past: give a later one'
  return new InvalidInput('invalid_job', [{ path, message }])
}

/** The same for a job with a unique key of scope `live`, in a transaction that takes its slot. */
async function requeueLive(database: QueueDatabase, job: Job, options: RequeueOptions): Promise<Job> {
  const { id, uniqueKey } = job
  await lockJobs(database, [id])
  if (uniqueKey !== null) await takeSlotOrThrow(database, liveSlotRequest({ ...job, uniqueKey }))
  const [row] = await database.run(requeueStatement(database, id, { options, andCondition: sql`` }))
  if (row === undefined) throw new QueueError('job_not_found', `there is no job ${id}`)
  if (row.changed) return decodeJob(row)
  if (row.stripped_at !== null) throw isReceipt(row, 'requeued')
  if (!row.in_time) throw expiryIsPast(options)
  throw new InvalidTransition({ jobId: id, status: row.status, verb: 'requeued' })
}

const andNotLive = sql` AND target.unique_scope IS DISTINCT FROM 'live'`

function requeueStatement(
  database: QueueDatabase,
  id: string,
  { options, andCondition }: { readonly options: RequeueOptions; readonly andCondition: RawBuilder<unknown> },
): RawBuilder<JobRow & { readonly changed: boolean; readonly in_time: boolean }> {
  const { names } = database
  return sql`
    WITH seen AS MATERIALIZED (
      SELECT j.status, j.lease_token FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid
    ), locked AS MATERIALIZED (
      SELECT j.* FROM ${names.jobs} AS j WHERE j.id = ${id}::uuid${andWithin(database, 'j')} FOR UPDATE
    ), ${clockAfter('locked')}, target AS MATERIALIZED (
      SELECT t.*, coalesce(t.next_expiry > t.at, true) AS in_time
        FROM (SELECT j.*, clock.at, ${expiryOf(options)} AS next_expiry FROM locked AS j CROSS JOIN clock) AS t
    ), changed AS (
      UPDATE ${names.jobs} AS j
         SET status = ${names.status.queued}, attempts = 0, cancel_requested = false, run_at = target.at,
             result = NULL, progress = NULL, progress_message = NULL, finished_at = NULL, updated_at = ${updatedAt(sql`target.at`)},
             expires_at = target.next_expiry, cancel_reason = NULL, ${noLongerWaiting}
        FROM target JOIN seen ON seen.status = target.status AND seen.lease_token = target.lease_token
       WHERE j.id = target.id AND target.status IN (${names.status.failed_permanent}, ${names.status.cancelled})
         AND target.stripped_at IS NULL AND target.in_time${andCondition}
      RETURNING j.*
    ), ${writeWaitingEvents(names, 'changed')}, ${keepForUndo(names, 'target', 'changed')}, removed_dead_letters AS (
      DELETE FROM ${names.deadLetters} AS d USING changed WHERE d.job_id = changed.id
    )
    SELECT true AS changed, true AS in_time, ${jobColumns('c')} FROM changed AS c
    UNION ALL
    SELECT false AS changed, t.in_time, ${jobColumns('t')} FROM target AS t WHERE NOT EXISTS (SELECT FROM changed)`
}

/** The expiry after the requeue: the given one, or that of the job `j`. */
function expiryOf({ expiresAt, expiresInMs }: RequeueOptions): RawBuilder<unknown> {
  if (expiresAt !== undefined) return instantParameter(expiresAt)
  return expiresInMs === undefined
    ? sql`j.expires_at`
    : sql`clock.at + ${expiresInMs}::float8 * interval '1 millisecond'`
}

/**
 * A requeued job no longer waits for its first claim, so it gives up a unique key of scope `waiting`. The key stays in
 * its row: it may still name the slot, which is removed with the job.
 */
export const noLongerWaiting = sql`unique_scope = nullif(j.unique_scope, 'waiting')`
