/** A process that serves the API in one variant, ordered as JSON on the command line; prints its port when it listens. */
import { createApp, createHttpServer } from '@queue/api-app/embed'
import { createQueue, type GroupedEnqueue, type Queue } from '@queue/core'
import { createMetricsRegistry, observePool } from '@queue/telemetry'
import type { AddressInfo } from 'node:net'
import type { HttpOrder, HttpVariant } from './variants.ts'

const { variant, url } = JSON.parse(process.argv[2] ?? '') as HttpOrder
const connectionsMax = 1_000
const queue = createQueue({ connectionString: url })

/** Each variant gets its jobs from one and the same request validation; undefined is the app as it is deployed. */
async function enqueuerOf(chosen: HttpVariant, target: Queue): Promise<GroupedEnqueue | undefined> {
  switch (chosen) {
    case 'grouped inserts':
      return undefined
    case 'one insert per request':
      return { enqueue: (definition, payload, options) => target.enqueue(definition, payload, options) }
    case 'no database':
      return withoutDatabase(target)
  }
}

/** Answers every request with the job of the first one: nothing is written, and all else is as ever. */
function withoutDatabase(target: Queue): GroupedEnqueue {
  let first: ReturnType<Queue['enqueue']> | undefined
  return {
    enqueue: (definition, payload, options) => {
      first ??= target.enqueue(definition, payload, options)
      return first
    },
  }
}

const silent = { debug: nothing, info: nothing, warn: nothing, error: nothing, child: () => silent }
function nothing(): void {}

const registry = createMetricsRegistry({ service: 'bench' })
observePool(registry, queue.database.pool)
const enqueuer = await enqueuerOf(variant, queue)
const app = createApp({
  queue,
  registry,
  logger: silent,
  readiness: () => Promise.reject(new Error('nobody asks')),
  ...(enqueuer === undefined ? {} : { enqueuer }),
})
const server = createHttpServer(app, { connectionsMax })
server.listen(0, '127.0.0.1', () => {
  process.stdout.write(`${(server.address() as AddressInfo).port}\n`)
})
