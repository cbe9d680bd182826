import { createClient } from '@queue/client'
import {
  createGroupedEnqueue,
  createQueue,
  defineJob,
  migrateDown,
  migrateUp,
  migrationPlan,
  migrationStatus,
  type Queue,
} from '@queue/core'
import {
  createOutbox,
  createOutboxWorker,
  defineMessage,
  migrateOutbox,
  migrateOutboxDown,
  onMessage,
  outboxMigrationPlan,
  outboxMigrationStatus,
  toHandler,
} from '@queue/outbox'
import {
  buildContext,
  createTestDatabase,
  drain,
  expectEnqueued,
  insertJob,
  insertWorker,
  type TestDatabase,
} from '@queue/testing'
import { createWorker, handle, handleBatch } from '@queue/worker'
import { z } from 'zod'
import { unknownId } from './find-raw-errors.ts'

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

const migrations = {
  migrateUp,
  migrateDown,
  migrationStatus,
  migrationPlan,
  migrateOutbox,
  migrateOutboxDown,
  outboxMigrationStatus,
  outboxMigrationPlan,
}

/** The migrations. A wrong connection string is one of the pool's cases: here it would be connected to. */
function migrationFactories(): Record<string, Factory> {
  const factoryOf = ([name, migrate]: [string, (options: never) => unknown]): [string, Factory] => {
    const make = (options: object) => migrate({ ...connection, ...options } as never)
    const options = { schema: 'queue', roles: undefined, onProgress: undefined }
    return [name, { make, options: name.endsWith('Down') ? { ...options, to: 0 } : options }]
  }
  return Object.fromEntries(Object.entries(migrations).map(factoryOf))
}

/** What applications make of options. */
export function factories(queue: () => Queue): Record<string, Factory> {
  const silent = { debug() {}, info() {}, warn() {}, error() {} }
  return {
    ...migrationFactories(),
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
    'worker.runUntilEmpty': {
      make: (options) => createWorker({ ...connection, handlers: [handler] }).runUntilEmpty(options),
      options: { maxMs: 1_000 },
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

/** Functions that do not refuse each wrong value: they wait, or pass it to the database of a test as it is. */
export function furtherFactories(database: () => TestDatabase): Record<string, Factory> {
  return {
    'queue.waitFor': {
      make: (options) => database().queue.waitFor(unknownId, options),
      options: { timeoutMs: 1, signal: undefined },
    },
    createTestDatabase: {
      make: async (options) => (await createTestDatabase(options)).close(),
      options: { schema: 'queue', serverUrl: undefined },
    },
    drain: {
      make: (options) => drain(database(), options),
      options: {
        handlers: [handler],
        queues: ['nowhere'],
        attemptsMax: 1,
        jobTimeoutMs: 1_000,
        logger: undefined,
        middleware: [],
        random: Math.random,
      },
    },
    expectEnqueued: {
      make: (match) => expectEnqueued(database(), job, match),
      options: {
        payload: { id: 'nobody' },
        queue: 'default',
        priority: 4,
        tenantId: 'acme',
        idempotencyKey: 'a',
        status: 'queued',
        runAt: new Date(0),
        count: 0,
      },
    },
    insertJob: {
      make: (overrides) => insertJob(database(), overrides),
      options: { kind: 'refused_job', status: 'queued', leaseToken: 0, runAt: new Date(0) },
    },
    insertWorker: {
      make: (overrides) => insertWorker(database(), overrides),
      options: { state: 'lost', leaseMs: 1_000, queues: [], kinds: [], concurrency: 1, zoneVersion: '2026a' },
    },
    buildContext: {
      make: buildContext,
      options: { attempt: 1, transaction: undefined, traceparent: undefined },
    },
  }
}
