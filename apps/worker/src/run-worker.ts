import { connect } from '@queue/core'
import { SimulatedExecutor } from '@queue/executor'
import {
  closeHttpServer,
  createOpsServer,
  createReadiness,
  listen,
  type MainContext,
  waitForAbort,
  waitForSchema,
  waitWhileUnavailable,
} from '@queue/service'
import { createMetricsRegistry, createWorkerMetrics, observePool } from '@queue/telemetry'
import { createWorker, type Worker, type WorkerObserver } from '@queue/worker'
import type { WorkerConfig } from './config.ts'
import { program } from './program.ts'

/** How long a scrape or a probe that is under way at the end may still take. */
const opsGraceMs = 1_000

/**
 * The life of the process: it can be probed from the first moment, waits for the database and checks its schema,
 * works until `signal` aborts, drains, and only then stops answering probes.
 */
export async function runWorker({
  config,
  logger,
  signal,
}: MainContext<WorkerConfig, undefined>): Promise<void> {
  const database = connect({
    connectionString: config.DATABASE_URL,
    schema: config.QUEUE_SCHEMA,
    poolMax: config.DATABASE_POOL_MAX,
    acquireTimeoutMs: config.DATABASE_ACQUIRE_TIMEOUT_MS,
    idleTimeoutMs: config.DATABASE_IDLE_TIMEOUT_MS,
    applicationName: program.name,
  })
  const registry = createMetricsRegistry({ service: program.name })
  observePool(registry, database.pool)
  const metrics = createWorkerMetrics(registry)
  const server = createOpsServer({ registry, readiness: createReadiness({ database, signal }) })
  try {
    const bound = await listen(server, {
      ...config.WORKER_METRICS_BIND_ADDR,
      variable: 'WORKER_METRICS_BIND_ADDR',
    })
    logger.info('health and metrics are served', { url: bound.url })
    await waitForSchema({ database, logger, signal })
    const worker = composeWorker({ config, logger, metrics, pool: database.pool })
    await waitWhileUnavailable({ attempt: () => worker.start(), logger, signal })
    await waitForAbort(signal)
    await worker.stop()
  } finally {
    await closeHttpServer(server, { graceMs: opsGraceMs })
    await database.close()
  }
}

interface WorkerParts {
  readonly config: WorkerConfig
  readonly logger: MainContext<WorkerConfig, undefined>['logger']
  readonly metrics: WorkerObserver
  readonly pool: ReturnType<typeof connect>['pool']
}

function composeWorker({ config, logger, metrics, pool }: WorkerParts): Worker {
  const speed = config.WORKER_SIMULATION_SPEED
  logger.warn('this worker simulates the built-in kinds of jobs; it does none of their work', { speed })
  return createWorker({
    pool,
    schema: config.QUEUE_SCHEMA,
    executor: new SimulatedExecutor({ speed }),
    queues: [...config.WORKER_QUEUES],
    concurrency: config.WORKER_CONCURRENCY,
    pollIntervalMs: config.WORKER_POLL_INTERVAL_MS,
    maxPollIntervalMs: config.WORKER_MAX_POLL_INTERVAL_MS,
    shutdownGraceMs: config.WORKER_SHUTDOWN_GRACE_MS,
    leaseMs: config.WORKER_LEASE_MS,
    heartbeatMs: config.WORKER_HEARTBEAT_MS,
    recoveryIntervalMs: config.WORKER_RECOVERY_INTERVAL_MS,
    notifications: config.WORKER_NOTIFY ?? config.DATABASE_POOLER !== 'transaction',
    prefetch: config.WORKER_PREFETCH,
    stallMs: config.WORKER_STALL_MS,
    jobTimeoutMs: config.WORKER_JOB_TIMEOUT_MS,
    retentionSucceededMs: config.RETENTION_SUCCEEDED,
    retentionCancelledMs: config.RETENTION_CANCELLED,
    retentionFailedMs: config.RETENTION_FAILED,
    idPrefix: config.WORKER_ID_PREFIX,
    version: program.version,
    logger,
    metrics,
  })
}
