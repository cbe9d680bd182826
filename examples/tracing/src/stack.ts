import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { createApp, createHttpServer } from '@queue/api-app/embed'
import { createQueue, type QueueOptions } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { createLogger, createMetricsRegistry, createTracing } from '@queue/telemetry'
import { createWorker } from '@queue/worker'
import { countGreeting, createHandlers, greet } from './jobs.ts'

export interface Stack {
  /** The URL of the API. */
  readonly url: string
  stop(): Promise<void>
}

/** Starts the API and a worker in one process, both with tracing, on a migrated database. */
export async function startStack(connectionString: string): Promise<Stack> {
  const tracing = createTracing()
  const logger = createLogger({ service: 'example', level: 'error', format: 'json', stream: process.stderr })
  const connection: QueueOptions = { connectionString, poolMax: 4 }
  // The API itself creates a span for the enqueue of each request. Other code enqueues with a traced queue.
  const untracedQueue = createQueue(connection)
  const tracedQueue = createQueue({ ...connection, tracing })
  const app = createApp({
    queue: untracedQueue,
    catalogue: [greet, countGreeting],
    readiness: createReadiness({ database: databaseOf(untracedQueue) }),
    registry: createMetricsRegistry({ service: 'example' }),
    logger,
    tracing,
  })
  const worker = createWorker({ connectionString, handlers: createHandlers(tracedQueue), tracing, logger })
  const server = createHttpServer(app, { connectionsMax: 10 })
  await worker.start()
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop: async () => {
      server.close()
      server.closeAllConnections()
      await worker.stop()
      await Promise.all([untracedQueue.close(), tracedQueue.close()])
    },
  }
}
