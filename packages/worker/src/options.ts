import {
  type ConnectOptions,
  limits,
  type NewSchedule,
  type PgClient,
  QueueError,
  type SyncOptions,
} from '@queue/core'
import { jobFields, type OptionsOf } from '@queue/core/fields'
import type { Retention } from '@queue/core/runtime'
import { type Logger, logLevels, neverThrowing, stderrLogger, timerMsMax } from '@queue/loop'
import {
  type Executor,
  type Handler,
  HandlerExecutor,
  type Middleware,
  withMiddleware,
} from '@queue/executor'
import { z } from 'zod'
import { noObserver, type WorkerObserver } from './observer.ts'
import { createTracer, type Tracer, type WorkerTracing } from './tracing.ts'

const dayMs = 86_400_000

const durationMs = (min: number, max = timerMsMax) => z.int().min(min).max(max).meta({ unit: 'ms' })
const retentionMs = z.int().min(0).max(limits.retentionMsMax).meta({ unit: 'duration' })

/** The loop's turns are counted only a few times a second, so a shorter pause is no stall. */
const stallMsMin = 2_000

/**
 * Each setting once: its bounds, its default, its environment variable if it has one, and its description in help text and
 * documentation. Editors show the comments.
 */
const settingFields = {
  /** Jobs that run at once in this process. Default 4. */
  concurrency: z.int().min(1).max(limits.claimBatchMax).default(4).meta({
    variable: 'WORKER_CONCURRENCY',
    description: 'How many jobs this process runs at once.',
  }),
  /** The queues that are served, 1 000 at most. Default: those of the handlers' kinds, or `['default']` for an executor. */
  queues: z
    .array(jobFields.queue)
    .min(1)
    .max(
      limits.workerQueuesMax,
      `must be at most ${limits.workerQueuesMax}: give the others to further workers`,
    )
    .transform((queues) => [...new Set(queues)])
    .prefault(['default'])
    .meta({
      variable: 'WORKER_QUEUES',
      accepted: `names of queues, at most ${limits.workerQueuesMax}, separated by commas, such as default,mail`,
      description:
        'The queues that this process takes jobs from. Priority comes first; queues of equal priority are served alike.',
    }),
  /** Milliseconds to the next poll after the first one that found no job. Default 500. */
  pollIntervalMs: durationMs(1).default(500).meta({
    variable: 'WORKER_POLL_INTERVAL_MS',
    description:
      'How long to wait before the next poll after one that found no job. The wait doubles with each further poll that finds none.',
  }),
  /** Milliseconds between two polls at most, when polls go on finding no job. Default 2 000. */
  maxPollIntervalMs: durationMs(1).default(2_000).meta({
    variable: 'WORKER_MAX_POLL_INTERVAL_MS',
    description:
      'The longest wait between two polls, which is also the delay after a lost notification; not below the shortest.',
  }),
  /** Milliseconds that running jobs may go on after `stop` before their signals abort. Default 30 000. */
  shutdownGraceMs: durationMs(0).default(30_000).meta({
    variable: 'WORKER_SHUTDOWN_GRACE_MS',
    description: 'How long running jobs may go on after a stop before they are aborted and released.',
  }),
  /** Milliseconds that this process may be silent before others take its jobs. Default 30 000. */
  leaseMs: durationMs(limits.leaseMsMin).default(30_000).meta({
    variable: 'WORKER_LEASE_MS',
    description: 'How long this process may be silent before others take over its jobs.',
  }),
  /** Milliseconds between two renewals of the lease; a third of `leaseMs` at most. Default 10 000. */
  heartbeatMs: durationMs(1).default(10_000).meta({
    variable: 'WORKER_HEARTBEAT_MS',
    description: 'How often the lease is renewed; at most a third of the lease.',
  }),
  /** Milliseconds between two searches for the jobs of lost workers. Default 5 000. */
  recoveryIntervalMs: durationMs(1).default(5_000).meta({
    variable: 'WORKER_RECOVERY_INTERVAL_MS',
    description: 'How often the jobs of lost workers are searched for.',
  }),
  /** Milliseconds that a statement of the runtime may take before it is cancelled on the server. Default 10 000. */
  queryTimeoutMs: durationMs(1).default(10_000).meta({
    description: 'How long a statement of the runtime may take before it is cancelled on the server.',
  }),
  /** Milliseconds that an attempt may take when neither its job nor its kind says; 0 is no limit. Default 0. */
  jobTimeoutMs: durationMs(0, limits.timeoutMsMax).default(0).meta({
    variable: 'WORKER_JOB_TIMEOUT_MS',
    description: 'How long an attempt may take when neither its job nor its kind says; 0 means no limit.',
  }),
  /**
   * Milliseconds that a handler may go on after its timeout before its attempt is recorded as failed. Default 5 000.
   */
  timeoutGraceMs: durationMs(0).default(5_000).meta({
    description: 'How long a handler may ignore its timeout before its attempt is recorded as failed.',
  }),
  /** Milliseconds between two checks of the running jobs: cancels, lost leases, progress. Default 500. */
  watchIntervalMs: durationMs(1).default(500).meta({
    description:
      'How often running jobs are checked for cancels and lost leases, and their progress is written.',
  }),
  /** Milliseconds that succeeded jobs are kept; 0 is for ever. Default 7 days. */
  retentionSucceededMs: retentionMs.default(7 * dayMs).meta({
    variable: 'RETENTION_SUCCEEDED',
    description: 'How long jobs that succeeded are kept after their end; 0 means for ever.',
  }),
  /** Milliseconds that cancelled jobs are kept; 0 is for ever. Default 7 days. */
  retentionCancelledMs: retentionMs.default(7 * dayMs).meta({
    variable: 'RETENTION_CANCELLED',
    description: 'How long cancelled jobs are kept after their end; 0 means for ever.',
  }),
  /** Milliseconds that failed jobs and their dead letters are kept; 0 is for ever. Default 30 days. */
  retentionFailedMs: retentionMs.default(30 * dayMs).meta({
    variable: 'RETENTION_FAILED',
    description:
      'How long jobs that failed for good are kept after their end, and with them their dead letters; 0 means for ever.',
  }),
  /** Milliseconds that entries of the audit log are kept; 0 is for ever. Default 365 days. */
  retentionAuditMs: retentionMs.default(365 * dayMs).meta({
    variable: 'RETENTION_AUDIT',
    description: 'How long the audit log keeps who changed what; 0 means for ever.',
  }),
  /** Milliseconds that operations are kept after their end; 0 is for ever. Default 30 days. */
  retentionOperationsMs: retentionMs.default(30 * dayMs).meta({
    variable: 'RETENTION_OPERATIONS',
    description: 'How long operations, acts on many jobs, are kept after their end; 0 means for ever.',
  }),
  /**
   * Milliseconds that the idempotency key of a job is known after its end, at least: a job that is removed before that leaves a
   * receipt, without payload, errors and history. 0 is for as long as the job is kept. Default 0.
   */
  idempotencyTtlMs: retentionMs.default(0).meta({
    variable: 'IDEMPOTENCY_TTL',
    description:
      'How long the idempotency key of a job is known after its end. A job that is removed before that leaves a receipt, ' +
      'without payload, errors and history, so that its key still makes no second job. 0 means for as long as the job is kept.',
  }),
  /** Milliseconds between two removals of jobs and entries of the audit log past their retention. Default 60 000. */
  retentionIntervalMs: durationMs(1).default(60_000).meta({
    description: 'How often jobs and entries of the audit log past their retention are removed.',
  }),
  /** Milliseconds between two additions to the numbers over time, which is what a crash loses of them. Default 10 000. */
  statsIntervalMs: durationMs(1, limits.statsFlushMsMax).default(limits.statsFlushMsMax).meta({
    description:
      'How often what was counted is added to the numbers over time. A process that is killed loses the counts since then.',
  }),
  /** Milliseconds that a handler may block the event loop before the process is killed; 0 is for ever. Default 300 000. */
  stallMs: z
    .union([durationMs(stallMsMin), z.literal(0)])
    .default(300_000)
    .meta({
      variable: 'WORKER_STALL_MS',
      description:
        'How long a handler may block the event loop before the process is killed, so that others take over; 0 means for ever.',
    }),
  /** Whether the worker listens for new jobs; false only polls, as through a transaction-mode pooler. Default true. */
  notifications: z.boolean().default(true).meta({
    description: 'Whether a connection listens for new jobs; without it the worker only polls.',
  }),
  /** How many jobs may be claimed ahead of a free slot. Default `auto`: as many as short jobs make worthwhile. */
  prefetch: z
    .union([z.literal('auto'), z.int().min(0).max(limits.claimBatchMax)])
    .default('auto')
    .meta({
      variable: 'WORKER_PREFETCH',
      description:
        'How many jobs are claimed ahead of a free slot. auto: some while jobs take a few ms, none otherwise. Large payloads make it fewer or none.',
    }),
  /**
   * What becomes of a kind whose schema has changed under one version. `replace`: the new one takes the place of the old.
   * `refuse`: it does not while jobs of that version are there. Default `auto`: `refuse` where NODE_ENV is production.
   */
  kindChanges: z
    .enum(['auto', 'replace', 'refuse'])
    .default('auto')
    .meta({
      variable: 'KIND_CHANGES',
      description:
        'What becomes of a kind whose schema has changed under one version. replace: the new schema takes the place of the old. ' +
        'refuse: not while jobs of that version are there. auto is refuse when NODE_ENV is production, else replace.',
    }),
  /** How the worker's id begins, 1 to 100 letters, digits, dots, dashes. Default `worker`. */
  idPrefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be 1 to 100 letters, digits and . _ -')
    .default('worker')
    .meta({
      variable: 'WORKER_ID_PREFIX',
      accepted: '1 to 100 letters, digits and . _ -',
      description: 'What the id of this worker begins with; host name, process id and a random part follow.',
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

/** The settings of a worker, none absent. */
export type WorkerSettings = {
  readonly [Name in keyof typeof settingFields]: z.output<(typeof settingFields)[Name]>
}

/** What a worker says of one of its queues. */
export interface QueueOptions {
  /**
   * Slots of its own, 1 to 1 000: so many of its jobs run at once in this process, and no other queue's in them. Default: it
   * shares the slots of `concurrency` with the other queues that have none of their own.
   */
  readonly concurrency?: number
}

export type WorkerOptions = ConnectOptions &
  Omit<OptionsOf<typeof settingFields>, 'queues'> & {
    /**
     * The queues that are served, 1 000 at most: their names, or an object with what is said of each, such as
     * `{ mail: { concurrency: 5 }, default: {} }`. Default: those of the handlers' kinds, or `['default']` for an executor.
     */
    readonly queues?: readonly string[] | Readonly<Record<string, QueueOptions>> | undefined
  } & Work & {
    /** Default: warnings and errors on stderr. */
    readonly logger?: Logger
    /** Receives everything that is worth a metric, such as `createWorkerMetrics` of `@queue/telemetry`. Default: none. */
    readonly metrics?: WorkerObserver
    /** Makes every claim and every attempt a span of a trace. Default: no traces. */
    readonly tracing?: WorkerTracing
    /** What runs around each attempt, the first outermost: see `Middleware`. Default: nothing. */
    readonly middleware?: readonly Middleware<PgClient>[]
    /**
     * The schedules of this program: the start of a worker makes those of the source what the list says, unless a later
     * revision was there before.
     */
    readonly schedules?: SyncOptions & { readonly list: readonly NewSchedule[] }
    /** A uniform draw from [0, 1), for retry jitter. */
    readonly random?: () => number
  }

type Work =
  | {
      /** What runs the jobs, one handler for each kind: `handle(definition, work)`. */
      readonly handlers: readonly Handler<PgClient>[]
      /** In place of handlers. */
      readonly executor?: never
    }
  | {
      /** What runs an attempt of any kind, in place of handlers. */
      readonly executor: Executor<PgClient>
      /** In place of an executor. */
      readonly handlers?: never
    }

/** The checked settings. Throws `QueueError` (`invalid_options`) that names each setting and what is wrong. */
export function parseSettings(options: WorkerOptions): WorkerSettings {
  const { queues: given } = options
  const queues = given === undefined || isNames(given) ? given : Object.keys(given)
  const parsed = workerSettingsSchema.safeParse({
    ...options,
    queues: queues ?? queuesOf(options.handlers ?? []),
  })
  return parsed.success ? parsed.data : refuse(parsed.error.issues)
}

function isNames(queues: NonNullable<WorkerOptions['queues']>): queues is readonly string[] {
  return Array.isArray(queues)
}

function refuse(issues: readonly z.core.$ZodIssue[]): never {
  const described = issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new QueueError('invalid_options', `the worker's options are wrong: ${described.join('; ')}`)
}

/** The slots of some queues. */
export interface SlotGroupSettings {
  readonly queues: string[]
  readonly concurrency: number
}

const queueOptionsSchema = z.record(
  z.string(),
  z.strictObject({ concurrency: settingFields.concurrency.unwrap().optional() }),
)

/** The groups of slots: the queues without a concurrency of their own share one. Throws as `parseSettings` does. */
export function slotGroupsOf(options: WorkerOptions, settings: WorkerSettings): SlotGroupSettings[] {
  const groups = groupsOf(options, settings)
  for (const { definition, batchSize = 1 } of options.handlers ?? []) {
    const slots = groups.find(({ queues }) => queues.includes(definition.queue))?.concurrency
    if (slots === undefined || batchSize <= slots) continue
    const message =
      `the handler of '${definition.kind}' takes ${batchSize} jobs at once, and its queue '${definition.queue}' has ${slots} ` +
      `slots: give it as many, as in { queues: { ${JSON.stringify(definition.queue)}: { concurrency: ${batchSize} } } }`
    throw new QueueError('invalid_options', message)
  }
  return groups
}

function groupsOf({ queues }: WorkerOptions, settings: WorkerSettings): SlotGroupSettings[] {
  if (queues === undefined || isNames(queues)) return [settings]
  const parsed = queueOptionsSchema.safeParse(queues)
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
function queuesOf(handlers: readonly Handler<PgClient>[]): string[] | undefined {
  return handlers.length === 0 ? undefined : handlers.map(({ definition }) => definition.queue)
}

export function executorOf(options: WorkerOptions): Executor<PgClient> {
  const executor = options.executor ?? new HandlerExecutor<PgClient>(options.handlers ?? [])
  if (executor.kinds.length > 0) return withMiddleware(executor, options.middleware ?? [])
  throw new QueueError('invalid_options', 'a worker needs at least one handler: give handlers or an executor')
}

/** Where the runtime reports to. None of it throws, even where the caller's own does. */
export interface Reporting {
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
}

export function reportingOf(options: WorkerOptions): Reporting {
  const logger = loggerOf(options)
  return { logger, observer: observerOf(options, logger), tracer: createTracer(options.tracing, logger) }
}

/** Lines on which the logger throws are lost, and nothing else. */
function loggerOf(options: WorkerOptions): Logger {
  return neverThrowing(options.logger ?? stderrLogger, {
    names: logLevels,
    onFault: (error) => stderrLogger.error('the logger throws: lines are lost', { error }),
  })
}

/** The first fault is logged. */
function observerOf(options: WorkerOptions, logger: Logger): WorkerObserver {
  return neverThrowing(options.metrics ?? noObserver, {
    names: Object.keys(noObserver) as (keyof WorkerObserver)[],
    onFault: (error) => logger.error('the observer throws: metrics are lost', { error }),
  })
}

/** How long ended jobs are kept; 0 in the settings keeps them for ever, and keys no longer than them. */
export function retentionOf(settings: WorkerSettings): Retention {
  const orForever = (ms: number): number | null => (ms === 0 ? null : ms)
  return {
    succeededMs: orForever(settings.retentionSucceededMs),
    cancelledMs: orForever(settings.retentionCancelledMs),
    failedMs: orForever(settings.retentionFailedMs),
    keyMs: settings.idempotencyTtlMs === 0 ? null : settings.idempotencyTtlMs,
  }
}
