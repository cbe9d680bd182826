import { type ConnectOptions, jobFields, limits, QueueError, type PgClient } from '@queue/core'
import type { Retention } from '@queue/core/runtime'
import { type Executor, type Handler, HandlerExecutor } from '@queue/executor'
import { z } from 'zod'
import { logLevels, type Logger, stderrLogger } from './logger.ts'
import { neverThrowing } from '@queue/loop'
import { noObserver, type WorkerObserver } from './observer.ts'
import type { WorkerTracing } from './tracing.ts'

const dayMs = 86_400_000

/** What a timer can wait for; it would fire at once for anything longer. */
const timerMsMax = 2 ** 31 - 1
const durationMs = (min: number) => z.int().min(min).max(timerMsMax)

/** A loop that turns is seen to turn a few times a second, and a pause of that length is no stall. */
const stallMsMin = 2_000

/** The settings of a worker with their bounds and defaults; durations in milliseconds. */
export const workerSettingsSchema = z
  .object({
    concurrency: z.int().min(1).max(limits.claimBatchMax).default(4),
    queues: z.array(jobFields.queue).min(1).default(['default']),
    pollIntervalMs: durationMs(1).default(500),
    maxPollIntervalMs: durationMs(1).default(2_000),
    shutdownGraceMs: durationMs(0).default(30_000),
    leaseMs: durationMs(limits.leaseMsMin).default(30_000),
    heartbeatMs: durationMs(1).default(10_000),
    recoveryIntervalMs: durationMs(1).default(5_000),
    /** How long a statement of the runtime may take before its connection counts as dead. */
    queryTimeoutMs: durationMs(1).default(10_000),
    /** 0 = none. */
    jobTimeoutMs: z.int().min(0).max(limits.timeoutMsMax).default(0),
    /** How long a handler may go on after its timeout before its attempt is recorded as failed without it. */
    timeoutGraceMs: durationMs(0).default(5_000),
    /** How often running jobs are looked after: cancels, lost leases, progress. */
    watchIntervalMs: durationMs(1).default(500),
    /** How long ended jobs are kept, by how they ended; 0 = for ever. */
    retentionSucceededMs: z
      .int()
      .min(0)
      .default(7 * dayMs),
    retentionCancelledMs: z
      .int()
      .min(0)
      .default(7 * dayMs),
    retentionFailedMs: z
      .int()
      .min(0)
      .default(30 * dayMs),
    retentionIntervalMs: durationMs(1).default(60_000),
    /** How long the event loop may stand still before the process is ended; 0 = for ever. */
    stallMs: z.union([z.literal(0), durationMs(stallMsMin)]).default(300_000),
    /** Whether workers are told of new jobs; false polls only, as through a transaction-mode pooler. */
    notifications: z.boolean().default(true),
    /** How many jobs may be claimed ahead of a free slot. */
    prefetch: z.union([z.literal('auto'), z.int().min(0).max(limits.claimBatchMax)]).default('auto'),
    idPrefix: z
      .string()
      .regex(/^[A-Za-z0-9_.-]{1,100}$/, 'must be 1 to 100 letters, digits, dots, dashes')
      .default('worker'),
    version: z.string().default('unknown'),
  })
  .refine((settings) => settings.heartbeatMs <= settings.leaseMs / 3, {
    path: ['heartbeatMs'],
    message: 'must be at most a third of leaseMs, so that two lost renewals do not lose the lease',
  })
  .refine((settings) => settings.maxPollIntervalMs >= settings.pollIntervalMs, {
    path: ['maxPollIntervalMs'],
    message: 'must not be below pollIntervalMs',
  })

export type WorkerSettings = z.output<typeof workerSettingsSchema>

export type WorkerOptions = ConnectOptions &
  z.input<typeof workerSettingsSchema> &
  Work & {
    /** Default: warnings and errors on stderr. */
    readonly logger?: Logger
    readonly metrics?: WorkerObserver
    /** Makes every claim and every attempt an operation of a trace; absent: none. */
    readonly tracing?: WorkerTracing
    /** A uniform draw from [0, 1), for retry jitter. */
    readonly random?: () => number
  }

type Work =
  | { readonly handlers: readonly Handler<PgClient>[]; readonly executor?: never }
  | { readonly executor: Executor<PgClient>; readonly handlers?: never }

/** The checked settings. Throws `QueueError` (`invalid_options`) that names each setting and what is wrong. */
export function parseSettings(options: WorkerOptions): WorkerSettings {
  const parsed = workerSettingsSchema.safeParse(options)
  if (parsed.success) return parsed.data
  const issues = parsed.error.issues.map((issue) => `${issue.path.join('.')}: ${issue.message}`)
  throw new QueueError('invalid_options', `the worker's options are wrong: ${issues.join('; ')}`)
}

export function executorOf(options: WorkerOptions): Executor<PgClient> {
  const executor = options.executor ?? new HandlerExecutor<PgClient>(options.handlers ?? [])
  if (executor.kinds.length > 0) return executor
  throw new QueueError('invalid_options', 'a worker needs at least one handler: give handlers or an executor')
}

/** Where the runtime logs to. A logger that throws is replaced, line by line, by nothing. */
export function loggerOf(options: WorkerOptions): Logger {
  return neverThrowing(options.logger ?? stderrLogger, {
    names: logLevels,
    onFault: (error) => stderrLogger.error('the logger throws: lines are lost', { error }),
  })
}

/** What the runtime reports to, made safe. The first fault is logged. */
export function observerOf(options: WorkerOptions, logger: Logger): WorkerObserver {
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
