import { createJobCounter, type UnbegunJob } from '@queue/core/runtime'
import { connect } from '@queue/core/schema'
import { createNotifier, decodeNotification, type Notification, notifyChannel } from '@queue/core/workers'
import { type Logger, monotonicMs as nowMs, type Ticker } from '@queue/loop'
import {
  besidePool,
  besidePoolInThread,
  createListener,
  type Listener,
  type ListenerHealth,
} from '@queue/postgres'
import { createEndListener } from './attempt-end.ts'
import { containExecutor, createPayloads } from './execution.ts'
import { createJobLogs } from './job-logs.ts'
import { createFinisher, createRefusedEnds } from './finisher.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { LeaseThread } from './lease-thread/start-lease-thread.ts'
import {
  executorOf,
  parseSettings,
  slotGroupsOf,
  type WorkerOptions,
  type WorkerSettings,
} from './options.ts'
import type { Prefetch } from './prefetch.ts'
import { createOperationLoop } from './operation-loop.ts'
import { createProgressReports } from './progress.ts'
import { Reconciler } from './reconcile.ts'
import { createRecovery } from './recovery.ts'
import { createRetention } from './retention.ts'
import { reportingOf } from './reporting.ts'
import type { RunJobDeps } from './run-job.ts'
import { createScheduleLoop } from './schedule-loop.ts'
import { createSlotGroups, type SlotGroups } from './slot-groups.ts'
import { createTransactionPool } from './transaction-pool.ts'
import { SlowClaims } from './slow-claims.ts'
import { createStatsLoop } from './stats-loop.ts'
import { createUnwrittenBytes } from './unwritten-bytes.ts'
import { createWaitingLoop } from './waiting-loop.ts'
import { createWatch } from './watch.ts'

export type WorkerParts = ReturnType<typeof compose>

/** Creates all parts of a worker and connects them. Nothing runs yet. */
export function compose(options: WorkerOptions, onExhausted: () => void) {
  const base = createBase(options, () => lease.workerId)
  const { settings, logger } = base
  const onLost = (workerId: string): void => lease.lose(workerId)

  const writes = createWrites(base)
  const thread: LeaseThread = new LeaseThread({
    ...settings,
    connection: besidePoolInThread(base.database.pool),
    logger,
    onLost,
  })
  const slots: SlotGroups = createSlotGroups({
    base,
    writes,
    attemptsOf: (prefetch) => attemptDeps(base, writes, prefetch),
    onLeaseLost: onLost,
    onClaimFailed: () => reconciler.suspect(),
    returnUnstarted: createUnstartedReturner(writes, logger),
    onExhausted,
  })
  const reconciler: Reconciler = new Reconciler({
    ...base,
    heldLeases: () => slots.leases(),
    claimEnded: () => slots.claimsEnded(),
  })
  const lease: LeaseKeeper = new LeaseKeeper({
    ...base,
    thread,
    onLost: () => {
      slots.returnFetched()
      slots.abortAll('lease_lost')
    },
  })
  const recovery = createRecovery({ ...base, reconcile: () => reconciler.reconcile() })
  const watch = createWatch({ ...base, ...writes, executing: () => slots.executing() })
  const retention = createRetention(base)
  let health: ListenerHealth = 'unhealthy'
  const schedules = createScheduleLoop({
    ...base,
    ...writes,
    receivesNotifications: () => health === 'healthy',
  })
  const operations = createOperationLoop({ ...base, ...writes })
  const onHealth = (state: ListenerHealth): void => {
    health = state
    schedules.wake()
  }
  const listener = settings.notifications
    ? createWorkerListener(base, { slots, watch, schedules, operations, onHealth })
    : undefined
  const countLoops = [createStatsLoop(base), createWaitingLoop(base)]
  const loops: readonly Ticker[] = [recovery, watch, retention, schedules, operations, ...countLoops]
  return { ...base, writes, slots, reconciler, lease, loops, listener }
}

export type Base = ReturnType<typeof createBase>

/** The settings and services that all parts share. Each part takes those that its options name. */
export function createBase(options: WorkerOptions, workerId: () => string | undefined) {
  const parsed = parseSettings(options)
  const groups = slotGroupsOf(options, parsed)
  const concurrency = groups.reduce((sum, group) => sum + group.concurrency, 0)
  const settings = { ...parsed, concurrency }
  const { queryTimeoutMs } = settings
  const database = connect({ applicationName: 'queue-worker', ...options, queryTimeoutMs })
  const reporting = reportingOf(options)
  const executor = containExecutor(executorOf(options), reporting.logger)
  return {
    /** Here the concurrency is the number of slots of all groups. */
    settings,
    groups,
    database,
    /** Connections for the handlers alone. */
    transactions: createTransactionPool({ connection: besidePool(database.pool), max: concurrency }),
    reporting,
    logger: reporting.logger,
    /** Counts what happens to jobs, for `Queue.stats`. */
    counter: createJobCounter({
      database,
      onDropped: (counts) => reporting.observer.countsDropped(counts),
      onFailed: (error) =>
        reporting.logger.warn('counts could not be added to the job statistics', { error }),
    }),
    slowClaims: new SlowClaims({ database, workerId }),
    executor,
    kinds: executor.kinds,
    definitions: new Map((options.handlers ?? []).map(({ definition }) => [definition.kind, definition])),
    /** See `CompletionDeps`. Filled when the worker registers its definitions. */
    refusedVersions: new Set<string>(),
    ownSchedules: options.schedules,
    random: options.random ?? Math.random,
    nowMs,
    /** The id under which this process may claim now; undefined while it has no lease. */
    workerId,
    /** Aborted when nothing may wait for the database any longer. */
    giveUp: new AbortController(),
  }
}

export type Writes = ReturnType<typeof createWrites>

/** The writers of ends, progress, log lines and notifications. Each writes in groups. */
export function createWrites({ database, giveUp: { signal }, reporting: { logger, observer } }: Base) {
  const onOutage = (error: unknown): void =>
    logger.warn('the ends of attempts could not be recorded; trying again', { error })
  const unwritten = createUnwrittenBytes()
  const ends = { database, giveUp: signal, onOutage, unwritten }
  return {
    unwritten,
    finisher: createFinisher(ends),
    refusedEnds: createRefusedEnds({ ...ends, onCount: (count) => observer.refusedEnds(count) }),
    reports: createProgressReports(database, unwritten),
    logs: createJobLogs({
      database,
      logger,
      giveUp: signal,
      wallMs: Date.now,
      unwritten,
      onDropped: (lines) => observer.logLinesDropped(lines),
    }),
    notifier: createNotifier(database),
  }
}

/** The dependencies of an attempt, grouped by purpose. */
export function attemptDeps(
  base: Base,
  writes: Writes,
  prefetch: Pick<Prefetch, 'observePayloads'>,
): Omit<RunJobDeps, 'holder'> {
  const { settings, database, transactions, reporting, executor, giveUp } = base
  const { logger, observer } = reporting
  const { jobTimeoutMs, timeoutGraceMs, queryTimeoutMs, leaseMs } = settings
  const payloads = createPayloads({
    database,
    giveUp: giveUp.signal,
    onRead: ({ length }) => prefetch.observePayloads({ jobs: 1, length }),
    onOutage: (error) => logger.warn('payloads could not be read; trying again', { error }),
  })
  return {
    execution: { executor, payloads, ...writes },
    transactions: { logger, database, transactions, queryTimeoutMs, leaseMs },
    timeouts: { jobTimeoutMs, timeoutGraceMs },
    completion: { ...base, ...writes, observer },
    reporting,
    counter: base.counter,
    onEnd: createEndListener(base),
    workerId: base.workerId,
    nowMs,
  }
}

/** Returns unstarted jobs at once, and notifies the other workers because they may be idle. */
function createUnstartedReturner({ finisher, notifier }: Writes, logger: Logger) {
  const returnUnstarted = async (jobs: readonly UnbegunJob[]): Promise<void> => {
    try {
      await Promise.all(jobs.map((job) => finisher.returnUnstarted(job.lease)))
      const queues = new Set(jobs.map((job) => job.queue))
      notifier.tell([...queues].map((queue) => ({ type: 'rescan', queue })))
    } catch (error) {
      const message = 'unstarted jobs could not be returned; reconciliation will return them'
      logger.warn(message, { error })
    }
  }
  return (jobs: readonly UnbegunJob[]): void => void returnUnstarted(jobs)
}

interface Wakeable {
  readonly slots: SlotGroups
  readonly watch: Ticker
  readonly schedules: Ticker
  /** Called when notifications begin or cease to arrive. */
  readonly onHealth: (state: ListenerHealth) => void
  readonly operations: Ticker
}

/** Wakes the parts when a notification arrives. */
function createWorkerListener(
  { settings, database, reporting: { logger, observer } }: Base,
  parts: Wakeable,
): Listener {
  return createListener({
    database,
    channel: notifyChannel(database.schema),
    connection: besidePool(database.pool),
    logger,
    onHealth: (state) => {
      observer.listenerHealthy(state)
      parts.onHealth(state)
    },
    onNotification: (payload) => handleNotification(decodeNotification(payload), settings, parts),
    onGap: () => parts.slots.wake(),
  })
}

/** Notifications only trigger a poll. */
function handleNotification(
  notification: Notification,
  { queues }: WorkerSettings,
  { slots, watch, schedules, operations }: Omit<Wakeable, 'onHealth'>,
): void {
  if (notification.type === 'cancel') return watch.wake()
  if (notification.type === 'schedules') return schedules.wake()
  if (notification.type === 'operations') return operations.wake()
  if (!queues.includes(notification.queue)) return
  if (notification.type === 'rescan') slots.rescan(notification.queue)
  slots.wake(notification.queue)
}
