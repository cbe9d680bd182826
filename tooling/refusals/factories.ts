import { createClient } from '@queue/client'
import { createGroupedEnqueue, createQueue, defineJob, type Queue } from '@queue/core'
import { createOutbox, createOutboxWorker, defineMessage, onMessage, toHandler } from '@queue/outbox'
import { createWorker, handle, handleBatch } from '@queue/worker'
import { z } from 'zod'

export const job = defineJob({ kind: 'refused_job', payload: z.strictObject({ id: z.string() }) })
export const message = defineMessage({ topic: 'refused', payload: z.strictObject({ id: z.string() }) })
export const handler = handle(job, () => undefined)
export const target = () => toHandler([onMessage(message, () => undefined)])

/** A function that makes something of options, and options that it accepts. */
export interface Factory {
  readonly make: (options: never) => unknown
  readonly options: Readonly<Record<string, unknown>>
}

/** Nobody listens there, so that nothing is done where a wrong option is accepted. */
const connection = { connectionString: 'postgres://127.0.0.1:1/none' }
const pooled = {
  ...connection,
  applicationName: 'refusals',
  schema: 'queue',
  poolMax: 2,
  acquireTimeoutMs: 1_000,
  idleTimeoutMs: 1_000,
  queryTimeoutMs: 1_000,
  preparedStatements: false,
}

/** What applications make of options. */
export function factories(queue: () => Queue): Record<string, Factory> {
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  return {
    createQueue: {
      make: async (options) => createQueue(options).close(),
      options: { ...pooled, tracing: undefined, onRefused: undefined },
    },
    createOutbox: { make: async (options) => createOutbox(options).close(), options: pooled },
    createWorker: {
      make: async (options) => createWorker(options).stop(),
      options: {
        ...pooled,
        handlers: [handler],
        executor: undefined,
        queues: ['default'],
        concurrency: 1,
        leaseMs: 30_000,
        heartbeatMs: 10_000,
        logger: silent,
        metrics: undefined,
        tracing: undefined,
        middleware: [],
        schedules: undefined,
        random: Math.random,
      },
    },
    createOutboxWorker: {
      make: async (options) => createOutboxWorker(options).stop(),
      options: {
        ...pooled,
        target: target(),
        config: {},
        logger: silent,
        metrics: undefined,
        random: Math.random,
      },
    },
    createClient: {
      make: createClient,
      options: {
        baseUrl: 'http://queue.test',
        token: 'token',
        tenant: 'acme',
        fetch: undefined,
        retries: 0,
        timeoutMs: 1_000,
        signal: undefined,
      },
    },
    createGroupedEnqueue: {
      make: (options) => createGroupedEnqueue(queue(), options),
      options: { waitingMax: 1, tracing: undefined, bounds: undefined, waiting: { now: 0 } },
    },
    defineJob: {
      make: defineJob,
      options: {
        kind: 'refused_job',
        payload: job.payload,
        queue: 'default',
        version: 1,
        aliases: [],
        description: 'text',
        sensitive: [],
        priority: 4,
        maxAttempts: 3,
        timeoutMs: 1_000,
        retryPolicy: { type: 'fixed', baseMs: 1_000 },
        weight: 1,
        openResults: false,
      },
    },
    defineMessage: { make: defineMessage, options: { topic: 'refused', payload: message.payload } },
    handleBatch: {
      make: (options) => handleBatch(job, options, () => []),
      options: { size: 1, waitMs: 0 },
    },
    'definition.create': {
      make: (options) => job.create({ id: '1' }, options),
      options: {
        queue: 'default',
        priority: 4,
        maxAttempts: 3,
        delayMs: 0,
        idempotencyKey: 'a',
        tenantId: 'acme',
      },
    },
    'queue.enqueueMany': {
      make: (options) => queue().enqueueMany([], options),
      options: {
        transaction: undefined,
        notify: false,
        onMismatch: 'reject',
        onRefused: 'answer',
        keyLockTimeoutMs: 10,
      },
    },
  }
}
