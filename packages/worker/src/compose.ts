import {
  besidePool,
  besidePoolElsewhere,
  connect,
  createNotifier,
  type Hint,
  notifyChannel,
  type UnbegunJob,
} from '@queue/core/runtime'
import { createListener, type Listener, type Ticker } from '@queue/loop'
import { type Claimer, createClaimer } from './claimer.ts'
import { containExecutor, createPayloads } from './execution.ts'
import { Fetcher } from './fetcher.ts'
import { createFinisher } from './finisher.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { monotonicMs as nowMs } from './lease-thread/shared-state.ts'
import { LeaseThread } from './lease-thread/start-lease-thread.ts'
import {
  executorOf,
  parseSettings,
  reportingOf,
  retentionOf,
  type WorkerOptions,
  type WorkerSettings,
} from './options.ts'
import { createPrefetch, type Prefetch } from './prefetch.ts'
import { createProgressReports } from './progress.ts'
import { Reconciler } from './reconcile.ts'
import { createRecovery } from './recovery.ts'
import { createRefusedEnds } from './refused-ends.ts'
import { createRetention } from './retention.ts'
import type { RunJobDeps } from './run-job.ts'
import { Runner } from './runner.ts'
import { createTransactionPool } from './transaction-pool.ts'
import { createWatch } from './watch.ts'

export type WorkerParts = ReturnType<typeof compose>

/** Every part with what it needs of the others; nothing runs yet. */
export function compose(options: WorkerOptions, onExhausted: () => void) {
  const base = createBase(options)
  const { settings, database, executor, reporting } = base
  const { logger, observer } = reporting
  const { concurrency, queryTimeoutMs } = settings
  const { kinds } = executor
  const workerId = (): string | undefined => lease.workerId
  const onLost = (id: string): void => lease.lose(id)

  const prefetch = createPrefetch({ setting: settings.prefetch, concurrency, nowMs })
  const writes = createWrites(base)
  const onFailed = (): void => reconciler.suspect()
  const claimer = createClaimer({
    database,
    reporting,
    settings,
    kinds,
    nowMs,
    onLeaseLost: onLost,
    onFailed,
  })
  const thread = new LeaseThread({
    connection: besidePoolElsewhere(database.pool),
    heartbeatMs: settings.heartbeatMs,
    stallMs: settings.stallMs,
    logger,
    onLost,
    deadlineMs: () => runner.earliestDeadlineMs(),
  })
  const runner = new Runner({
    concurrency,
    attempts: attemptDeps(base, { writes, prefetch, thread, workerId }),
    observer,
    nowMs,
    onRoom: () => fetcher.onRoom(),
    onDuration: prefetch.observe,
    onCrashedLeft: () => claimer.rescan(),
    onExhausted,
  })
  const { refusedEnds } = writes
  const returnUnstarted = createReturn(base, writes)
  const fetcher = new Fetcher({
    claimer,
    prefetch,
    runner,
    refusedEnds,
    polling: settings,
    nowMs,
    workerId,
    returnUnstarted,
  })
  const reconciler = new Reconciler({
    database,
    logger,
    nowMs,
    queryTimeoutMs,
    workerId,
    held: () => [...runner.leases(), ...fetcher.leases()],
    claimEnded: () => fetcher.claimEnded(),
  })
  const onLeaseLost = (): void => {
    fetcher.letGo()
    runner.abortAll('lease_lost')
  }
  const registration = { ...settings, kinds }
  const lease = new LeaseKeeper({ database, logger, registration, nowMs, thread, onLost: onLeaseLost })
  const watch = createWatch({
    database,
    logger,
    reports: writes.reports,
    executing: () => runner.executing(),
    intervalMs: settings.watchIntervalMs,
  })
  const loops = [...createUpkeep(base, { reconciler, workerId }), watch]
  const listener = settings.notifications ? listen(base, { claimer, fetcher, watch }) : undefined
  return { ...base, writes, runner, fetcher, reconciler, lease, loops, listener }
}

type Base = ReturnType<typeof createBase>

/** What every part is made from. */
function createBase(options: WorkerOptions) {
  const settings = parseSettings(options)
  const { queryTimeoutMs, concurrency } = settings
  const database = connect({ applicationName: 'queue-worker', ...options, queryTimeoutMs })
  const reporting = reportingOf(options)
  return {
    settings,
    database,
    /** Connections for the handlers alone. */
    transactions: createTransactionPool({ connection: besidePool(database.pool), max: concurrency }),
    reporting,
    executor: containExecutor(executorOf(options), reporting.logger),
    random: options.random ?? Math.random,
    /** Aborts when it is no longer worth waiting for the database. */
    giveUp: new AbortController(),
  }
}

type Writes = ReturnType<typeof createWrites>

/** What is written about jobs, in groups. */
function createWrites({ database, giveUp: { signal }, reporting: { logger, observer } }: Base) {
  const onOutage = (error: unknown): void =>
    logger.warn('the ends of jobs could not be written; trying again', { error })
  const ends = { database, giveUp: signal, onOutage }
  return {
    finisher: createFinisher(ends),
    refusedEnds: createRefusedEnds({ ...ends, onCount: (count) => observer.refusedEnds(count) }),
    reports: createProgressReports(database),
    notifier: createNotifier(database),
  }
}

interface AttemptParts {
  readonly writes: Writes
  readonly prefetch: Prefetch
  readonly thread: LeaseThread
  readonly workerId: () => string | undefined
}

/** What an attempt needs, by what it is for. */
function attemptDeps(
  { settings, database, transactions, reporting, executor, random, giveUp }: Base,
  { writes, prefetch, thread, workerId }: AttemptParts,
): Omit<RunJobDeps, 'holder'> {
  const { logger, observer } = reporting
  const { jobTimeoutMs, timeoutGraceMs, queryTimeoutMs, leaseMs } = settings
  const payloads = createPayloads({
    database,
    giveUp: giveUp.signal,
    onRead: ({ length }) => prefetch.observePayloads({ jobs: 1, length }),
    onOutage: (error) => logger.warn('payloads could not be read; trying again', { error }),
  })
  const onDeadline = (deadlineMs: number): void => thread.expectEnd(deadlineMs)
  const onDeadlineOver = (deadlineMs: number): void => thread.forgetEnd(deadlineMs)
  return {
    execution: { executor, payloads, finisher: writes.finisher },
    transactions: { logger, database, transactions, queryTimeoutMs, leaseMs },
    timeouts: { jobTimeoutMs, timeoutGraceMs, onDeadline, onDeadlineOver },
    completion: { ...writes, executor, random, logger, observer },
    reporting,
    workerId,
    nowMs,
  }
}

/** What is not begun goes back at once, and the others are told: they may be idle. */
function createReturn({ reporting }: Base, { finisher, notifier }: Writes) {
  const giveBack = async (jobs: readonly UnbegunJob[]): Promise<void> => {
    try {
      await Promise.all(jobs.map((job) => finisher.giveBack(job.lease)))
      const queues = new Set(jobs.map((job) => job.queue))
      notifier.tell([...queues].map((queue) => ({ type: 'rescan', queue })))
    } catch (error) {
      const message = 'jobs could not be returned unstarted: the next look at the own jobs finds them'
      reporting.logger.warn(message, { error })
    }
  }
  return (jobs: readonly UnbegunJob[]): void => void giveBack(jobs)
}

interface UpkeepParts {
  readonly reconciler: Reconciler
  readonly workerId: () => string | undefined
}

/** What every worker does for all of them: recovery and retention. */
function createUpkeep(
  { settings, database, reporting }: Base,
  { reconciler, workerId }: UpkeepParts,
): readonly Ticker[] {
  const { logger, observer } = reporting
  const intervalMs = settings.recoveryIntervalMs
  const reconcile = (): Promise<void> => reconciler.reconcile()
  return [
    createRecovery({ database, logger, observer, intervalMs, workerId, reconcile }),
    createRetention({
      database,
      logger,
      intervalMs: settings.retentionIntervalMs,
      retention: retentionOf(settings),
    }),
  ]
}

interface Wakeable {
  readonly claimer: Claimer
  readonly fetcher: Fetcher
  readonly watch: Ticker
}

/** What wakes the parts when there is something to be done. */
function listen({ settings, database, reporting: { logger, observer } }: Base, parts: Wakeable): Listener {
  return createListener({
    database,
    channel: notifyChannel(database.schema),
    connection: besidePool(database.pool),
    logger,
    onHealth: (state) => observer.listenerHealthy(state),
    onHint: (hint) => follow(hint, settings, parts),
    onGap: () => parts.fetcher.wake(),
  })
}

/** Notifications only trigger a poll. */
function follow(hint: Hint, { queues }: WorkerSettings, { claimer, fetcher, watch }: Wakeable): void {
  if (hint.type === 'cancel') watch.wake()
  if ((hint.type !== 'queue' && hint.type !== 'rescan') || !queues.includes(hint.queue)) return
  if (hint.type === 'rescan') claimer.rescan(hint.queue)
  fetcher.wake()
}
