import { builtInJobs, createQueue, QueueError } from '@queue/core'
import type { ConnectedDatabase } from '@queue/core/internal'
import { createOutbox, createOutboxWorker, type JobRoute, toQueue } from '@queue/outbox'
import { ExitError, exitCodes, outboxDatabase, waitForAbort, waitWhileUnavailable } from '@queue/service'
import {
  createOutboxMetrics,
  createTracing,
  type Logger,
  type MetricsRegistry,
  observeOutbox,
} from '@queue/telemetry'
import type { WorkerConfig } from './config.ts'
import { program } from './program.ts'

/** Messages whose topic is the name of a built-in kind become jobs of that kind, with their payload unchanged. */
const builtInRoutes: readonly JobRoute[] = Object.values(builtInJobs).map((definition) => ({
  topic: definition.kind,
  job: ({ payload }) => ({ definition, payload, options: {} }),
}))

export interface RelayOptions {
  readonly config: WorkerConfig
  readonly logger: Logger
  readonly registry: MetricsRegistry
  /** The database of the queue in which the messages become jobs. */
  readonly database: ConnectedDatabase
}

/** The outbox relay that `WORKER_OUTBOX` turns on. */
export interface Relay {
  /**
   * Waits for the outbox's database, relays until `signal` aborts, and drains. Throws an ExitError (3) if this code cannot run
   * on the version of the outbox's schema.
   */
  readonly runUntil: (signal: AbortSignal) => Promise<void>
  /** Closes the connections. */
  close(): Promise<void>
}

export function composeRelay({ config, logger, registry, database }: RelayOptions): Relay {
  const queue = createQueue({ pool: database.pool, schema: database.schema, tracing: createTracing() })
  const outbox = createOutbox({
    connectionString: config.OUTBOX_DATABASE_URL ?? config.DATABASE_URL,
    schema: config.OUTBOX_SCHEMA,
    ...config.pool,
    applicationName: `${program.name}-outbox`,
  })
  observeOutbox(registry, { read: () => outbox.stats() })
  const relay = createOutboxWorker({
    pool: outbox.database.pool,
    schema: config.OUTBOX_SCHEMA,
    target: toQueue(queue, builtInRoutes),
    config: {
      ...config.relay,
      shutdownGrace: config.worker.shutdownGraceMs,
      notifications: config.WORKER_NOTIFY ?? config.DATABASE_POOLER !== 'transaction',
    },
    logger,
    metrics: createOutboxMetrics(registry),
  })
  return {
    runUntil: async (signal) => {
      try {
        await waitWhileUnavailable({
          attempt: () => relay.start(),
          logger,
          signal,
          database: outboxDatabase(config),
        })
        logger.info('relaying an outbox', { schema: config.OUTBOX_SCHEMA, relay_id: relay.id })
        await waitForAbort(signal)
      } catch (error) {
        if (!signal.aborted) throw asExit(error)
      } finally {
        await relay.stop()
      }
    },
    close: async () => {
      await outbox.close()
      await queue.close()
    },
  }
}

function asExit(error: unknown): unknown {
  if (!(error instanceof QueueError) || error.code !== 'schema_mismatch') return error
  return new ExitError(exitCodes.schema, error.message, { cause: error })
}
