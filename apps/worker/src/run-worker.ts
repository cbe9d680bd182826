import type { PgClient } from '@queue/core'
import { acquireTimeoutsOf } from '@queue/postgres'
import { connect } from '@queue/core/schema'
import type { Executor } from '@queue/executor'
import {
  announceReady,
  closeAtExit,
  createReadiness,
  ExitError,
  exitCodes,
  type MainContext,
  releaseIdleMemory,
  startOpsServer,
  waitForAbort,
  waitForSchema,
  waitWhileUnavailable,
} from '@queue/service'
import { createMetricsRegistry, createTracing, createWorkerMetrics, observePools } from '@queue/telemetry'
import { createWorker, type Worker, type WorkerObserver } from '@queue/worker'
import type { WorkerConfig } from './config.ts'
import { program } from './program.ts'
import { runTogether } from './run-together.ts'

/** How long a scrape or a probe that is in progress at the stop may take. */
const opsGraceMs = 1_000

/**
 * How long a statement may take. The server enforces it for the pool, so it is the same for all users of the pool: the
 * worker, the probes and the relay.
 */
const statementTimeoutMs = 10_000

export interface RunWorkerOptions extends MainContext<WorkerConfig, undefined> {
  /** Called once, when the database is available and its schema is checked. */
  readonly createExecutor: () => Executor<PgClient>
}

/**
 * The life of the process: it answers probes from the start, waits for the database and checks its schema, works until
 * `signal` aborts, drains, and only then stops answering probes. Throws an ExitError (1) if handlers that do not end occupy
 * every slot: only the end of the process stops them.
 */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { config, logger, signal } = options
  const database = connect({
    connectionString: config.DATABASE_URL,
    schema: config.QUEUE_SCHEMA,
    ...config.pool,
    applicationName: program.name,
    queryTimeoutMs: statementTimeoutMs,
    preparedStatements: config.DATABASE_POOLER !== 'transaction',
  })
  const registry = createMetricsRegistry({ service: program.name, version: program.version })
  observePools(registry, { pools: { main: database.pool }, acquireTimeouts: acquireTimeoutsOf })
  const metrics = createWorkerMetrics(registry)
  const relay = config.WORKER_OUTBOX
    ? (await loadRelay()).composeRelay({ config, logger, registry, database })
    : undefined
  const server = await startOpsServer({
    registry,
    readiness: createReadiness({ database, signal, demands: 'writes' }),
    logger,
    address: { ...config.WORKER_METRICS_BIND_ADDR, variable: 'WORKER_METRICS_BIND_ADDR' },
  })
  try {
    signal.throwIfAborted()
    logger.info('serving health and metrics', { url: server.url })
    releaseIdleMemory()
    await waitForSchema({ database, logger, signal })
    const worker = composeWorker({ ...options, metrics, pool: database.pool })
    const onStarted = (): void => announceReady(server.url)
    await runTogether(signal, [
      (stopSignal) => workUntil(stopSignal, { worker, logger, onStarted }),
      ...(relay === undefined ? [] : [relay.runUntil]),
    ])
  } finally {
    await server.close({ graceMs: opsGraceMs })
    await closeAtExit(Promise.all([relay?.close(), database.close()]))
  }
}

/** Loads the relay on demand, because a loaded module stays in memory and most workers have no relay. */
function loadRelay() {
  return import('./relay.ts')
}

interface WorkOptions extends Pick<MainContext<WorkerConfig, undefined>, 'logger'> {
  readonly worker: Worker
  readonly onStarted: () => void
}

/** Starts the worker, and stops it when `signal` aborts, also in the middle of its start. */
async function workUntil(signal: AbortSignal, { worker, logger, onStarted }: WorkOptions): Promise<void> {
  try {
    await waitWhileUnavailable({ attempt: () => worker.start(), logger, signal })
    onStarted()
    const failure = await Promise.race([waitForAbort(signal), worker.failed])
    if (failure !== undefined) throw new ExitError(exitCodes.failure, failure.message, { cause: failure })
  } finally {
    await worker.stop()
  }
}

interface WorkerParts extends RunWorkerOptions {
  readonly metrics: WorkerObserver
  /** The worker opens its other connections with the URL from the options of this pool. */
  readonly pool: ReturnType<typeof connect>['pool']
}

function composeWorker({ config, logger, metrics, pool, createExecutor }: WorkerParts): Worker {
  return createWorker({
    ...config.worker,
    pool,
    schema: config.QUEUE_SCHEMA,
    executor: createExecutor(),
    notifications: config.WORKER_NOTIFY ?? config.DATABASE_POOLER !== 'transaction',
    preparedStatements: config.DATABASE_POOLER !== 'transaction',
    queryTimeoutMs: statementTimeoutMs,
    version: program.version,
    logger,
    metrics,
    tracing: createTracing(),
  })
}
