import { sql } from 'kysely'
import type { z } from 'zod'
import { createDatabaseClock, type DatabaseClock } from './database/clock.ts'
import {
  connect,
  type ConnectedDatabase,
  type ConnectOptions,
  databaseOn,
  type QueueDatabase,
} from './database/connect.ts'
import { createNotifier, type Notifier } from './database/notifier.ts'
import { type Hint, notify } from './database/notify.ts'
import { epochMs, type Numeric } from './database/job-row.ts'
import { type CallerTransaction, transactionSession } from './database/session.ts'
import { InvalidInput, QueueError } from './domain/errors.ts'
import type { Execution, Job } from './domain/job.ts'
import type { JobDefinition, JobOptions, JobRequest } from './domain/job-definition.ts'
import { createJobIdGenerator, isJobId } from './domain/job-id.ts'
import { enqueueBatchMax } from './domain/limits.ts'
import { checkSchemaVersion, type SchemaVersion } from './migrations/check-schema-version.ts'
import {
  countDeadLetters,
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterSelection,
  getDeadLetter,
  listDeadLetters,
} from './reads/dead-letters.ts'
import { getJob } from './reads/get-job.ts'
import { listExecutions } from './reads/list-executions.ts'
import { listWorkers, type WorkerInfo } from './reads/list-workers.ts'
import { type QueueStats, queueStats } from './reads/queue-stats.ts'
import { type JobPage, type ListFilter, listJobs } from './reads/list-jobs.ts'
import { cancelJob, type CancelResult } from './transitions/cancel-job.ts'
import { deleteDeadLetter } from './transitions/delete-dead-letter.ts'
import { pauseQueue, type QueueState, resumeQueue } from './transitions/pause-queue.ts'
import { requeueDeadLetter, requeueDeadLetters } from './transitions/requeue-dead-letters.ts'
import { type Enqueued, enqueueJobs, type IdentifiedRequest } from './transitions/enqueue-jobs.ts'
import { requeueJob } from './transitions/requeue-job.ts'

/** The dead letters of the queue. */
export interface DeadLetters {
  /** One page, the last buried first. */
  list(filter?: DeadLetterFilter): Promise<DeadLetterPage>
  /** The dead letter, or undefined when there is none. */
  get(id: string): Promise<DeadLetter | undefined>
  /** How many a `requeueMany` of this selection would take now: its dry run. */
  count(selection?: DeadLetterSelection): Promise<number>
  /** Requeues the job of one letter and removes the letter. Throws `dead_letter_not_found`. */
  requeue(id: string): Promise<Job>
  /** Requeues up to `requeueBatchMax` at a time, the longest buried first; a full answer means: call again. */
  requeueMany(selection?: DeadLetterSelection): Promise<Job[]>
  /** Removes one letter and leaves its job failed. Throws `dead_letter_not_found`. */
  delete(id: string): Promise<void>
}

/** Where an enqueue is written: in the caller's transaction, or at once and on its own when absent. */
export interface EnqueueTarget {
  /** A Kysely transaction or a connected node-postgres client. The job exists when, and only when, it commits. */
  readonly transaction?: CallerTransaction
  /** False leaves the workers to find the jobs at their next poll. Default: they are told. */
  readonly notify?: boolean
}

/** The queue as other services see it. */
export interface Queue {
  readonly database: ConnectedDatabase
  /**
   * Writes one job. Throws `InvalidInput` when payload or options are wrong, `idempotency_key_locked` when an open
   * transaction elsewhere holds the key, `database_unavailable` when it is unknown whether the job was written:
   * an enqueue with an idempotency key is then safe to repeat.
   */
  enqueue<Kind extends string, Payload extends z.ZodType>(
    definition: JobDefinition<Kind, Payload>,
    payload: z.input<Payload>,
    options?: JobOptions & EnqueueTarget,
  ): Promise<Enqueued>
  /** Writes up to `enqueueBatchMax` jobs in one statement: all or none. The answer has the order of the requests. */
  enqueueMany(requests: readonly JobRequest[], target?: EnqueueTarget): Promise<Enqueued[]>
  /** The job, or undefined when there is none. */
  get(id: string): Promise<Job | undefined>
  /** One page of jobs, newest first. */
  list(filter?: ListFilter): Promise<JobPage>
  /** The ended attempts of a job, oldest first; undefined when there is no such job. */
  executions(id: string): Promise<Execution[] | undefined>
  /** Cancels a waiting job at once and asks for the cancel of a running one. Throws `job_not_found`. */
  cancel(id: string): Promise<CancelResult>
  /** Gives a failed or cancelled job a new life. Throws `job_not_found`, or `InvalidTransition` in other states. */
  requeue(id: string): Promise<Job>
  readonly deadLetters: DeadLetters
  /** Stops claims from a queue: none commits after this has answered. Throws `queue_not_found`. */
  pause(name: string): Promise<QueueState>
  /** Lets a paused queue go on. Throws `queue_not_found`. */
  resume(name: string): Promise<QueueState>
  /** Every queue with its live jobs, by name. */
  queues(): Promise<QueueStats[]>
  /** The workers of the last day, active ones first. */
  workers(): Promise<WorkerInfo[]>
  /** Whether this code may run on the database's schema. */
  checkSchema(): Promise<SchemaVersion>
  /** Waits for notifications under way, and closes the pool that was made from a connection string; a caller's own pool stays open. */
  close(): Promise<void>
}

/** How long an insert waits for a stranger's open transaction that holds the same idempotency key. */
const keyLockTimeoutMs = 2_000

/** A queue on a connection string or on the caller's pool. The first operation makes the first connection. */
export function createQueue(options: ConnectOptions): Queue {
  const database = connect(options)
  const notifier = createNotifier(database)
  const enqueueMany = createEnqueue(database, notifier)
  return {
    database,
    enqueue: async (definition, payload, { transaction, notify: isNotified, ...jobOptions } = {}) => {
      const request = definition.create(payload, jobOptions)
      const target = { ...(transaction && { transaction }), ...(isNotified === false && { notify: false }) }
      const [enqueued] = await enqueueMany([request], target)
      if (enqueued === undefined) throw new Error('an enqueue of one job gave no answer')
      return enqueued
    },
    enqueueMany,
    get: (id) => getJob(database, id),
    list: (filter) => listJobs(database, filter),
    executions: (id) => listExecutions(database, id),
    cancel: async (id) => {
      const result = await cancelJob(database, existingId(id))
      if (result.outcome === 'requested') notifier.tell([{ type: 'cancel', jobId: result.job.id }])
      return result
    },
    requeue: async (id) => tellQueues(notifier, [await requeueJob(database, existingId(id))])[0] as Job,
    deadLetters: deadLettersOf(database, notifier),
    pause: (name) => pauseQueue(database, name),
    resume: async (name) => {
      const state = await resumeQueue(database, name)
      notifier.tell([{ type: 'queue', queue: name }])
      return state
    },
    queues: () => queueStats(database),
    workers: () => listWorkers(database),
    checkSchema: () => checkSchemaVersion(database),
    close: async () => {
      await notifier.drained()
      await database.close()
    },
  }
}

function deadLettersOf(database: QueueDatabase, notifier: Notifier): DeadLetters {
  return {
    list: (filter) => listDeadLetters(database, filter),
    get: (id) => getDeadLetter(database, id),
    count: (selection = {}) => countDeadLetters(database, selection),
    requeue: async (id) => tellQueues(notifier, [await requeueDeadLetter(database, id)])[0] as Job,
    requeueMany: async (selection = {}) =>
      tellQueues(notifier, await requeueDeadLetters(database, selection)),
    delete: (id) => deleteDeadLetter(database, id),
  }
}

/** Tells the workers of these jobs' queues, and gives the jobs on. */
function tellQueues(notifier: Notifier, jobs: Job[]): Job[] {
  notifier.tell(queueHints(jobs.map((job) => job.queue)))
  return jobs
}

function queueHints(queues: readonly string[]): Hint[] {
  return [...new Set(queues)].map((queue) => ({ type: 'queue', queue }))
}

function createEnqueue(database: QueueDatabase, notifier: Notifier): Queue['enqueueMany'] {
  const clock = createDatabaseClock()
  const mintId = createJobIdGenerator({ databaseNowMs: () => measuredNowMs(clock) })
  return async (requests, { transaction, notify: isNotified = true } = {}) => {
    assertBatch(requests)
    const place =
      transaction === undefined ? database : databaseOn(transactionSession(transaction), database.schema)
    if (clock.nowMs() === undefined) clock.observe(await readDatabaseNow(place))
    const identified = requests.map((request) => ({ ...request, id: mintId() }))
    const hints = isNotified ? queueHints(identified.filter(isDue).map((request) => request.queue)) : []
    if (transaction === undefined) {
      const enqueued = await enqueueAlone(database, identified)
      notifier.tell(hints)
      return enqueued
    }
    const enqueued = await enqueueJobs(place, identified)
    await notify(place, hints)
    return enqueued
  }
}

/** A job for later is found by the poll when its time has come: waking a worker now would be of no use. */
function isDue(request: JobRequest): boolean {
  return request.runAt === null && (request.delayMs ?? 0) === 0
}

/**
 * One statement of our own. When its reply is lost it is sent once more with the same ids, which finds the first
 * one's rows if they were written.
 */
async function enqueueAlone(
  database: QueueDatabase,
  requests: readonly IdentifiedRequest[],
): Promise<Enqueued[]> {
  const options = requests.some((request) => request.idempotencyKey !== null)
    ? { lockTimeoutMs: keyLockTimeoutMs }
    : {}
  try {
    return await enqueueJobs(database, requests, options)
  } catch (error) {
    if (!(error instanceof QueueError) || error.code !== 'database_unavailable') throw error
    return enqueueJobs(database, requests, options)
  }
}

function assertBatch(requests: readonly JobRequest[]): void {
  if (requests.length <= enqueueBatchMax) return
  throw new InvalidInput('invalid_job', [
    { path: [], message: `a batch has at most ${enqueueBatchMax} jobs, and this one has ${requests.length}` },
  ])
}

function measuredNowMs(clock: DatabaseClock): number {
  const now = clock.nowMs()
  if (now === undefined) throw new Error('an id was minted before the database clock was read')
  return now
}

async function readDatabaseNow(database: QueueDatabase): Promise<number> {
  const [row] = await database.run(
    sql<{ now_ms: Numeric }>`SELECT ${epochMs(sql`clock_timestamp()`)} AS now_ms`,
  )
  if (row === undefined) throw new Error('the database gave no time')
  return Number(row.now_ms)
}

/** Text that is no id names no job, and must not reach a uuid column. */
function existingId(id: string): string {
  if (isJobId(id)) return id
  throw new QueueError('job_not_found', `there is no job ${JSON.stringify(id.slice(0, 64))}`)
}
