import { connect, type ConnectedDatabase } from '@queue/core/internal'
import { acquireTimeoutsOf } from '@queue/postgres'
import {
  type Logger,
  type MetricsRegistry,
  type Tracing,
  createMetricsRegistry,
  createTracing,
  createWorkerMetrics,
  observePools,
} from '@queue/telemetry'
import { announceReady } from './announce-ready.ts'
import { closeAtExit } from './close-at-exit.ts'
import type { WorkerProcessConfig } from './config/worker-variables.ts'
import { ExitError, exitCodes } from './exit-code.ts'
import { createReadiness } from './readiness.ts'
import { releaseIdleMemory } from './release-idle-memory.ts'
import { type Task, runTogether } from './run-together.ts'
import { startOpsServer } from './start-ops-server.ts'
import { waitForAbort } from './until-aborted.ts'
import { waitForSchema } from './wait-for-schema.ts'
import { waitWhileUnavailable } from './wait-while-unavailable.ts'

/** How long a scrape or a probe that is in progress at the stop may take. */
const opsGraceMs = 1_000

/**
 * How long a statement may take. The server enforces it for the pool, so it is the same for all users of the pool: the
 * worker, the probes and the relay.
 */
const statementTimeoutMs = 10_000

/** What the process gives to its worker: the options of `createWorker` that do not depend on its jobs. */
export interface WorkerSurroundings {
  /** The worker opens its other connections with the URL from the options of this pool. */
  readonly pool: ConnectedDatabase['pool']
  readonly schema: string
  readonly notifications: boolean
  readonly preparedStatements: boolean
  readonly queryTimeoutMs: number
  readonly version: string
  readonly logger: Logger
  readonly metrics: ReturnType<typeof createWorkerMetrics>
  readonly tracing: Tracing
}

/** A worker of `@queue/worker`. */
export interface RunnableWorker {
  start(): Promise<void>
  stop(): Promise<void>
  readonly failed: Promise<Error>
}

/** Another task of the process, such as the relay of an outbox. */
export interface WorkerCompanion {
  readonly runUntil: Task
  close(): Promise<void>
}

export interface RunWorkerOptions {
  readonly program: { readonly name: string; readonly version: string }
  readonly config: WorkerProcessConfig
  readonly logger: Logger
  readonly signal: AbortSignal
  /** Called once, when the database is available and its schema is checked. */
  readonly createWorker: (surroundings: WorkerSurroundings) => RunnableWorker
  /** A task that runs as long as the worker; if one of them ends, so does the other. */
  readonly companion?: (parts: {
    readonly registry: MetricsRegistry
    readonly database: ConnectedDatabase
  }) => WorkerCompanion
}

/**
 * The life of a worker's process: it answers probes from the start, waits for the database and checks its schema, works until
 * `signal` aborts, drains, and only then stops answering probes. Throws an ExitError (1) if handlers that do not end occupy
 * every slot: only the end of the process stops them.
 */
export async function runWorker(options: RunWorkerOptions): Promise<void> {
  const { program, config, logger, signal } = options
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
  const companion = options.companion?.({ registry, database })
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
    const worker = options.createWorker(surroundingsOf({ ...options, metrics, pool: database.pool }))
    const onStarted = (): void => announceReady(server.url)
    await runTogether(signal, [
      (stopSignal) => workUntil(stopSignal, { worker, logger, onStarted }),
      ...(companion === undefined ? [] : [companion.runUntil]),
    ])
  } finally {
    await server.close({ graceMs: opsGraceMs })
    await closeAtExit(Promise.all([companion?.close(), database.close()]))
  }
}

interface WorkOptions {
  readonly worker: RunnableWorker
  readonly logger: Logger
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

type SurroundingParts = Pick<RunWorkerOptions, 'program' | 'config' | 'logger'> &
  Pick<WorkerSurroundings, 'metrics' | 'pool'>

function surroundingsOf({ program, config, logger, metrics, pool }: SurroundingParts): WorkerSurroundings {
  const isDirect = config.DATABASE_POOLER !== 'transaction'
  return {
    pool,
    schema: config.QUEUE_SCHEMA,
    notifications: config.WORKER_NOTIFY ?? isDirect,
    preparedStatements: isDirect,
    queryTimeoutMs: statementTimeoutMs,
    version: program.version,
    logger,
    metrics,
    tracing: createTracing(),
  }
}
