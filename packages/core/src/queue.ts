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
import { epochMs } from './database/job-row.ts'
import { type CallerTransaction, transactionSession } from './database/session.ts'
import { InvalidInput, QueueError } from './domain/errors.ts'
import type { Execution, Job } from './domain/job.ts'
import type { JobDefinition, JobOptions, JobRequest } from './domain/job-definition.ts'
import { createJobIdGenerator, isJobId } from './domain/job-id.ts'
import { enqueueBatchMax } from './domain/limits.ts'
import { checkSchemaVersion, type SchemaVersion } from './migrations/check-schema-version.ts'
import { getJob } from './reads/get-job.ts'
import { listExecutions } from './reads/list-executions.ts'
import { type JobPage, type ListFilter, listJobs } from './reads/list-jobs.ts'
import { cancelJob, type CancelResult } from './transitions/cancel-job.ts'
import { type Enqueued, enqueueJobs, type IdentifiedRequest } from './transitions/enqueue-jobs.ts'
import { requeueJob } from './transitions/requeue-job.ts'

/** Where an enqueue is written: in the caller's transaction, or at once and on its own when absent. */
export interface EnqueueTarget {
  /** A Kysely transaction or a connected node-postgres client. The job exists when, and only when, it commits. */
  readonly transaction?: CallerTransaction
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
  /** Whether this code may run on the database's schema. */
  checkSchema(): Promise<SchemaVersion>
  /** Closes the pool that was made from a connection string; a caller's own pool stays open. */
  close(): Promise<void>
}

/** How long an insert waits for a stranger's open transaction that holds the same idempotency key. */
const keyLockTimeoutMs = 2_000

/** A queue on a connection string or on the caller's pool. The first operation makes the first connection. */
export function createQueue(options: ConnectOptions): Queue {
  const database = connect(options)
  const clock = createDatabaseClock()
  const mintId = createJobIdGenerator({ databaseNowMs: () => measuredNowMs(clock) })
  const enqueueMany = async (
    requests: readonly JobRequest[],
    target: EnqueueTarget = {},
  ): Promise<Enqueued[]> => {
    assertBatch(requests)
    const place =
      target.transaction === undefined
        ? database
        : databaseOn(transactionSession(target.transaction), database.schema)
    if (clock.nowMs() === undefined) clock.observe(await readDatabaseNow(place))
    const identified = requests.map((request) => ({ ...request, id: mintId() }))
    return target.transaction === undefined
      ? enqueueAlone(database, identified)
      : enqueueJobs(place, identified)
  }
  return {
    database,
    enqueue: async (definition, payload, { transaction, ...jobOptions } = {}) => {
      const request = definition.create(payload, jobOptions)
      const [enqueued] = await enqueueMany([request], transaction === undefined ? {} : { transaction })
      if (enqueued === undefined) throw new Error('an enqueue of one job gave no answer')
      return enqueued
    },
    enqueueMany,
    get: (id) => getJob(database, id),
    list: (filter) => listJobs(database, filter),
    executions: (id) => listExecutions(database, id),
    cancel: async (id) => cancelJob(database, existingId(id)),
    requeue: async (id) => requeueJob(database, existingId(id)),
    checkSchema: () => checkSchemaVersion(database),
    close: () => database.close(),
  }
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
    sql<{ now_ms: number }>`SELECT ${epochMs(sql`clock_timestamp()`)} AS now_ms`,
  )
  if (row === undefined) throw new Error('the database gave no time')
  return row.now_ms
}

/** Text that is no id names no job, and must not reach a uuid column. */
function existingId(id: string): string {
  if (isJobId(id)) return id
  throw new QueueError('job_not_found', `there is no job ${JSON.stringify(id.slice(0, 64))}`)
}
