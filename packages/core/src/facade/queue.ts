import type { z } from 'zod'
import {
  assertArguments,
  assertKnownOptions,
  callback,
  checkedMethods,
  optional,
  type ParametersOf,
} from '@queue/loop/arguments'
import { connectionOptions, type SchemaVersion } from '@queue/postgres'
import { type KeyInfo, listKeys } from '../access/list-keys.ts'
import { type Acts, createActs, type DeadLetterActs, type KeyActs, type KindActs } from '../acts/acts.ts'
import { performing, performingAs } from '../audit/perform.ts'
import type { Actor } from '../domain/actor.ts'
import { type AuditFilter, type AuditPage, listAuditEntries } from '../audit/list-audit-entries.ts'
import { connect, type ConnectOptions, type QueueDatabase } from '../database/connect.ts'
import { createNotifier } from '../database/notifications.ts'
import type { Execution, Job } from '../domain/job.ts'
import {
  type JobDefinition,
  type JobOptions,
  type JobRequest,
  parseOrThrow,
} from '../domain/job-definition.ts'
import { createEnqueue, type EnqueueMany, type EnqueueTarget } from '../enqueue/enqueue.ts'
import { type EnqueueTracing, traceEnqueues, tracingRule } from '../enqueue/enqueue-tracing.ts'
import { withInternals } from '../enqueue/queue-internals.ts'
import { checkSchemaVersion } from '../migrations/index.ts'
import {
  countDeadLetters,
  type DeadLetter,
  type DeadLetterFilter,
  type DeadLetterPage,
  type DeadLetterSelection,
  getDeadLetter,
  listDeadLetters,
} from '../reads/dead-letters.ts'
import { type ErrorFilter, type ErrorPage, listErrors } from '../insight/list-errors.ts'
import { getJob } from '../reads/get-job.ts'
import { createJobCounter } from '../insight/job-counter.ts'
import { type Attention, readAttention } from '../insight/attention.ts'
import { type ExpectedStart, expectedStart } from '../insight/expected-start.ts'
import { type Why, whyNotStarted } from '../insight/why.ts'
import { readStats, type Stats, type StatsQuery } from '../insight/read-stats.ts'
import { type JobState, jobStates } from '../reads/job-states.ts'
import { createFullQueues } from '../flow/full-queues.ts'
import { limitReads, type Limits } from '../flow/limit-acts.ts'
import { listExecutions } from '../reads/list-executions.ts'
import { createEndWaits, type WaitForOptions } from '../reads/wait-for-end.ts'
import { listLogs, type LogFilter, type LogPage } from '../insight/list-logs.ts'
import { listWorkers, type WorkerInfo } from '../workers/list-workers.ts'
import {
  listQueues,
  type QueuePage,
  type QueuePageQuery,
  type QueueStats,
  queueStats,
} from '../flow/queue-stats.ts'
import { queueKeys, type QueueKeys, type QueueKeysQuery } from '../flow/queue-keys.ts'
import { type JobPage, type ListFilter, listJobs } from '../reads/list-jobs.ts'
import { operationReads, type Operations } from '../acts/many-acts.ts'
import { scheduleReads, type Schedules } from '../schedules/schedules.ts'
import { registrationsOf } from '../kinds/kind-registration.ts'
import { countKindWorkers, type KindInfo, listKinds } from '../kinds/list-kinds.ts'
import { type RegisterOptions, registerOptionsSchema } from '../kinds/register-policy.ts'
import type { RegisteredKind } from '../kinds/register-kinds.ts'
import {
  assertEnqueueOptions,
  assertEnqueueTarget,
  checkedEnqueueMany,
  enqueueParameters,
} from '../enqueue/enqueue-parameters.ts'
import { assertActor, assertWaitOptions, queueParameters } from './parameters.ts'
import type { Enqueued } from '../transitions/enqueue-jobs.ts'

/** The API keys. Only the owner of the tables can create one: `queue keys create`. */
export interface Keys extends KeyActs {
  /** All keys, including expired and revoked ones, newest first. */
  list(): Promise<KeyInfo[]>
}

/** The registered kinds. */
export interface Kinds extends KindActs {
  /** All versions of all kinds, or of one kind, by kind and version. */
  list(kind?: string): Promise<KindInfo[]>
  /** The number of live workers that run each of these versions of a kind, by version. */
  countWorkers(kind: string, versions: readonly number[]): Promise<ReadonlyMap<number, number>>
}

/** The dead letters of the queue. */
export interface DeadLetters extends DeadLetterActs {
  /** One page of dead letters, newest first. */
  list(filter?: DeadLetterFilter): Promise<DeadLetterPage>
  /** The dead letter; undefined when there is none. */
  get(id: string): Promise<DeadLetter | undefined>
  /** How many jobs a `requeueMany` with this selection would requeue now. */
  count(selection?: DeadLetterSelection): Promise<number>
}

/** The audit log: who has changed what. */
export interface AuditLog {
  /** One page of entries, newest first. */
  list(filter?: AuditFilter): Promise<AuditPage>
}

/** The queue for applications. */
export interface Queue extends Acts {
  /**
   * Writes one job. Throws `InvalidInput` when payload or options are invalid, or when a check or a trigger on the
   * table refuses the row (the `cause` is PostgreSQL's error); `idempotency_key_locked` or `unique_key_locked` when
   * another open transaction holds the key; `database_unavailable` when it is unknown whether the job was written: an
   * enqueue with an idempotency key can then be repeated safely; and `QueueFull` when a `maxWaiting` limit refuses it.
   */
  enqueue<Kind extends string, Payload extends z.ZodType>(
    definition: JobDefinition<Kind, Payload>,
    payload: z.input<Payload>,
    options?: JobOptions & EnqueueTarget,
  ): Promise<Enqueued>
  /**
   * Writes up to `enqueueBatchMax` jobs with payloads of up to `enqueueBatchBytesMax` in one statement: all or none.
   * The answer has the order of the requests.
   */
  readonly enqueueMany: EnqueueMany
  /** The job; undefined when there is none. */
  get(id: string): Promise<Job | undefined>
  /** The states of these jobs without their documents, in no particular order. Jobs that do not exist are left out. */
  states(ids: readonly string[]): Promise<JobState[]>
  /**
   * Waits until a job has ended, and returns it, even if it failed. It holds no connection and no transaction while it waits, and
   * all waits of a queue share their statements. Throws `WaitTimeoutError` if the job has not ended within `timeoutMs`,
   * `job_not_found` if there is no such job or it was deleted, the reason of `signal`, and `database_unavailable` after
   * `close()` or a long outage.
   */
  waitFor(job: string | Job, options?: WaitForOptions): Promise<Job>
  /** One page of jobs, newest first. */
  list(filter?: ListFilter): Promise<JobPage>
  /** The ended attempts of a job, oldest first; undefined where there is no such job. */
  executions(id: string): Promise<Execution[] | undefined>
  /** One page of the lines that a job's handler has logged, in order; undefined where there is no such job. */
  logs(id: string, filter?: LogFilter): Promise<LogPage | undefined>
  /** One page of error groups; with `from` those of a time range, with the trend of each. */
  errors(filter?: ErrorFilter): Promise<ErrorPage>
  /**
   * What happened to jobs over time, by minute, hour or day: how many, and how long they waited and ran. From the
   * counts of processes, without those of the last ten seconds.
   */
  stats(query?: StatsQuery): Promise<Stats>
  /** The expected start of a waiting job, estimated from the last minutes; undefined where there is no such job. */
  expectedStart(id: string): Promise<ExpectedStart | undefined>
  /** Why a job does not start, and how each reason ends; undefined where there is no such job. */
  why(id: string): Promise<Why | undefined>
  /** The conditions that need attention now, the most severe first: those of the alerts that can be checked in the database. */
  attention(): Promise<Attention[]>
  readonly deadLetters: DeadLetters
  readonly operations: Operations
  readonly limits: Limits
  readonly schedules: Schedules
  readonly keys: Keys
  /** The acts on behalf of an actor. Each writes who did it into the audit log, in one transaction with what it changes. */
  actAs(actor: Actor): Acts
  readonly audit: AuditLog
  /**
   * Registers the kinds of these definitions, which the API then accepts: at most 100 versions. A changed schema
   * replaces the previous one, unless there are jobs with that version (`KindConflictError`); with `changes: 'replace'`
   * it always does. A registration that was replaced or retired does not come back, except with `restore: true`.
   */
  register(definitions: readonly JobDefinition[], options?: RegisterOptions): Promise<RegisteredKind[]>
  readonly kinds: Kinds
  /** All queues with counts of their live jobs, by name. */
  queues(): Promise<QueueStats[]>
  /** One page of the queues. */
  listQueues(query?: QueuePageQuery): Promise<QueuePage>
  /** The keys of a queue with the most waiting jobs, with the limits of each. */
  queueKeys(name: string, query?: QueueKeysQuery): Promise<QueueKeys>
  /** The workers of the last hour, active ones first. */
  workers(): Promise<WorkerInfo[]>
  /** Whether this release can run on the database's schema. */
  checkSchema(): Promise<SchemaVersion>
  /**
   * Ends every `waitFor`, waits for notifications under way, and closes the pool that was made from a connection string. A caller's own pool
   * stays open.
   */
  close(): Promise<void>
}

export type QueueOptions = ConnectOptions & {
  /** Makes every enqueue an operation of a trace; absent: none is. */
  readonly tracing?: EnqueueTracing
  /** Called with the name of the queue for each enqueue that `maxWaiting` refuses. */
  readonly onRefused?: (queue: string) => void
}

const ownRules = { tracing: tracingRule, onRefused: optional(callback) }

/**
 * A queue on a connection string or on the caller's pool. The first operation opens the first connection. Throws
 * `invalid_options` for an option that it does not have.
 */
export function createQueue(options: QueueOptions): Queue {
  assertKnownOptions('createQueue', options, { ...connectionOptions, tracing: true, onRefused: true })
  assertArguments('createQueue', ownRules, [options.tracing, options.onRefused])
  const database = connect(options)
  const notifier = createNotifier(database)
  const full = createFullQueues(database, { onRefused: options.onRefused })
  const counter = createJobCounter({ database })
  const effects = { notifier, full, counter }
  const acts = createActs(performing(database), effects)
  const enqueueMany = traceEnqueues(createEnqueue(database, { notifier, full }), options.tracing)
  const waits = createEndWaits(database)
  const queue: Queue = {
    enqueue: async (definition, payload, enqueueOptions) => {
      const request = requestOf(definition, payload, enqueueOptions)
      const [enqueued] = await enqueueMany([request], enqueueOptions)
      if (enqueued === undefined) throw new Error('an enqueue of one job returned nothing')
      return enqueued
    },
    enqueueMany: checkedEnqueueMany(enqueueMany),
    ...jobReads(database),
    waitFor: async (job, waitOptions = {}) => {
      assertWaitOptions(waitOptions)
      return waits.waitFor(job, waitOptions)
    },
    ...acts,
    deadLetters: { ...acts.deadLetters, ...deadLetterReads(database) },
    limits: { ...acts.limits, ...limitReads(database) },
    schedules: { ...acts.schedules, ...scheduleReads(database) },
    keys: { ...acts.keys, list: () => listKeys(database) },
    operations: operationReads(database),
    actAs: (actor) => {
      assertActor(actor)
      return checkedMethods(
        'queue',
        createActs(performingAs(database, actor), effects, actor),
        queueParameters,
      )
    },
    audit: { list: (filter) => listAuditEntries(database, filter) },
    register: async (definitions, registerOptions = {}) => {
      const policy = parseOrThrow(registerOptionsSchema, registerOptions, 'invalid_options')
      return acts.kinds.register(definitions.flatMap(registrationsOf), policy)
    },
    kinds: {
      ...acts.kinds,
      list: (kind) => listKinds(database, kind),
      countWorkers: (kind, versions) => countKindWorkers(database, kind, versions),
    },
    attention: () => readAttention(database),
    queues: () => queueStats(database),
    listQueues: (query) => listQueues(database, query),
    queueKeys: (name, query) => queueKeys(database, name, query),
    workers: () => listWorkers(database),
    checkSchema: () => checkSchemaVersion(database),
    close: async () => {
      await Promise.all([waits.close(), notifier.drained(), counter.drained()])
      await database.close()
    },
  }
  return withInternals(checkedMethods('queue', queue, queueParameters), { database, counter, full })
}

/** The functions whose arguments are checked here. Enqueues check their own, because that must cost nothing. */
type Checked = Omit<Queue, 'enqueue' | 'enqueueMany' | 'actAs' | 'close'>

/** What these functions take: a new member of the queue does not compile without its line there. */
queueParameters satisfies ParametersOf<Checked>

/** The reads of jobs: of all jobs, or of those in the scope of `database`. */
export type JobReads = Pick<
  Queue,
  'get' | 'states' | 'list' | 'executions' | 'logs' | 'errors' | 'stats' | 'expectedStart' | 'why'
>

export function jobReads(database: QueueDatabase): JobReads {
  return {
    get: (id) => getJob(database, id),
    states: (ids) => jobStates(database, ids),
    list: (filter) => listJobs(database, filter),
    executions: (id) => listExecutions(database, id),
    errors: (filter) => listErrors(database, filter),
    logs: (id, filter) => listLogs(database, id, filter),
    stats: (query) => readStats(database, query),
    expectedStart: (id) => expectedStart(database, id),
    why: (id) => whyNotStarted(database, id),
  }
}

/** The request of an enqueue, without the options that are not about the job. */
function requestOf<Kind extends string, Payload extends z.ZodType>(
  definition: JobDefinition<Kind, Payload>,
  payload: z.input<Payload>,
  enqueueOptions: (JobOptions & EnqueueTarget) | undefined,
): JobRequest {
  assertArguments('queue.enqueue', enqueueParameters, [definition, payload, enqueueOptions])
  if (enqueueOptions === undefined) return definition.create(payload)
  assertEnqueueTarget(enqueueOptions)
  const {
    transaction: _t,
    notify: _n,
    onMismatch: _m,
    onRefused: _r,
    keyLockTimeoutMs: _k,
    ...options
  } = enqueueOptions
  try {
    return definition.create(payload, options)
  } catch (error) {
    // Its refusal of an unknown option names only those of a job.
    assertEnqueueOptions(enqueueOptions)
    throw error
  }
}

export function deadLetterReads(database: QueueDatabase): Omit<DeadLetters, keyof DeadLetterActs> {
  return {
    list: (filter) => listDeadLetters(database, filter),
    get: (id) => getDeadLetter(database, id),
    count: (selection = {}) => countDeadLetters(database, selection),
  }
}
