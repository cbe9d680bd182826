import {
  callerSession,
  type CallerTransaction,
  isRefusal,
  type Session,
  sqlState,
  sqlStateOf,
  type Statement,
  StatementTimeout,
} from '@queue/postgres'
import {
  type CallerDatabase,
  type ConnectedDatabase,
  databaseOn,
  type QueueDatabase,
} from '../database/connect.ts'
import { createIdMint, type MintIds } from '../database/id-mint.ts'
import type { Notification, Notifier } from '../database/notifications.ts'
import { IdempotencyMismatch, InvalidInput, QueueError, UniqueConflict } from '../domain/errors.ts'
import { expiryFaultAt } from '../domain/expiry.ts'
import { createdMsOf } from '../domain/job-id.ts'
import type { JobRequest } from '../domain/job-definition.ts'
import { bytesBeyond } from '../domain/json.ts'
import { enqueueBatchBytesMax, enqueueBatchMax } from '../domain/limits.ts'
import type { FullQueues, Room } from '../flow/full-queues.ts'
import { jobStates } from '../reads/job-states.ts'
import { enqueueNewJobsInside } from '../transitions/enqueue-in-transaction.ts'
import {
  areSomeArchived,
  type Enqueued,
  enqueueJobs,
  enqueueNewJobs,
  findExisting,
} from '../transitions/enqueue-jobs.ts'
import {
  enqueueKeyed,
  enqueueKeyedInside,
  type EnqueueKeyedOptions,
  hasUnique,
  refusedByDatabase,
  type Rejection,
} from '../transitions/enqueue-keyed.ts'
import { type IdentifiedRequest, identify } from '../database/job-input.ts'

/** Where and how an enqueue is written: in the caller's transaction, or, where absent, in one of its own at once. */
export interface EnqueueTarget {
  /**
   * A Kysely transaction, a connected node-postgres client inside BEGIN, or the result of `drizzleTransaction`,
   * `prismaTransaction` or `postgresJsTransaction` for another library's transaction. The job exists exactly if the
   * transaction commits. Anything else is refused with `invalid_options`.
   */
  readonly transaction?: CallerTransaction
  /**
   * Whether workers are notified. Default true; without a notification they find the jobs at their next poll. PostgreSQL
   * refuses `PREPARE TRANSACTION` in a transaction that has notified.
   */
  readonly notify?: boolean
  /**
   * What happens when an idempotency key was already used for a different request. `replay` (default): the original job
   * is returned, marked as a mismatch. `reject`: `IdempotencyMismatch` is thrown and nothing is written; a caller's
   * transaction is then as it was before.
   */
  readonly onMismatch?: 'replay' | 'reject'
  /**
   * What happens when another job holds the unique key of a request with `refuse`. `reject` (default): `UniqueConflict`
   * is thrown and nothing is written; a caller's transaction is then as it was before. `answer`: the holder is returned
   * with the conflict `refused`, and the other requests of the call are written.
   */
  readonly onRefused?: 'reject' | 'answer'
  /**
   * Milliseconds to wait for another open transaction that holds one of the keys, idempotency or unique. Default 2 000.
   * In a caller's transaction, its own settings apply.
   */
  readonly keyLockTimeoutMs?: number
}

/**
 * Writes up to `enqueueBatchMax` jobs with payloads of up to `enqueueBatchBytesMax` in one statement: all or none. The
 * answer has the order of the requests.
 */
export type EnqueueMany = (requests: readonly JobRequest[], target?: EnqueueTarget) => Promise<Enqueued[]>

const keyLockTimeoutMsDefault = 2_000
/** The commit of another enqueue takes less; who holds a key for longer is a transaction of a caller. */
const insertWaitMsMax = 10

/** The database on which an enqueue outside of a caller's transaction works. */
export type EnqueueDatabase = QueueDatabase & Pick<ConnectedDatabase, 'runFollowed' | 'transaction'>

/** What the enqueues of one process share: their ids, and the notifications of workers. */
export interface EnqueueDeps {
  readonly notifier: Notifier
  /** The queues that accept no more jobs. Its clock is used for the ids. */
  readonly full: FullQueues
  readonly mintIds?: MintIds
  /** Returns the answer that the caller may see, or throws where the job may not be shown: nothing is written then. */
  readonly disclose?: ((enqueued: Enqueued) => Enqueued) | undefined
}

/** How an enqueue is written. */
interface CheckedTarget extends EnqueueTarget {
  /** Present where the answer may be refused. */
  readonly check?: AnswerCheck | undefined
}

/** What is refused: the database takes the write back by `rejects` and `isFull`, and `assert` throws the error of the caller. */
interface AnswerCheck extends Required<Pick<EnqueueKeyedOptions, 'rejects' | 'isFull'>> {
  readonly assert: (enqueued: Enqueued[]) => Enqueued[]
}

export function createEnqueue(
  database: EnqueueDatabase,
  { notifier, full, mintIds = createIdMint(full.clock), disclose }: EnqueueDeps,
): EnqueueMany {
  return async (requests, options = {}) => {
    assertBatch(requests)
    const { transaction } = options
    const caller = transaction === undefined ? undefined : databaseInside(transaction, database.schema)
    if (requests.length > 0) await full.refresh(caller)
    const room = full.room()
    room.assertRoom(requests, isNew)
    const target: CheckedTarget = {
      ...options,
      check: hasKeys(requests) ? answerCheck(requests, options, { disclose, room }) : undefined,
    }
    const due = target.notify === false ? [] : requests.filter(isDue)
    const notifications = queueNotifications(due.map((request) => request.queue))
    const withIds = async (session: Session): Promise<IdentifiedRequest[]> =>
      assertExpiries(identify(requests, await mintIds(session, requests.length)))
    if (caller !== undefined) {
      return enqueueInside(caller, await withIds(caller), { notifications, target })
    }
    const identified = await withIds(database)
    const write = (on: EnqueueDatabase): Promise<Enqueued[]> => enqueueOutside(on, identified, target)
    if (target.check === undefined)
      return notifier.carry(notifications, (follower) => write(followedBy(database, follower)))
    const enqueued = await write(database)
    notifier.tell(notifications)
    return enqueued
  }
}

/**
 * The requests, if none of them expires before its start. The ids were just made by the database's clock, so they tell
 * its time.
 */
function assertExpiries(requests: IdentifiedRequest[]): IdentifiedRequest[] {
  if (!requests.some(hasExpiry)) return requests
  const issues = requests.flatMap((request, index) => {
    const fault = expiryFaultAt(request, createdMsOf(request.id))
    if (fault === undefined) return []
    return requests.length === 1 ? [fault] : [{ ...fault, path: ['jobs', index, ...fault.path] }]
  })
  if (issues.length > 0) throw new InvalidInput('invalid_job', issues)
  return requests
}

function hasExpiry({ expiresAt, expiresInMs }: JobRequest): boolean {
  return expiresAt !== null || expiresInMs !== null
}

function databaseInside(transaction: CallerTransaction, schema: string): CallerDatabase {
  const session = callerSession(transaction)
  return { ...databaseOn(session, schema), write: session.write }
}

/** The notifications for these queues, one for each. */
export function queueNotifications(queues: readonly string[]): Notification[] {
  return [...new Set(queues)].map((queue) => ({ type: 'queue', queue }))
}

/** Whether the job is due at once. A poll finds a later job when it is due: a notification now would be useless. */
function isDue(request: JobRequest): boolean {
  return request.runAt === null && (request.delayMs ?? 0) === 0
}

/**
 * A write outside of a caller's transaction. When its reply is lost, it is sent once more with the same ids, and finds
 * the rows of the first write if they were written.
 */
async function enqueueOutside(
  database: EnqueueDatabase,
  requests: readonly IdentifiedRequest[],
  target: CheckedTarget,
): Promise<Enqueued[]> {
  const { check } = target
  const keyed = hasKeys(requests)
  const lockTimeoutMs = keyed ? (target.keyLockTimeoutMs ?? keyLockTimeoutMsDefault) : undefined
  const writeKeyed = async (on: QueueDatabase): Promise<Enqueued[]> =>
    check === undefined
      ? enqueueKeyed(on, requests, { lockTimeoutMs })
      : check.assert(await enqueueKeyed(on, requests, { lockTimeoutMs, ...check }))
  const write = async (): Promise<Enqueued[]> => {
    if (!keyed) return enqueueNewJobs(database, requests)
    return check === undefined ? insertOrWait(database, requests, lockTimeoutMs) : writeKeyed(database)
  }
  const repeat = keyed ? writeKeyed : (on: QueueDatabase) => enqueueJobs(on, requests)
  try {
    return await write().catch((error: unknown) => {
      if (!isLostReply(error)) throw error
      return repeatLost(database, requests, { lost: error, write: repeat })
    })
  } catch (error) {
    throw isRefusal(error) ? refusedByDatabase(sqlStateOf(error), requests.length, error) : error
  }
}

const lockedCodes: ReadonlySet<string> = new Set(['idempotency_key_locked', 'unique_key_locked'])

/**
 * Repeats a write whose reply was `lost`. A refusal would say that nothing was written, which is not true if the first write was
 * and one of its keys was freed and taken since, or if the first write still runs and itself holds the key. The caller then gets
 * the loss instead.
 *
 * A job of the first write may have succeeded and left `jobs`, where its id is then free: the repetition is taken back if one of its
 * jobs has. Whether it has is asked after the insert, which waits for the first write if that is still under way.
 */
async function repeatLost(
  database: EnqueueDatabase,
  requests: readonly IdentifiedRequest[],
  { lost, write }: { readonly lost: unknown; readonly write: (on: QueueDatabase) => Promise<Enqueued[]> },
): Promise<Enqueued[]> {
  const ids = requests.map(({ id }) => id)
  try {
    return await database.transaction(async (inside) => {
      const enqueued = await write(inside)
      if (await areSomeArchived(inside, ids)) throw new AlreadyEnded()
      return enqueued
    })
  } catch (error) {
    if (error instanceof AlreadyEnded) return firstAnswer(database, requests, lost)
    if (error instanceof QueueError && lockedCodes.has(error.code)) throw lost
    const written = await jobStates(database, ids)
    throw written.length > 0 ? lost : error
  }
}

/** Thrown to take back a repetition whose first write has been committed, and one of whose jobs has left `jobs` since. */
class AlreadyEnded extends Error {}

/** The jobs of a write that was committed. Throws `lost` where some are gone: then nobody can tell which jobs they were. */
async function firstAnswer(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  lost: unknown,
): Promise<Enqueued[]> {
  const existing = new Map(await findExisting(database, requests))
  return requests.map(({ id }) => {
    const enqueued = existing.get(id)
    if (enqueued === undefined) throw lost
    return enqueued
  })
}

/**
 * Writes jobs whose idempotency keys are mostly free. The values of a row are made before its insert waits for another
 * transaction that holds its key, so a job would be created before the wait, and its expiry could be past. The insert
 * therefore hardly waits, and the function, which looks at the clock after its waits, does.
 */
async function insertOrWait(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
  lockTimeoutMs: number = keyLockTimeoutMsDefault,
): Promise<Enqueued[]> {
  try {
    return await enqueueJobs(database, requests, { lockTimeoutMs: Math.min(lockTimeoutMs, insertWaitMsMax) })
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'idempotency_key_locked') throw error
    return enqueueKeyed(database, requests, { lockTimeoutMs })
  }
}

/**
 * Whether the effect of the statement is unknown. A statement that the server has cancelled is not sent again, because
 * it would only wait as long again.
 */
function isLostReply(error: unknown): boolean {
  if (!(error instanceof QueueError) || error.code !== 'database_unavailable') return false
  const { cause } = error
  return cause instanceof StatementTimeout ? !cause.answered : sqlStateOf(cause) !== sqlState.queryCanceled
}

/** The check of the answer to a write with keys; undefined where the answer cannot be refused. */
function answerCheck(
  requests: readonly JobRequest[],
  { onMismatch, onRefused }: EnqueueTarget,
  { disclose, room }: Pick<EnqueueDeps, 'disclose'> & { readonly room: Room },
): AnswerCheck | undefined {
  const rejectsRefused = hasUnique(requests) && onRefused !== 'answer'
  const rejects: Rejection[] = [
    ...(disclose === undefined ? [] : (['hidden'] as const)),
    ...(onMismatch === 'reject' ? (['mismatched'] as const) : []),
    ...(rejectsRefused ? (['refused'] as const) : []),
  ]
  if (rejects.length === 0 && !hasUnique(requests) && !requests.some(room.has)) return undefined
  // Mismatches and refusals name the ids of their jobs, so jobs that may not be shown are checked first.
  const asserts = [
    ...(disclose === undefined ? [] : [(enqueued: Enqueued[]) => enqueued.map(disclose)]),
    ...(onMismatch === 'reject' ? [assertNoMismatch] : []),
    assertRoomFor(requests, room),
    ...(rejectsRefused ? [assertNoRefusal] : []),
  ]
  return {
    rejects,
    isFull: room.has,
    assert: (enqueued) => asserts.reduce((passed, assert) => assert(passed), enqueued),
  }
}

/** The database with `follower` sent right behind each frequent statement: behind the inserts, and not behind the lookups. */
function followedBy(database: EnqueueDatabase, follower: Statement<unknown> | undefined): EnqueueDatabase {
  if (follower === undefined) return database
  return {
    ...database,
    run: (statement, frequency) =>
      frequency === 'frequent' ? database.runFollowed(statement, follower) : database.run(statement),
    transaction: async (work) => {
      const result = await database.transaction(work)
      await database.run(follower)
      return result
    },
  }
}

function hasKeys(requests: readonly JobRequest[]): boolean {
  return requests.some(hasKey)
}

/** Whether the answer may be a job that exists already. */
function hasKey({ idempotencyKey, unique }: JobRequest): boolean {
  return idempotencyKey !== null || unique !== null
}

/** Whether the request can only become a new job. */
function isNew(request: JobRequest): boolean {
  return !hasKey(request)
}

/** Checks that full queues get no new jobs. Jobs that exist already are returned all the same. */
function assertRoomFor(requests: readonly JobRequest[], room: Room) {
  return (enqueued: Enqueued[]): Enqueued[] => {
    room.assertRoom(
      requests,
      (_, index) => enqueued[index]?.replayed === false && enqueued[index].conflict === undefined,
    )
    return enqueued
  }
}

/** A write inside the caller's transaction. */
async function enqueueInside(
  caller: CallerDatabase,
  requests: readonly IdentifiedRequest[],
  {
    notifications,
    target: { check },
  }: { readonly notifications: readonly Notification[]; readonly target: CheckedTarget },
): Promise<Enqueued[]> {
  if (!hasKeys(requests)) return enqueueNewJobsInside(caller, requests, notifications)
  const enqueued = await enqueueKeyedInside(caller, requests, { notifications, ...check })
  return check === undefined ? enqueued : check.assert(enqueued)
}

function assertNoMismatch(enqueued: Enqueued[]): Enqueued[] {
  const mismatches = enqueued.flatMap(({ mismatched, job }, index) =>
    mismatched ? [{ index, jobId: job.id }] : [],
  )
  if (mismatches.length > 0) throw new IdempotencyMismatch(mismatches)
  return enqueued
}

function assertNoRefusal(enqueued: Enqueued[]): Enqueued[] {
  const refusals = enqueued.flatMap(({ conflict, job }, index) =>
    conflict === 'refused' ? [{ index, jobId: job.id }] : [],
  )
  if (refusals.length > 0) throw new UniqueConflict(refusals)
  return enqueued
}

function assertBatch(requests: readonly JobRequest[]): void {
  if (requests.length > enqueueBatchMax) {
    refuseBatch(
      `a batch may have at most ${enqueueBatchMax} jobs, and this one has ${requests.length}: send them in several batches`,
    )
  }
  const bytes = bytesBeyond(
    requests.map((request) => request.payloadText),
    enqueueBatchBytesMax,
  )
  if (bytes !== undefined) {
    refuseBatch(
      `the payloads of a batch may have at most ${enqueueBatchBytesMax} bytes, and these have ${bytes}: ` +
        'send them in several batches',
    )
  }
}

function refuseBatch(message: string): never {
  throw new InvalidInput('invalid_job', [{ path: [], message }])
}
