import { type ConnectOptions, limits, type NewSchedule, QueueError, type SyncOptions } from '@queue/core'
import {
  assertArguments,
  assertKnownOptions,
  either,
  having,
  listOf,
  object,
  optional,
  readable,
  text,
  callback,
} from '@queue/loop/arguments'
import { connectionOptions } from '@queue/postgres'
import { jobFields, type OptionsOf, type PgConnection } from '@queue/core/internal'
import { type Logger, timerMsMax } from '@queue/loop'
import {
  type Executor,
  type Handler,
  HandlerExecutor,
  type Middleware,
  withMiddleware,
} from '@queue/executor'
import { z } from 'zod'
import type { WorkerObserver } from './observer.ts'
import type { WorkerTracing } from './tracing.ts'

const dayMs = 86_400_000

const durationMs = (min: number, max = timerMsMax) => z.int().min(min).max(max).meta({ unit: 'ms' })
const retentionMs = z.int().min(0).max(limits.retentionMsMax).meta({ unit: 'duration' })

/** The turns of the event loop are sampled only a few times a second, so a shorter pause cannot be told from normal work. */
const stallMsMin = 2_000

/**
 * Every setting: its bounds, its default, its environment variable if it has one, and its description in `--help` and the
 * documentation. Editors show the comments.
 */
const settingFields = {
  /** How many jobs run at once in this process. Default 4. */
  concurrency: z.int().min(1).max(limits.claimBatchMax).default(4).meta({
    variable: 'WORKER_CONCURRENCY',
    description: 'How many jobs this process runs at once.',
  }),
  /** The queues to serve, at most 1 000. Default: the queues of the handlers' kinds, or `['default']` for an executor. */
  queues: z
    .array(jobFields.queue)
    .min(1)
    .max(
      limits.workerQueuesMax,
      `must be at most ${limits.workerQueuesMax}: start more workers for the others`,
    )
    .transform((queues) => [...new Set(queues)])
    .prefault(['default'])
    .meta({
      variable: 'WORKER_QUEUES',
      accepted: `names of queues, at most ${limits.workerQueuesMax}, separated by commas, such as default,mail`,
      description:
        'The queues that this process serves. Jobs of a higher priority come first; at equal priority each queue gets an equal share.',
    }),
  /** Milliseconds from a poll that found no job to the next one; doubles with each further such poll. Default 500. */
  pollIntervalMs: durationMs(1).default(500).meta({
    variable: 'WORKER_POLL_INTERVAL_MS',
    description:
      'How long to wait before the next poll after one that found no job. The wait doubles with each further poll that finds none.',
  }),
  /** The longest wait between two polls, in milliseconds. Default 2 000. */
  maxPollIntervalMs: durationMs(1).default(2_000).meta({
    variable: 'WORKER_MAX_POLL_INTERVAL_MS',
    description:
      'The longest wait between two polls, and so the longest delay after a lost notification; at least the poll interval.',
  }),
  /** Milliseconds that running jobs may continue after `stop` before their signals abort. Default 30 000. */
  shutdownGraceMs: durationMs(0).default(30_000).meta({
    variable: 'WORKER_SHUTDOWN_GRACE_MS',
    description: 'How long running jobs may continue after a stop before they are aborted and released.',
  }),
  /** Milliseconds without a heartbeat after which other workers take over the jobs of this process. Default 30 000. */
  leaseMs: durationMs(limits.leaseMsMin).default(30_000).meta({
    variable: 'WORKER_LEASE_MS',
    description: 'How long after its last heartbeat other workers take over the jobs of this process.',
  }),
  /** Milliseconds between two renewals of the lease; at most a third of `leaseMs`. Default 10 000. */
  heartbeatMs: durationMs(1).default(10_000).meta({
    variable: 'WORKER_HEARTBEAT_MS',
    description: 'How often the lease is renewed; at most a third of the lease.',
  }),
  /** Milliseconds between two searches for the jobs of lost workers. Default 5 000. */
  recoveryIntervalMs: durationMs(1).default(5_000).meta({
    variable: 'WORKER_RECOVERY_INTERVAL_MS',
    description: 'How often this process looks for the jobs of lost workers.',
  }),
  /** Milliseconds that a statement of the runtime may take before it is cancelled on the server. Default 10 000. */
  queryTimeoutMs: durationMs(1).default(10_000).meta({
    description: 'How long a statement of the runtime may take before it is cancelled on the server.',
  }),
  /** Milliseconds that an attempt may take if neither its job nor its kind sets a timeout; 0 is no limit. Default 0. */
  jobTimeoutMs: durationMs(0, limits.timeoutMsMax).default(0).meta({
    variable: 'WORKER_JOB_TIMEOUT_MS',
    description:
      'How long an attempt may take if neither its job nor its kind sets a timeout; 0 means no limit.',
  }),
  /** Milliseconds that a handler may run past its timeout before its attempt is recorded as failed. Default 5 000. */
  timeoutGraceMs: durationMs(0).default(5_000).meta({
    description: 'How long a handler may run past its timeout before its attempt is recorded as failed.',
  }),
  /** Milliseconds between two checks of the running jobs for cancels, lost leases and progress. Default 500. */
  watchIntervalMs: durationMs(1).default(500).meta({
    description:
      'How often this process checks its running jobs for cancels and lost leases, and writes their progress.',
  }),
  /** Milliseconds that succeeded jobs are kept; 0 is forever. Default 7 days. */
  retentionSucceededMs: retentionMs.default(7 * dayMs).meta({
    variable: 'RETENTION_SUCCEEDED',
    description: 'How long succeeded jobs are kept after they end; 0 means forever.',
  }),
  /** Milliseconds that cancelled jobs are kept; 0 is forever. Default 7 days. */
  retentionCancelledMs: retentionMs.default(7 * dayMs).meta({
    variable: 'RETENTION_CANCELLED',
    description: 'How long cancelled jobs are kept after they end; 0 means forever.',
  }),
  /** Milliseconds that failed jobs and their dead letters are kept; 0 is forever. Default 30 days. */
  retentionFailedMs: retentionMs.default(30 * dayMs).meta({
    variable: 'RETENTION_FAILED',
    description:
      'How long jobs that failed for good are kept after they end, together with their dead letters; 0 means forever.',
  }),
  /** Milliseconds that entries of the audit log are kept; 0 is forever. Default 365 days. */
  retentionAuditMs: retentionMs.default(365 * dayMs).meta({
    variable: 'RETENTION_AUDIT',
    description: 'How long entries of the audit log are kept; 0 means forever.',
  }),
  /** Milliseconds that operations are kept after they end; 0 is forever. Default 30 days. */
  retentionOperationsMs: retentionMs.default(30 * dayMs).meta({
    variable: 'RETENTION_OPERATIONS',
    description: 'How long operations (bulk actions) are kept after they end; 0 means forever.',
  }),
  /**
   * Milliseconds that an idempotency key is remembered after its job ends, at least. A job that is removed earlier leaves a
   * receipt, without payload, errors and history. 0 is as long as the job is kept. Default 0.
   */
  idempotencyTtlMs: retentionMs.default(0).meta({
    variable: 'IDEMPOTENCY_TTL',
    description:
      'How long an idempotency key is remembered after its job ends. A job that is removed earlier leaves a receipt, without ' +
      'payload, errors and history, so that its key cannot create a second job. 0 means as long as the job is kept.',
  }),
  /** Milliseconds between two removals of jobs and audit log entries past their retention. Default 60 000. */
  retentionIntervalMs: durationMs(1).default(60_000).meta({
    description: 'How often jobs and audit log entries past their retention are removed.',
  }),
  /** Milliseconds between two writes of the job statistics; a crash loses the counts since the last one. Default 10 000. */
  statsIntervalMs: durationMs(1, limits.statsFlushMsMax).default(limits.statsFlushMsMax).meta({
    description:
      'How often this process adds its counts to the job statistics. A process that is killed loses the counts since the last time.',
  }),
  /** Milliseconds that a handler may block the event loop before the process is killed; 0 is forever. Default 300 000. */
  stallMs: z
    .union([durationMs(stallMsMin), z.literal(0)])
    .default(300_000)
    .meta({
      variable: 'WORKER_STALL_MS',
      description:
        'How long a handler may block the event loop before the process is killed and other workers take over; 0 means forever.',
    }),
  /** Whether the worker listens for new jobs. Set false behind a pooler in transaction mode: it then only polls. Default true. */
  notifications: z.boolean().default(true).meta({
    description: 'Whether a connection listens for new jobs; if not, the worker only polls.',
  }),
  /**
   * How many jobs may be claimed before a slot is free. Default `auto`: as many as pay off, which depends on how short jobs are.
   */
  prefetch: z
    .union([z.literal('auto'), z.int().min(0).max(limits.claimBatchMax)])
    .default('auto')
    .meta({
      variable: 'WORKER_PREFETCH',
      description:
        'How many jobs may be claimed before a slot is free. auto: some while jobs take only a few ms, otherwise none. Large payloads reduce the number.',
    }),
  /**
   * What happens when the schema of a kind has changed without a new version. `replace`: the new schema replaces the old one.
   * `refuse`: the old one stays while jobs of that version exist. Default `auto`: `refuse` if NODE_ENV is production, else
   * `replace`.
   */
  kindChanges: z
    .enum(['auto', 'replace', 'refuse'])
    .default('auto')
    .meta({
      variable: 'KIND_CHANGES',
      description:
        'What happens when the schema of a kind has changed without a new version. replace: the new schema replaces the old one. ' +
        'refuse: the old one stays while jobs of that version exist. auto: refuse if NODE_ENV is production, else replace.',
    }),
  /** The prefix of the worker's id: 1 to 100 letters, digits, dots, underscores or dashes. Default `worker`. */
  idPrefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be 1 to 100 letters, digits and . _ -')
    .default('worker')
    .meta({
      variable: 'WORKER_ID_PREFIX',
      accepted: '1 to 100 letters, digits and . _ -',
      description: 'The prefix of the id of this worker; host name, process id and a random part follow.',
    }),
  /** The version of your program, shown beside the worker. Default `unknown`. */
  version: z.string().default('unknown').meta({
    description: 'The version of your program, shown in the registry of workers.',
  }),
}

/** The settings of a worker with their bounds and defaults; durations in milliseconds. */
export const workerSettingsSchema = z
  .object(settingFields)
  .refine((settings) => settings.heartbeatMs <= settings.leaseMs / 3, {
    path: ['heartbeatMs'],
    message: 'must be at most a third of leaseMs, so that two lost renewals do not lose the lease',
  })
  .refine((settings) => settings.maxPollIntervalMs >= settings.pollIntervalMs, {
    path: ['maxPollIntervalMs'],
    message: 'must not be below pollIntervalMs',
  })

/** The settings of a worker, all present. */
export type WorkerSettings = {
  readonly [Name in keyof typeof settingFields]: z.output<(typeof settingFields)[Name]>
}

/** The options of one queue of a worker. */
export interface QueueOptions {
  /**
   * Slots reserved for this queue, 1 to 1 000: this many of its jobs run at once in this process. Default: the queue shares the
   * slots of `concurrency` with the other queues that reserve none.
   */
  readonly concurrency?: number
}

export type WorkerOptions = ConnectOptions &
  Omit<OptionsOf<typeof settingFields>, 'queues'> & {
    /**
     * The queues to serve, at most 1 000: their names, or an object with the options of each, such as
     * `{ mail: { concurrency: 5 }, default: {} }`. Default: the queues of the handlers' kinds, or `['default']` for an executor.
     */
    readonly queues?: readonly string[] | Readonly<Record<string, QueueOptions>> | undefined
  } & Work & {
    /** Default: writes warnings and errors to stderr. */
    readonly logger?: Logger
    /** Receives the events behind the metrics, such as `createWorkerMetrics` of `@queue/telemetry`. Default: none. */
    readonly metrics?: WorkerObserver
    /** Records every claim and every attempt as a span of a trace. Default: no traces. */
    readonly tracing?: WorkerTracing
    /** Functions that run around each attempt, the first outermost: see `Middleware`. Default: none. */
    readonly middleware?: readonly Middleware[]
    /**
     * The schedules of this program. At its start the worker makes the schedules of this source match the list, unless a later
     * revision has synced them before.
     */
    readonly schedules?: SyncOptions & { readonly list: readonly NewSchedule[] }
    /** A uniform draw from [0, 1), for retry jitter. */
    readonly random?: () => number
  }

type Work =
  | {
      /** The handlers, one for each kind: `handle(definition, work)`. */
      readonly handlers: readonly Handler[]
      /** Not together with handlers. */
      readonly executor?: never
    }
  | {
      /** Runs an attempt of any kind, in place of handlers. */
      readonly executor: Executor<PgConnection>
      /** Not together with an executor. */
      readonly handlers?: never
    }

const ownOptions = {
  handlers: true,
  executor: true,
  logger: true,
  metrics: true,
  tracing: true,
  middleware: true,
  schedules: true,
  random: true,
} as const satisfies {
  readonly [Name in Exclude<keyof WorkerOptions, keyof ConnectOptions | keyof typeof settingFields>]: true
}

const knownOptions: Readonly<Record<string, true>> = {
  ...connectionOptions,
  ...Object.fromEntries(Object.keys(settingFields).map((name) => [name, true as const])),
  ...ownOptions,
}

/**
 * Throws `invalid_options` for an option that neither a worker has nor `further` names, and for one of the wrong type. `call` is the
 * function that was called.
 */
export function assertWorkerOptions(
  call: string,
  options: WorkerOptions,
  further: Readonly<Record<string, true>> = {},
): void {
  assertKnownOptions(call, options, { ...knownOptions, ...further })
  const { queues, handlers, executor, logger, metrics, tracing, middleware, schedules, random } = options
  assertArguments(call, ownParameters, [
    queues,
    handlers,
    executor,
    logger,
    metrics,
    tracing,
    middleware,
    schedules,
    random,
  ])
}

const ownParameters = {
  queues: optional(either(object, listOf(text))),
  handlers: optional(listOf(having('a handler, which handle() or handleBatch() returns', 'run'))),
  executor: optional(having('an executor', 'execute')),
  logger: optional(having('a logger', 'debug', 'info', 'warn', 'error')),
  metrics: optional(object),
  tracing: optional(having('a tracing, which createTracing returns', 'claimed', 'attempt')),
  middleware: optional(listOf(callback)),
  schedules: optional(object),
  random: optional(callback),
}

/** The checked settings. Throws `QueueError` (`invalid_options`), which names each wrong setting and its fault. */
export function parseSettings(options: WorkerOptions): WorkerSettings {
  const { queues: queueOption } = options
  const queues = queueOption === undefined || isNames(queueOption) ? queueOption : Object.keys(queueOption)
  const given = { ...options, queues: queues ?? queuesOf(options.handlers ?? []) }
  const parsed = readable('createWorker', () => ({ ...workerSettingsSchema.safeParse(given) }))
  return parsed.success ? parsed.data : refuse(parsed.error.issues)
}

function isNames(queues: NonNullable<WorkerOptions['queues']>): queues is readonly string[] {
  return Array.isArray(queues)
}

function refuse(issues: readonly z.core.$ZodIssue[]): never {
  const described = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new QueueError('invalid_options', `invalid worker options: ${described.join('; ')}`)
}

/** The slots that one or more queues share. */
export interface SlotGroupSettings {
  readonly queues: string[]
  readonly concurrency: number
}

const queueOptionsSchema = z.record(
  z.string(),
  z.strictObject({ concurrency: settingFields.concurrency.unwrap().optional() }),
)

/** The groups of slots. The queues without a concurrency of their own share one group. Throws as `parseSettings` does. */
export function slotGroupsOf(options: WorkerOptions, settings: WorkerSettings): SlotGroupSettings[] {
  const groups = groupsOf(options, settings)
  for (const { definition, batchSize = 1 } of options.handlers ?? []) {
    const slots = groups.find(({ queues }) => queues.includes(definition.queue))?.concurrency
    if (slots === undefined || batchSize <= slots) continue
    const message =
      `the handler of '${definition.kind}' takes ${batchSize} jobs at once, but its queue '${definition.queue}' has ${slots} ` +
      `slots: give the queue as many, as in { queues: { ${JSON.stringify(definition.queue)}: { concurrency: ${batchSize} } } }`
    throw new QueueError('invalid_options', message)
  }
  return groups
}

function groupsOf({ queues }: WorkerOptions, settings: WorkerSettings): SlotGroupSettings[] {
  if (queues === undefined || isNames(queues)) return [settings]
  const parsed = readable('createWorker', () => ({ ...queueOptionsSchema.safeParse(queues) }))
  if (!parsed.success) {
    return refuse(parsed.error.issues.map((issue) => ({ ...issue, path: ['queues', ...issue.path] })))
  }
  const own = Object.entries(parsed.data).flatMap(([name, { concurrency }]) =>
    concurrency === undefined ? [] : [{ queues: [name], concurrency }],
  )
  const shared = settings.queues.filter((name) => !own.some((group) => group.queues.includes(name)))
  return shared.length === 0 ? own : [{ queues: shared, concurrency: settings.concurrency }, ...own]
}

/** The queues of these handlers' kinds; undefined without a handler. */
function queuesOf(handlers: readonly Handler[]): string[] | undefined {
  return handlers.length === 0 ? undefined : handlers.map(({ definition }) => definition.queue)
}

export function executorOf(options: WorkerOptions): Executor<PgConnection> {
  const executor = options.executor ?? new HandlerExecutor<PgConnection>(options.handlers ?? [])
  if (executor.kinds.length > 0) return withMiddleware(executor, options.middleware ?? [])
  throw new QueueError('invalid_options', 'a worker needs at least one handler: pass handlers or an executor')
}
