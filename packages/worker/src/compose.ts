import { decodeNotification, type Notification, notifyChannel, type UnbegunJob } from '@queue/core/internal'
import { type Logger, monotonicMs as nowMs, type Ticker } from '@queue/loop'
import {
  besidePool,
  besidePoolInThread,
  createListener,
  type Listener,
  type ListenerHealth,
} from '@queue/postgres'
import { createEndListener } from './attempt-end.ts'
import { type Base, createBase, createWrites, type Writes } from './base.ts'
import { createPayloads } from './execution.ts'
import { LeaseKeeper } from './lease-keeper.ts'
import { LeaseThread } from './lease-thread/start-lease-thread.ts'
import type { WorkerOptions, WorkerSettings } from './options.ts'
import type { Prefetch } from './prefetch.ts'
import { createOperationLoop } from './operation-loop.ts'
import { Reconciler } from './reconcile.ts'
import { createRecovery } from './recovery.ts'
import { createRetention } from './retention.ts'
import type { RunJobDeps } from './run-job.ts'
import { createScheduleLoop } from './schedule-loop.ts'
import { createSlotGroups, type SlotGroups } from './slot-groups.ts'
import { createStatsLoop } from './stats-loop.ts'
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
