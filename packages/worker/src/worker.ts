import { checkSchemaVersion, connect, type ConnectedDatabase, QueueError } from '@queue/core'
import pg from 'pg'
import { createFetcher } from './fetcher.ts'
import { createFinisher } from './finisher.ts'
import { createLeaseKeeper } from './lease-keeper.ts'
import { executorOf, loggerOf, observerOf, parseSettings, type WorkerOptions } from './options.ts'
import { createRecovery } from './recovery.ts'
import { createRunner } from './runner.ts'
import { shutDown } from './shut-down.ts'
import { createSlots } from './slots.ts'
import { createWatch } from './watch.ts'

/** The runtime that claims jobs and runs them. */
export interface Worker {
  /** The id in `jobs.locked_by` and in the registry; undefined before the start and while the lease is lost. */
  readonly id: string | undefined
  /** How many handlers run now. */
  readonly running: number
  /**
   * Registers, takes over what lost workers have left, and begins to claim. Throws `schema_mismatch` when the
   * schema is not one that this code runs on, `database_unavailable` when there is no connection. Once started, a
   * database that goes away does not end the worker.
   */
  start(): Promise<void>
  /**
   * Stops claiming, lets what runs finish within the shutdown grace, then aborts its signals and releases what
   * still runs, uncharged. Safe to call twice.
   */
  stop(): Promise<void>
}

/** A worker on its own pool, or on the caller's. Throws `QueueError` (`invalid_options`) on bad options. */
export function createWorker(options: WorkerOptions): Worker {
  const parts = compose(options)
  let stopped: Promise<void> | undefined
  return {
    get id() {
      return parts.lease.workerId
    },
    get running() {
      return parts.runner.executing().length
    },
    start: async () => {
      await assertSchema(parts.database)
      await parts.lease.start()
      parts.observer.concurrency(parts.shutdown.concurrency)
      parts.recovery.start()
      parts.watch.start()
      parts.fetcher.start()
    },
    stop: () => {
      stopped ??= stop(parts)
      return stopped
    },
  }
}

const nowMs = (): number => performance.now()

/** Every part with what it needs of the others; nothing runs yet. */
function compose(options: WorkerOptions) {
  const settings = parseSettings(options)
  const executor = executorOf(options)
  const database = connect({ applicationName: 'queue-worker', ...options })
  const transactions = createTransactionPool(options, settings.concurrency)
  const giveUp = new AbortController()
  const logger = loggerOf(options)
  const observer = observerOf(options, logger)
  const shared = { ...settings, database, nowMs, kinds: executor.kinds, logger, observer }
  const slots = createSlots(settings.concurrency, nowMs)
  const finisher = createFinisher({
    database,
    giveUp: giveUp.signal,
    onOutage: (error) => shared.logger.warn('the ends of jobs could not be written; trying again', { error }),
  })
  const runner = createRunner({
    ...shared,
    ...{ executor, finisher, settings, slots },
    random: options.random ?? Math.random,
    transactionPool: transactions.get,
    workerId: () => lease.workerId,
  })
  const lease = createLeaseKeeper({ ...shared, onLost: () => runner.abortAll('lease_lost') })
  const fetcher = createFetcher({
    ...shared,
    slots,
    workerId: () => lease.workerId,
    begin: (job) => runner.begin(job),
  })
  const recovery = createRecovery({ ...shared, intervalMs: settings.recoveryIntervalMs })
  const watch = createWatch({ ...shared, intervalMs: settings.watchIntervalMs, executing: runner.executing })
  return {
    ...shared,
    runner,
    lease,
    fetcher,
    recovery,
    watch,
    finisher,
    giveUp,
    transactions,
    shutdown: settings,
  }
}

type Parts = ReturnType<typeof compose>

async function stop(parts: Parts): Promise<void> {
  await shutDown({ ...parts, shutdownGraceMs: parts.shutdown.shutdownGraceMs })
  await parts.transactions.close()
  await parts.database.close()
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

/** Made at the first `ctx.transaction`, with a connection for each handler that may run. */
function createTransactionPool(options: WorkerOptions, max: number) {
  let pool: pg.Pool | undefined
  const create = (): pg.Pool => {
    const target = 'pool' in options ? options.pool.options : { connectionString: options.connectionString }
    const created = new pg.Pool({ ...target, max, keepAlive: true, application_name: 'queue-handler' })
    // An idle connection that breaks must not end the process: the next transaction gets a fresh one.
    created.on('error', () => undefined)
    return created
  }
  return {
    get: () => {
      pool ??= create()
      return pool
    },
    close: async () => pool?.end(),
  }
}
