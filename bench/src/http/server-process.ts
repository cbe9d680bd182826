/**
 * A process that serves the API in one variant, ordered as JSON on the command line. Prints its port when it listens,
 * and answers every message with the microseconds of processor time that it has taken.
 */
import { randomUUID } from 'node:crypto'
import type { AddressInfo } from 'node:net'
import { createApp, createHttpServer } from '@queue/api-app/embed'
import { createQueue, type GroupedEnqueue, type Job, type JobRequest, sendEmail } from '@queue/core'
import { acquireTimeoutsOf } from '@queue/postgres'
import { createMetricsRegistry, observePools } from '@queue/telemetry'
import type { HttpOrder, HttpVariant } from './variants.ts'

const { variant, url } = JSON.parse(process.argv[2] ?? '') as HttpOrder
const connectionsMax = 1_000
const queue = createQueue({ connectionString: url, preparedStatements: true })

/** What writes the jobs of POST /jobs; undefined is the app as it is deployed. */
function enqueuerOf(chosen: HttpVariant): GroupedEnqueue | undefined {
  switch (chosen) {
    case 'grouped inserts':
    case 'registered kind':
      return undefined
    case 'one insert per request':
      return {
        enqueue: async (definition, payload, options) => {
          const [enqueued] = await queue.enqueueMany([definition.create(payload, options)])
          if (enqueued === undefined) throw new Error('an enqueue of one job gave no answer')
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

/** The job that a request would make: checked, put together and given an id of its own, and written nowhere. */
function unwrittenJob(request: JobRequest): Job {
  const { payloadText: _t, fingerprint: _f, delayMs: _d, expiresInMs: _e, unique, ...given } = request
  const now = new Date()
  return {
    ...given,
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

const silent = { debug: noOp, info: noOp, warn: noOp, error: noOp, child: () => silent }
function noOp(): void {}

const registry = createMetricsRegistry({ service: 'bench' })
observePools(registry, { pools: { main: queue.database.pool }, acquireTimeouts: acquireTimeoutsOf })
const enqueuer = enqueuerOf(variant)
if (variant === 'registered kind') await queue.register([sendEmail])
const app = createApp({
  queue,
  registry,
  logger: silent,
  readiness: () => Promise.reject(new Error('nobody asks')),
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
