import { sql } from 'kysely'
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
} from './database/connect.ts'
import { createIdMint, type MintIds } from './database/id-mint.ts'
import type { Notification, Notifier } from './database/notifications.ts'
import { IdempotencyMismatch, InvalidInput, QueueError, UniqueConflict } from './domain/errors.ts'
import { expiryFaultAt } from './domain/expiry.ts'
import { createdMsOf } from './domain/job-id.ts'
import type { JobRequest } from './domain/job-definition.ts'
import { bytesBeyond } from './domain/json.ts'
import { enqueueBatchBytesMax, enqueueBatchMax } from './domain/limits.ts'
import type { FullQueues } from './limits/full-queues.ts'
import { enqueueJobsInside, enqueueNewJobsInside } from './transitions/enqueue-in-transaction.ts'
import { type Enqueued, enqueueJobs, enqueueNewJobs } from './transitions/enqueue-jobs.ts'
import { enqueueUniqueInside, enqueueWithin, hasUnique } from './unique/enqueue-unique.ts'
import { type IdentifiedRequest, identify } from './database/job-input.ts'

/** Where and how an enqueue is written: in the caller's transaction, or at once and on its own when absent. */
export interface EnqueueTarget {
  /**
   * A Kysely transaction, a connected node-postgres client that has said BEGIN, or what `drizzleTransaction`,
   * `prismaTransaction` or `postgresJsTransaction` has made of another library's. The job exists when, and only when, it
   * commits. Anything else is refused with `invalid_options`.
   */
  readonly transaction?: CallerTransaction
  /** False leaves the workers to find the jobs at their next poll. Default: they are told. */
  readonly notify?: boolean
  /**
   * What becomes of an idempotency key that is known with another request. `replay` (default): the original job, marked
   * as a mismatch. `reject`: nothing at all is written and `IdempotencyMismatch` is thrown; a caller's transaction is
   * then as it was before.
   */
  readonly onMismatch?: 'replay' | 'reject'
  /**
   * What becomes of a unique key that is held, where the request says `refuse`. `reject` (default): nothing at all is
   * written and `UniqueConflict` is thrown; a caller's transaction is then as it was before. `answer`: the holder, with the
   * conflict `refused`, and the other requests of the call are written.
   */
  readonly onRefused?: 'reject' | 'answer'
  /**
   * Milliseconds to wait for a stranger's open transaction that holds one of the keys, idempotency or unique; default
   * 2 000. In a caller's transaction its own settings hold.
   */
  readonly keyLockTimeoutMs?: number
}

/**
 * Writes up to `enqueueBatchMax` jobs, their payloads up to `enqueueBatchBytesMax`, in one statement: all or none. The
 * answer has the order of the requests.
 */
export type EnqueueMany = (requests: readonly JobRequest[], target?: EnqueueTarget) => Promise<Enqueued[]>

const keyLockTimeoutMsDefault = 2_000

/** Where an enqueue of ours writes. */
export type EnqueueDatabase = QueueDatabase & Pick<ConnectedDatabase, 'runFollowed' | 'transaction'>

/** What the enqueues of one process have in common: it gives the ids, and tells the workers. */
export interface EnqueueDeps {
  readonly notifier: Notifier
  /** What takes no more jobs. Its clock is that of the ids. */
  readonly full: FullQueues
  readonly mintIds?: MintIds
  /** What a caller is told of a job, or an error where that may not be shown: nothing at all is written then. */
  readonly disclose?: ((enqueued: Enqueued) => Enqueued) | undefined
}

/** How an enqueue is written, and what its answer has to pass: where that throws, the write is undone. */
interface CheckedTarget extends EnqueueTarget {
  readonly check?: ((enqueued: Enqueued[]) => Enqueued[]) | undefined
}

export function createEnqueue(
  database: EnqueueDatabase,
  { notifier, full, mintIds = createIdMint(full.clock), disclose }: EnqueueDeps,
): EnqueueMany {
  return async (requests, given = {}) => {
    assertBatch(requests)
    const caller = given.transaction === undefined ? undefined : insideOf(given.transaction, database.schema)
    if (requests.length > 0) await full.refresh(caller)
    full.assertRoom(requests, isNew)
    const target: CheckedTarget = {
      ...given,
      check: hasKeys(requests) ? checkOf(requests, given, { disclose, full }) : undefined,
    }
    const due = target.notify === false ? [] : requests.filter(isDue)
    const notifications = queueNotifications(due.map((request) => request.queue))
    const identified = async (session: Session): Promise<IdentifiedRequest[]> =>
      begunInTime(identify(requests, await mintIds(session, requests.length)))
    if (caller !== undefined) {
      return enqueueInside(caller, await identified(caller), { notifications, target })
    }
    const own = await identified(database)
    const write = (on: EnqueueDatabase): Promise<Enqueued[]> => enqueueAlone(on, own, target)
    if (target.check === undefined)
      return notifier.carry(notifications, (follower) => write(followedBy(database, follower)))
    const enqueued = await write(database)
    notifier.tell(notifications)
    return enqueued
  }
}

/** The requests, of which none expires before it may start: the database's clock has just given the ids. */
function begunInTime(requests: IdentifiedRequest[]): IdentifiedRequest[] {
  if (!requests.some(expires)) return requests
  const issues = requests.flatMap((request, index) => {
    const fault = expiryFaultAt(request, createdMsOf(request.id))
    if (fault === undefined) return []
    return requests.length === 1 ? [fault] : [{ ...fault, path: ['jobs', index, ...fault.path] }]
  })
  if (issues.length > 0) throw new InvalidInput('invalid_job', issues)
  return requests
}

function expires({ expiresAt, expiresInMs }: JobRequest): boolean {
  return expiresAt !== null || expiresInMs !== null
}

function insideOf(transaction: CallerTransaction, schema: string): CallerDatabase {
  const session = callerSession(transaction)
  return { ...databaseOn(session, schema), write: session.write }
}

/** What tells the workers of these queues, each once. */
export function queueNotifications(queues: readonly string[]): Notification[] {
  return [...new Set(queues)].map((queue) => ({ type: 'queue', queue }))
}

/** A job for later is found by the poll when its time has come: waking a worker now would be of no use. */
function isDue(request: JobRequest): boolean {
  return request.runAt === null && (request.delayMs ?? 0) === 0
}

/**
 * A write of our own. When its reply is lost, it is sent once more with the same ids, which finds the first one's rows
 * if they were written.
 */
async function enqueueAlone(
  database: EnqueueDatabase,
  requests: readonly IdentifiedRequest[],
  target: CheckedTarget,
): Promise<Enqueued[]> {
  const { check } = target
  const keyed = hasKeys(requests)
  const options = keyed ? { lockTimeoutMs: target.keyLockTimeoutMs ?? keyLockTimeoutMsDefault } : {}
  const write = (): Promise<Enqueued[]> =>
    check === undefined
      ? enqueueJobs(database, requests, options)
      : database.transaction(async (inside) => check(await enqueueWithin(inside, requests, options)))
  try {
    return await (keyed ? write() : enqueueNewJobs(database, requests)).catch((error: unknown) => {
      if (!isLostReply(error)) throw error
      return write()
    })
  } catch (error) {
    throw isRefusal(error) ? refused(error, requests.length) : error
  }
}

/** Whether nobody knows what became of it. One that the server has ended would only wait for as long again. */
function isLostReply(error: unknown): boolean {
  if (!(error instanceof QueueError) || error.code !== 'database_unavailable') return false
  const { cause } = error
  return cause instanceof StatementTimeout ? !cause.answered : sqlStateOf(cause) !== sqlState.queryCanceled
}

/** What the answer of a write with keys has to pass, which is a transaction therefore; undefined where none can fail. */
function checkOf(
  requests: readonly JobRequest[],
  { onMismatch, onRefused }: EnqueueTarget,
  { disclose, full }: Pick<EnqueueDeps, 'disclose' | 'full'>,
): CheckedTarget['check'] {
  // Mismatches and refusals are told with the ids of their jobs, so what may not be shown is looked for first.
  const checks = [
    ...(disclose === undefined ? [] : [(enqueued: Enqueued[]) => enqueued.map(disclose)]),
    ...(onMismatch === 'reject' ? [withoutMismatch] : []),
    ...(requests.some(full.has) ? [withRoom(requests, full)] : []),
    ...(hasUnique(requests) ? [onRefused === 'answer' ? asTheyAre : withoutRefusal] : []),
  ]
  if (checks.length === 0) return undefined
  return (enqueued) => checks.reduce((passed, check) => check(passed), enqueued)
}

/** A unique key is settled in a transaction, also where no answer can fail. */
function asTheyAre(enqueued: Enqueued[]): Enqueued[] {
  return enqueued
}

/** The database with `follower` right behind each frequent statement: behind the inserts, and not the look-ups. */
function followedBy(database: EnqueueDatabase, follower: Statement<unknown> | undefined): EnqueueDatabase {
  if (follower === undefined) return database
  return {
    ...database,
    run: (statement, frequency) =>
      frequency === 'frequent' ? database.runFollowed(statement, follower) : database.run(statement),
  }
}

/** The database has a rule that ours do not know, a check or a trigger of its owner. It does not say for which row. */
function refused(error: unknown, jobs: number): InvalidInput {
  const what = jobs === 1 ? 'the job' : 'one of the jobs'
  const message = `the database refuses ${what} (SQLSTATE ${sqlStateOf(error)})`
  return new InvalidInput('invalid_job', [{ path: [], message }], { cause: error })
}

function hasKeys(requests: readonly JobRequest[]): boolean {
  return requests.some(hasKey)
}

/** Whether it may be answered with a job that is there already. */
function hasKey({ idempotencyKey, unique }: JobRequest): boolean {
  return idempotencyKey !== null || unique !== null
}

/** Whether it can only become a new job. */
function isNew(request: JobRequest): boolean {
  return !hasKey(request)
}

/** A queue that is full takes no new job. What is there already is answered all the same. */
function withRoom(requests: readonly JobRequest[], full: FullQueues) {
  return (enqueued: Enqueued[]): Enqueued[] => {
    full.assertRoom(
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
    target,
  }: { readonly notifications: readonly Notification[]; readonly target: CheckedTarget },
): Promise<Enqueued[]> {
  if (!hasKeys(requests)) return enqueueNewJobsInside(caller, requests, notifications)
  const { check } = target
  const insert = hasUnique(requests) ? enqueueUniqueInside : enqueueJobsInside
  if (check === undefined) return insert(caller, requests, notifications)
  await caller.run(sql`SAVEPOINT queue_enqueue`)
  try {
    return check(await insert(caller, requests, notifications))
  } catch (error) {
    await caller.run(sql`ROLLBACK TO SAVEPOINT queue_enqueue`)
    throw error
  } finally {
    await caller.run(sql`RELEASE SAVEPOINT queue_enqueue`)
  }
}

function withoutMismatch(enqueued: Enqueued[]): Enqueued[] {
  const mismatches = enqueued.flatMap(({ mismatched, job }, index) =>
    mismatched ? [{ index, jobId: job.id }] : [],
  )
  if (mismatches.length > 0) throw new IdempotencyMismatch(mismatches)
  return enqueued
}

function withoutRefusal(enqueued: Enqueued[]): Enqueued[] {
  const refusals = enqueued.flatMap(({ conflict, job }, index) =>
    conflict === 'refused' ? [{ index, jobId: job.id }] : [],
  )
  if (refusals.length > 0) throw new UniqueConflict(refusals)
  return enqueued
}

function assertBatch(requests: readonly JobRequest[]): void {
  if (requests.length > enqueueBatchMax) {
    refuseBatch(`a batch has at most ${enqueueBatchMax} jobs, and this one has ${requests.length}`)
  }
  const bytes = bytesBeyond(
    requests.map((request) => request.payloadText),
    enqueueBatchBytesMax,
  )
  if (bytes !== undefined) {
    refuseBatch(
      `the payloads of a batch come to at most ${enqueueBatchBytesMax} bytes, and these come to ${bytes}: ` +
        'send them in several batches',
    )
  }
}

function refuseBatch(message: string): never {
  throw new InvalidInput('invalid_job', [{ path: [], message }])
}
