import { type ConnectedDatabase, QueueError } from '@queue/core'
import {
  besidePool,
  besidePoolElsewhere,
  checkSchemaVersion,
  connect,
  createNotifier,
  type Hint,
  type Notifier,
  notifyChannel,
  type UnbegunJob,
} from '@queue/core/runtime'
import { createListener, type Ticker } from '@queue/loop'
import { type Claimer, createClaimer } from './claimer.ts'
import { containExecutor } from './contained-executor.ts'
import { createFetcher, type Fetcher } from './fetcher.ts'
import { createFinisher, type Finisher } from './finisher.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import { monotonicMs } from './lease-thread/shared-state.ts'
import { createLeaseThread } from './lease-thread/start-lease-thread.ts'
import type { Logger } from './logger.ts'
import {
  executorOf,
  loggerOf,
  observerOf,
  parseSettings,
  retentionOf,
  type WorkerOptions,
  type WorkerSettings,
} from './options.ts'
import { createPayloads } from './payloads.ts'
import { createPrefetch } from './prefetch.ts'
import { createProgressReports } from './progress-reports.ts'
import { createReconciler } from './reconcile.ts'
import { createRecovery } from './recovery.ts'
import { createRefusedEnds } from './refused-ends.ts'
import { createRetention } from './retention.ts'
import { createRunner } from './runner.ts'
import { shutDown } from './shut-down.ts'
import { createSlots } from './slots.ts'
import { createTracer } from './tracing.ts'
import { createTransactionPool } from './transaction-pool.ts'
import { createWatch } from './watch.ts'

/** The runtime that claims jobs and runs them. */
export interface Worker {
  /** The id in `jobs.locked_by` and in the registry; undefined before the start and while the lease is lost. */
  readonly id: string | undefined
  /** How many handlers run now. */
  readonly running: number
  /**
   * Resolves when the worker has given up and stopped by itself, with the reason: every slot holds a handler that
   * goes on past its timeout and grace. The process has to exit then, because nothing else ends such handlers. Never
   * rejects, and never resolves while there is work that can be done.
   */
  readonly failed: Promise<Error>
  /**
   * Registers, takes over what lost workers have left, and begins to claim. Throws `schema_mismatch` when the
   * schema is not one that this code runs on, `database_unavailable` when there is no connection. Once started, a
   * database that goes away does not end the worker. A start that failed can be tried again; once it has succeeded,
   * another call does nothing. A stopped worker stays so, and throws.
   */
  start(): Promise<void>
  /**
   * Stops claiming, lets what runs finish within the shutdown grace, then aborts its signals and releases what
   * still runs, uncharged. Safe to call twice, before the start, and during it.
   */
  stop(): Promise<void>
}

/** A worker on its own pool, or on the caller's. Throws `QueueError` (`invalid_options`) on bad options. */
export function createWorker(options: WorkerOptions): Worker {
  const exhausted = Promise.withResolvers<void>()
  const parts = compose(options, exhausted.resolve)
  let started: Promise<void> | undefined
  let stopped: Promise<void> | undefined
  const startOnce = async (): Promise<void> => {
    try {
      await start(parts)
    } catch (error) {
      started = undefined
      throw error
    }
  }
  const stopAfterStart = async (): Promise<void> => {
    // What the start has begun by then is stopped; what it could not begin is its caller's to hear of.
    await started?.catch(() => undefined)
    await stop(parts)
  }
  const stopOnce = (): Promise<void> => (stopped ??= stopAfterStart())
  return {
    failed: exhausted.promise.then(() => stopExhausted(parts, stopOnce)),
    get id() {
      return parts.lease.workerId
    },
    get running() {
      return parts.runner.executing().length
    },
    start: async () => {
      if (stopped !== undefined) throw new Error('this worker was stopped: create another one')
      started ??= startOnce()
      await started
    },
    stop: stopOnce,
  }
}

const nowMs = monotonicMs

/** Every part with what it needs of the others; nothing runs yet. */
function compose(options: WorkerOptions, onExhausted: () => void) {
  const settings = parseSettings(options)
  const database = connect({
    applicationName: 'queue-worker',
    ...options,
    queryTimeoutMs: settings.queryTimeoutMs,
  })
  const { pool } = database
  const transactions = createTransactionPool({ connection: besidePool(pool), max: settings.concurrency })
  const giveUp = new AbortController()
  const logger = loggerOf(options)
  const executor = containExecutor(executorOf(options), logger)
  const shared = {
    ...settings,
    database,
    nowMs,
    logger,
    kinds: executor.kinds,
    observer: observerOf(options, logger),
    tracer: createTracer(options.tracing, logger),
    workerId: (): string | undefined => lease.workerId,
  }
  const slots = createSlots(settings.concurrency, nowMs)
  const claimer = createClaimer({ ...shared, onLeaseLost: (workerId) => lease.lose(workerId) })
  const prefetch = createPrefetch({ ...shared, setting: settings.prefetch })
  const ends = {
    database,
    giveUp: giveUp.signal,
    onOutage: (error: unknown) =>
      logger.warn('the ends of jobs could not be written; trying again', { error }),
  }
  const finisher = createFinisher(ends)
  const refusedEnds = createRefusedEnds({ ...ends, onCount: shared.observer.refusedEnds })
  const payloads = createPayloads({
    database,
    giveUp: giveUp.signal,
    onRead: ({ length }) => prefetch.observePayloads({ jobs: 1, length }),
    onOutage: (error) => logger.warn('payloads could not be read; trying again', { error }),
  })
  const reports = createProgressReports(database)
  const runner = createRunner({
    ...shared,
    reports,
    executor,
    payloads,
    finisher,
    refusedEnds,
    settings,
    slots,
    random: options.random ?? Math.random,
    transactions,
    onRoom: () => fetcher.onRoom(),
    onDuration: prefetch.observe,
    onDeadline: (deadlineMs) => thread.expectEnd(deadlineMs),
    onDeadlineOver: (deadlineMs) => thread.forgetEnd(deadlineMs),
    onExhausted,
    onCrashedLeft: () => claimer.rescan(),
  })
  const fetcher = createFetcher({
    ...shared,
    slots,
    claimer,
    prefetch,
    runsCrashed: runner.runsCrashed,
    unrecorded: runner.unrecorded,
    endsRefused: () => refusedEnds.isFull,
    begin: runner.begin,
    giveBack: (jobs) => void giveBack(jobs, { finisher, notifier, logger }),
    onFailedClaim: () => reconciler.suspect(),
  })
  const notifier = createNotifier(database)
  const reconciler = createReconciler({
    ...shared,
    held: () => [...runner.leases(), ...fetcher.leases()],
    claimsSettled: fetcher.settled,
  })
  const thread = createLeaseThread({
    connection: besidePoolElsewhere(pool),
    logger,
    heartbeatMs: settings.heartbeatMs,
    stallMs: settings.stallMs,
    onLost: (workerId) => lease.lose(workerId),
    deadlineMs: runner.earliestDeadlineMs,
  })
  const lease = createLeaseKeeper({
    ...shared,
    thread,
    onLost: () => {
      fetcher.letGo()
      runner.abortAll('lease_lost')
    },
  })
  const recovery = createRecovery({
    ...shared,
    intervalMs: settings.recoveryIntervalMs,
    reconcile: reconciler.reconcile,
  })
  const watch = createWatch({
    ...shared,
    intervalMs: settings.watchIntervalMs,
    executing: runner.executing,
    reports,
  })
  const listener = settings.notifications
    ? createListener({
        ...shared,
        channel: notifyChannel(database.schema),
        connection: besidePool(pool),
        onHealth: shared.observer.listenerHealthy,
        onHint: (hint) => follow(hint, { settings, claimer, fetcher, watch }),
        onGap: () => fetcher.wake(),
      })
    : undefined
  const retention = createRetention({
    database,
    logger,
    intervalMs: settings.retentionIntervalMs,
    retention: retentionOf(settings),
  })
  const running = {
    retention,
    runner,
    lease,
    fetcher,
    recovery,
    reconciler,
    watch,
    finisher,
    refusedEnds,
    listener,
    notifier,
  }
  return { ...shared, ...running, giveUp, transactions, settings }
}

/** What is not begun goes back at once, and the others are told: they may be idle. */
async function giveBack(
  jobs: readonly UnbegunJob[],
  parts: { readonly finisher: Finisher; readonly notifier: Notifier; readonly logger: Logger },
): Promise<void> {
  try {
    await Promise.all(jobs.map((job) => parts.finisher.giveBack(job.lease)))
    const queues = new Set(jobs.map((job) => job.queue))
    parts.notifier.tell([...queues].map((queue) => ({ type: 'rescan', queue })))
  } catch (error) {
    parts.logger.warn('jobs could not be returned unstarted: the next look at the own jobs finds them', {
      error,
    })
  }
}

interface HintTargets {
  readonly settings: WorkerSettings
  readonly claimer: Claimer
  readonly fetcher: Fetcher
  readonly watch: Ticker
}

/** A hint is never believed, only looked into. */
function follow(hint: Hint, { settings, claimer, fetcher, watch }: HintTargets): void {
  if (hint.type === 'cancel') watch.wake()
  if ((hint.type !== 'queue' && hint.type !== 'rescan') || !settings.queues.includes(hint.queue)) return
  if (hint.type === 'rescan') claimer.rescan(hint.queue)
  fetcher.wake()
}

type Parts = ReturnType<typeof compose>

async function start(parts: Parts): Promise<void> {
  await assertSchema(parts.database)
  await parts.lease.start()
  parts.observer.concurrency(parts.settings.concurrency)
  parts.observer.kinds(parts.kinds, parts.settings.queues)
  parts.recovery.start()
  parts.watch.start()
  parts.retention.start()
  parts.fetcher.start()
  parts.listener?.start()
}

async function stop(parts: Parts): Promise<void> {
  const close = async (): Promise<void> => {
    await parts.transactions.close()
    await parts.database.close()
  }
  const { database, settings } = parts
  await shutDown({
    ...parts,
    close,
    renewConnections: database.renewConnections,
    shutdownGraceMs: settings.shutdownGraceMs,
  })
}

/** Nothing can run here any more: what waits in memory goes back, and the lease is given up. */
async function stopExhausted({ logger, settings }: Parts, stopOnce: () => Promise<void>): Promise<Error> {
  const why = `all ${settings.concurrency} slots hold handlers that go on past their timeout and grace`
  logger.error(`${why}: this worker stops`)
  await stopOnce().catch((error: unknown) => logger.error('the worker did not stop cleanly', { error }))
  return new Error(`${why}: the worker has stopped, and only the end of its process ends them`)
}

async function assertSchema(database: ConnectedDatabase): Promise<void> {
  const { status, databaseVersion, codeVersion } = await checkSchemaVersion(database)
  if (status === 'compatible') return
  throw new QueueError(
    'schema_mismatch',
    `the schema is ${status} (database ${databaseVersion}, code ${codeVersion}): ` +
      (status === 'newer' ? 'run a newer release of the worker' : 'run migrate up first'),
  )
}
