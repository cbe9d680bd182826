import { type ConnectOptions, limits, type PgClient, QueueError } from '@queue/core'
import { jobFields, type OptionsOf, type Retention } from '@queue/core/runtime'
import { type Executor, type Handler, HandlerExecutor, type Logger } from '@queue/executor'
import { z } from 'zod'
import { logLevels, neverThrowing, stderrLogger } from '@queue/loop'
import { noObserver, type WorkerObserver } from './observer.ts'
import { createTracer, type Tracer, type WorkerTracing } from './tracing.ts'

const dayMs = 86_400_000

/** What a timer can wait for; it would fire at once for anything longer. */
const timerMsMax = 2 ** 31 - 1
const durationMs = (min: number) => z.int().min(min).max(timerMsMax)

/** A loop that turns is seen to turn a few times a second, and a pause of that length is no stall. */
const stallMsMin = 2_000

const settingFields = {
  /** Jobs that run at once in this process. Default 4. */
  concurrency: z.int().min(1).max(limits.claimBatchMax).default(4),
  /** The queues that are served, 1 000 at most. Default: those of the handlers' kinds, or `['default']` for an executor. */
  queues: z
    .array(jobFields.queue)
    .min(1)
    .max(
      limits.workerQueuesMax,
      `at most ${limits.workerQueuesMax}: share the others out among further workers`,
    )
    .transform((queues) => [...new Set(queues)])
    .default(['default']),
  /** Milliseconds between two polls of a queue that has work. Default 500. */
  pollIntervalMs: durationMs(1).default(500),
  /** Milliseconds between two polls of a queue that has had none for long. Default 2 000. */
  maxPollIntervalMs: durationMs(1).default(2_000),
  /** Milliseconds that running jobs may go on after `stop` before their signals abort. Default 30 000. */
  shutdownGraceMs: durationMs(0).default(30_000),
  /** Milliseconds that this process may be silent before others take its jobs. Default 30 000. */
  leaseMs: durationMs(limits.leaseMsMin).default(30_000),
  /** Milliseconds between two renewals of the lease; a third of `leaseMs` at most. Default 10 000. */
  heartbeatMs: durationMs(1).default(10_000),
  /** Milliseconds between two searches for the jobs of lost workers. Default 5 000. */
  recoveryIntervalMs: durationMs(1).default(5_000),
  /** Milliseconds that a statement of the runtime may take; it is cancelled on the server then. Default 10 000. */
  queryTimeoutMs: durationMs(1).default(10_000),
  /** Milliseconds that an attempt may take where its job says nothing; 0 is without end. Default 0. */
  jobTimeoutMs: z.int().min(0).max(limits.timeoutMsMax).default(0),
  /**
   * Milliseconds that a handler may go on after its timeout before its attempt is recorded as failed without it.
   * Default 5 000.
   */
  timeoutGraceMs: durationMs(0).default(5_000),
  /** Milliseconds between two checks of the running jobs: cancels, lost leases, progress. Default 500. */
  watchIntervalMs: durationMs(1).default(500),
  /** Milliseconds that succeeded jobs are kept; 0 is for ever. Default 7 days. */
  retentionSucceededMs: z
    .int()
    .min(0)
    .default(7 * dayMs),
  /** Milliseconds that cancelled jobs are kept; 0 is for ever. Default 7 days. */
  retentionCancelledMs: z
    .int()
    .min(0)
    .default(7 * dayMs),
  /** Milliseconds that failed jobs and their dead letters are kept; 0 is for ever. Default 30 days. */
  retentionFailedMs: z
    .int()
    .min(0)
    .default(30 * dayMs),
  /** Milliseconds between two removals of what has been kept for long enough. Default 60 000. */
  retentionIntervalMs: durationMs(1).default(60_000),
  /** Milliseconds that the event loop may stand still before the process is ended; 0 is for ever. Default 300 000. */
  stallMs: z.union([z.literal(0), durationMs(stallMsMin)]).default(300_000),
  /** Whether workers are told of new jobs; false polls only, as through a transaction-mode pooler. Default true. */
  notifications: z.boolean().default(true),
  /** How many jobs may be claimed ahead of a free slot. Default `auto`: as many as short jobs make worthwhile. */
  prefetch: z.union([z.literal('auto'), z.int().min(0).max(limits.claimBatchMax)]).default('auto'),
  /** How the worker's id begins, 1 to 100 letters, digits, dots, dashes. Default `worker`. */
  idPrefix: z
    .string()
    .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, dashes')
    .default('worker'),
  /** The version of your program, shown beside the worker. Default `unknown`. */
  version: z.string().default('unknown'),
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

export type WorkerOptions = ConnectOptions &
  OptionsOf<typeof settingFields> &
  Work & {
    /** Default: warnings and errors on stderr. */
    readonly logger?: Logger
    /** Told of everything that is worth a metric, such as `createWorkerMetrics` of `@queue/telemetry`. Default: nobody. */
    readonly metrics?: WorkerObserver
    /** Makes every claim and every attempt an operation of a trace; absent: none. */
    readonly tracing?: WorkerTracing
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
  const queues = options.queues ?? queuesOf(options.handlers ?? [])
  const parsed = workerSettingsSchema.safeParse({ ...options, queues })
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new QueueError('invalid_options', `the worker's options are wrong: ${issues.join('; ')}`)
}

/** Those into which the kinds of these handlers go; undefined without a handler. */
function queuesOf(handlers: readonly Handler<PgClient>[]): string[] | undefined {
  return handlers.length === 0 ? undefined : handlers.map(({ definition }) => definition.queue)
}

export function executorOf(options: WorkerOptions): Executor<PgClient> {
  const executor = options.executor ?? new HandlerExecutor<PgClient>(options.handlers ?? [])
  if (executor.kinds.length > 0) return executor
  throw new QueueError('invalid_options', 'a worker needs at least one handler: give handlers or an executor')
}

/** Where the runtime reports to. None of it throws, whatever the caller has given. */
export interface Reporting {
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
}

export function reportingOf(options: WorkerOptions): Reporting {
  const logger = loggerOf(options)
  return { logger, observer: observerOf(options, logger), tracer: createTracer(options.tracing, logger) }
}

/** A logger that throws is replaced, line by line, by nothing. */
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

/** How long ended jobs are kept; 0 in the settings keeps them for ever. */
export function retentionOf(settings: WorkerSettings): Retention {
  const kept = (ms: number): number | null => (ms === 0 ? null : ms)
  return {
    succeededMs: kept(settings.retentionSucceededMs),
    cancelledMs: kept(settings.retentionCancelledMs),
    failedMs: kept(settings.retentionFailedMs),
  }
}
