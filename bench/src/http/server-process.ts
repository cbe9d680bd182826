/**
 * A process that serves one variant of the API. Its configuration is JSON on the command line. It prints its port when it
 * listens, and replies to every message with the processor time that it has used, in microseconds.
 */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createApp, createHttpServer } from '@queue/api-app/embed'
import { createQueue, type GroupedEnqueue, type Job, type JobRequest, sendEmail } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { acquireTimeoutsOf } from '@queue/postgres'
import { createMetricsRegistry, observePools } from '@queue/telemetry'
import type { ServerConfig, HttpVariant } from './variants.ts'

const { variant, url } = JSON.parse(process.argv[2] ?? '') as ServerConfig
const connectionsMax = 1_000
const queue = createQueue({ connectionString: url, preparedStatements: true })

/** The object that enqueues the jobs of POST /jobs; undefined for the app's own. */
function enqueuerOf(variantName: HttpVariant): GroupedEnqueue | undefined {
  switch (variantName) {
    case 'grouped inserts':
    case 'registered kind':
      return undefined
    case 'one insert per request':
      return {
        enqueue: async (definition, payload, options) => {
          const [enqueued] = await queue.enqueueMany([definition.create(payload, options)])
          if (enqueued === undefined) throw new Error('an enqueue of one job returned no job')
          return enqueued
        },
      }
    case 'no database':
      return {
        enqueue: async (definition, payload, options) => ({
          job: unwrittenJob(definition.create(payload, options)),
          replayed: false,
          mismatched: false,
        }),
      }
  }
}

/** Builds the job that a request would create, without writing it. */
function unwrittenJob(request: JobRequest): Job {
  const { payloadText: _t, fingerprint: _f, delayMs: _d, expiresInMs: _e, unique, ...fields } = request
  const now = new Date()
  return {
    ...fields,
    id: randomUUID(),
    status: 'queued',
    attempts: 0,
    crashes: 0,
    lastError: null,
    result: null,
    uniqueKey: unique?.key ?? null,
    uniqueScope: unique?.scope ?? null,
    progress: null,
    progressMessage: null,
    runAt: request.runAt ?? now,
    lockedAt: null,
    lockedBy: null,
    cancelRequested: false,
    cancelReason: null,
    createdAt: now,
    updatedAt: now,
    strippedAt: null,
    finishedAt: null,
  }
}

const silentLogger = { debug: noOp, info: noOp, warn: noOp, error: noOp, child: () => silentLogger }
function noOp(): void {}

const registry = createMetricsRegistry({ service: 'bench' })
observePools(registry, { pools: { main: databaseOf(queue).pool }, acquireTimeouts: acquireTimeoutsOf })
const enqueuer = enqueuerOf(variant)
if (variant === 'registered kind') await queue.register([sendEmail])
const app = createApp({
  queue,
  registry,
  logger: silentLogger,
  readiness: () => Promise.reject(new Error('the benchmark has no readiness check')),
  ...(enqueuer === undefined ? {} : { enqueuer }),
  ...(variant === 'registered kind' ? { catalogue: [] } : {}),
})
const server = createHttpServer(app, { connectionsMax })
process.on('message', () => {
  const { user, system } = process.cpuUsage()
  process.send?.(user + system)
})
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
