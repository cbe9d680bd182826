import type { z } from 'zod'
import { type SchemaVersion, toRefused } from '@queue/postgres'
import { isKeyId } from './access/api-key-text.ts'
import { type KeyInfo, listKeys } from './access/list-keys.ts'
import { revokeKey } from './access/revoke-key.ts'
import {
  connect,
  type ConnectedDatabase,
  type ConnectOptions,
  type QueueDatabase,
} from './database/connect.ts'
import { createNotifier, type Notifier } from './database/notifications.ts'
import { QueueError } from './domain/errors.ts'
import type { Execution, Job } from './domain/job.ts'
import type { JobDefinition, JobOptions, JobRequest } from './domain/job-definition.ts'
import { isJobId } from './domain/job-id.ts'
import { createEnqueue, type EnqueueMany, type EnqueueTarget, queueNotifications } from './enqueue.ts'
import { type EnqueueTracing, traceEnqueues } from './enqueue-tracing.ts'
import { checkSchemaVersion } from './migrations/index.ts'
import {
  countDeadLetters,
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterSelection,
  getDeadLetter,
  listDeadLetters,
} from './dead-letters/dead-letters.ts'
import { getJob } from './reads/get-job.ts'
import { type JobState, jobStates } from './reads/job-states.ts'
import { listExecutions } from './reads/list-executions.ts'
import { listWorkers, type WorkerInfo } from './workers/list-workers.ts'
import {
  listQueues,
  type QueuePage,
  type QueuePageQuery,
  type QueueStats,
  queueStats,
} from './queues/queue-stats.ts'
import { type JobPage, type ListFilter, listJobs } from './reads/list-jobs.ts'
import { cancelJob, type CancelResult } from './transitions/cancel-job.ts'
import { deleteDeadLetter } from './dead-letters/delete-dead-letter.ts'
import { pauseQueue, type QueueState, resumeQueue } from './queues/pause-queue.ts'
import { requeueDeadLetter, requeueDeadLetters } from './transitions/requeue-dead-letters.ts'
import type { Enqueued } from './transitions/enqueue-jobs.ts'
import { requeueJob } from './transitions/requeue-job.ts'

/** The keys of the HTTP API. Making one is for the owner of the tables: `migrate keys create`. */
export interface Keys {
  /** Every key that was ever made, the newest first. */
  list(): Promise<KeyInfo[]>
  /** Revokes a key for good: every API refuses it within a second. Throws `key_not_found`. */
  revoke(id: string): Promise<void>
}

/** The dead letters of the queue. */
export interface DeadLetters {
  /** One page, the latest first. */
  list(filter?: DeadLetterFilter): Promise<DeadLetterPage>
  /** The dead letter, or undefined when there is none. */
  get(id: string): Promise<DeadLetter | undefined>
  /** How many a `requeueMany` of this selection would take now: its dry run. */
  count(selection?: DeadLetterSelection): Promise<number>
  /** Requeues the job of one dead letter and removes the dead letter. Throws `dead_letter_not_found`. */
  requeue(id: string): Promise<Job>
  /** Requeues up to `requeueBatchMax` at a time, the oldest first; a full answer means: call again. */
  requeueMany(selection?: DeadLetterSelection): Promise<Job[]>
  /** Removes one dead letter and leaves its job failed. Throws `dead_letter_not_found`. */
  delete(id: string): Promise<void>
}

/**
 * The queue as other services see it. What changes a job, a dead letter or a queue throws `refused` where a check or
 * trigger of the database's owner forbids it (the `cause` is PostgreSQL's error).
 */
export interface Queue {
  readonly database: ConnectedDatabase
  /**
   * Writes one job. Throws `InvalidInput` when payload or options are wrong, or when a check or trigger on the table
   * refuses the row (the `cause` is PostgreSQL's error), `idempotency_key_locked` when an open
   * transaction elsewhere holds the key, `database_unavailable` when it is unknown whether the job was written:
   * an enqueue with an idempotency key is then safe to repeat.
   */
  enqueue<Kind extends string, Payload extends z.ZodType>(
    definition: JobDefinition<Kind, Payload>,
    payload: z.input<Payload>,
    options?: JobOptions & EnqueueTarget,
  ): Promise<Enqueued>
  /**
   * Writes up to `enqueueBatchMax` jobs, their payloads up to `enqueueBatchBytesMax`, in one statement: all or none. The
   * answer has the order of the requests.
   */
  readonly enqueueMany: EnqueueMany
  /** The job, or undefined when there is none. */
  get(id: string): Promise<Job | undefined>
  /** The states of these jobs, without their documents, in no order; those that are not there are left out. */
  states(ids: readonly string[]): Promise<JobState[]>
  /** One page of jobs, newest first. */
  list(filter?: ListFilter): Promise<JobPage>
  /** The ended attempts of a job, oldest first; undefined when there is no such job. */
  executions(id: string): Promise<Execution[] | undefined>
  /** Cancels a waiting job at once and asks for the cancel of a running one. Throws `job_not_found`. */
  cancel(id: string): Promise<CancelResult>
  /** Gives a failed or cancelled job a new life. Throws `job_not_found`, or `InvalidTransition` in other states. */
  requeue(id: string): Promise<Job>
  readonly deadLetters: DeadLetters
  readonly keys: Keys
  /** Stops claims from a queue: none commits after this has answered. Throws `queue_not_found`. */
  pause(name: string): Promise<QueueState>
  /** Lets a paused queue go on. Throws `queue_not_found`. */
  resume(name: string): Promise<QueueState>
  /** Every queue with its live jobs, by name. */
  queues(): Promise<QueueStats[]>
  /** One page of them. */
  listQueues(query?: QueuePageQuery): Promise<QueuePage>
  /** The workers of the last hour, active ones first. */
  workers(): Promise<WorkerInfo[]>
  /** Whether this code may run on the database's schema. */
  checkSchema(): Promise<SchemaVersion>
  /** Waits for notifications under way, and closes the pool that was made from a connection string; a caller's own pool stays open. */
  close(): Promise<void>
}

export type QueueOptions = ConnectOptions & {
  /** Makes every enqueue an operation of a trace; absent: none. */
  readonly tracing?: EnqueueTracing
}

/** A queue on a connection string or on the caller's pool. The first operation makes the first connection. */
export function createQueue(options: QueueOptions): Queue {
  const database = connect(options)
  const notifier = createNotifier(database)
  const enqueueMany = traceEnqueues(createEnqueue(database, notifier), options.tracing)
  return {
    database,
    enqueue: async (definition, payload, given) => {
      const [enqueued] = await enqueueMany([requestOf(definition, payload, given)], given)
      if (enqueued === undefined) throw new Error('an enqueue of one job gave no answer')
      return enqueued
    },
    enqueueMany,
    get: (id) => getJob(database, id),
    states: (ids) => jobStates(database, ids),
    list: (filter) => listJobs(database, filter),
    executions: (id) => listExecutions(database, id),
    cancel: async (id) => {
      const result = await orRefused(cancelJob(database, existingId(id)))
      if (result.outcome === 'requested') notifier.tell([{ type: 'cancel', jobId: result.job.id }])
      return result
    },
    requeue: async (id) =>
      tellQueues(notifier, [await orRefused(requeueJob(database, existingId(id)))])[0] as Job,
    deadLetters: deadLettersOf(database, notifier),
    keys: keysOf(database),
    pause: (name) => orRefused(pauseQueue(database, name)),
    resume: async (name) => {
      const state = await orRefused(resumeQueue(database, name))
      notifier.tell([{ type: 'queue', queue: name }])
      return state
    },
    queues: () => queueStats(database),
    listQueues: (query) => listQueues(database, query),
    workers: () => listWorkers(database),
    checkSchema: () => checkSchemaVersion(database),
    close: async () => {
      await notifier.drained()
      await database.close()
    },
  }
}

/** The request without what is the enqueue's and not the job's. */
function requestOf<Kind extends string, Payload extends z.ZodType>(
  definition: JobDefinition<Kind, Payload>,
  payload: z.input<Payload>,
  given: (JobOptions & EnqueueTarget) | undefined,
): JobRequest {
  if (given === undefined) return definition.create(payload)
  const { transaction: _t, notify: _n, onMismatch: _m, keyLockTimeoutMs: _k, ...options } = given
  return definition.create(payload, options)
}

function keysOf(database: QueueDatabase): Keys {
  return {
    list: () => listKeys(database),
    revoke: async (id) => {
      const known = isKeyId(id) && (await orRefused(revokeKey(database, id)))
      if (!known) throw new QueueError('key_not_found', 'there is no key with this id')
    },
  }
}

function deadLettersOf(database: QueueDatabase, notifier: Notifier): DeadLetters {
  return {
    list: (filter) => listDeadLetters(database, filter),
    get: (id) => getDeadLetter(database, id),
    count: (selection = {}) => countDeadLetters(database, selection),
    requeue: async (id) => tellQueues(notifier, [await orRefused(requeueDeadLetter(database, id))])[0] as Job,
    requeueMany: async (selection = {}) =>
      tellQueues(notifier, await orRefused(requeueDeadLetters(database, selection))),
    delete: (id) => orRefused(deleteDeadLetter(database, id)),
  }
}

/** A change that an operator asked for. The database's owner may forbid it by a check or a trigger: `refused`. */
function orRefused<Result>(change: Promise<Result>): Promise<Result> {
  return change.catch((error: unknown) => {
    throw toRefused(error)
  })
}

/** Tells the workers of these jobs' queues, and gives the jobs on. */
function tellQueues(notifier: Notifier, jobs: Job[]): Job[] {
  notifier.tell(queueNotifications(jobs.map((job) => job.queue)))
  return jobs
}

/** Text that is no id names no job, and must not reach a uuid column. */
function existingId(id: string): string {
  if (isJobId(id)) return id
  throw new QueueError('job_not_found', `there is no job ${JSON.stringify(id.slice(0, 64))}`)
}
