import { describe, expect, test } from '@jest/globals'
import { defineJob, limits } from '@queue/core'
import { handle, succeeded } from '@queue/executor'
import { createTestDatabase, eventually } from '@queue/test-database'
import pg from 'pg'
import { z } from 'zod'
import { createWorker } from '../src/index.ts'
import { scriptExecutor } from './support/scripted-executor.ts'
import { type Settings, testJob, useWorld } from './support/world.ts'

const world = useWorld()
const handlers = [handle(testJob, () => undefined)]
const nowhere = 'postgres://nobody@127.0.0.1:1/nowhere'

function manyQueues(count: number): string[] {
  return Array.from({ length: count }, (_, index) => `q${index}`)
}

function refusal(settings: Settings): string {
  try {
    createWorker({ connectionString: nowhere, handlers, ...settings })
  } catch (error) {
    expect(error).toMatchObject({ code: 'invalid_options' })
    return (error as Error).message
  }
  throw new Error('the options were accepted')
}

describe('invalid options are refused by name', () => {
  const longestTimerMs = 2 ** 31 - 1
  const invalidOptions: { readonly settings: Settings; readonly named: string }[] = [
    { settings: { concurrency: 0 }, named: 'concurrency' },
    { settings: { concurrency: 1.5 }, named: 'concurrency' },
    { settings: { concurrency: 1_001 }, named: 'concurrency' },
    { settings: { queues: [] }, named: 'queues' },
    { settings: { queues: ['ok', 'Not a name'] }, named: 'queues.1' },
    { settings: { queues: manyQueues(limits.workerQueuesMax + 1) }, named: 'queues: must be at most 1000' },
    { settings: { pollIntervalMs: 0 }, named: 'pollIntervalMs' },
    { settings: { leaseMs: 999 }, named: 'leaseMs' },
    { settings: { jobTimeoutMs: -1 }, named: 'jobTimeoutMs' },
    { settings: { shutdownGraceMs: -1 }, named: 'shutdownGraceMs' },
    { settings: { idPrefix: 'a b' }, named: 'idPrefix' },
    { settings: { schema: 'no"schema' }, named: 'schema' },
    { settings: { connectionString: '' }, named: 'connectionString' },
    { settings: { leaseMs: longestTimerMs + 1, heartbeatMs: 1 }, named: 'leaseMs' },
    { settings: { pollIntervalMs: 1, maxPollIntervalMs: longestTimerMs + 1 }, named: 'maxPollIntervalMs' },
    { settings: { shutdownGraceMs: longestTimerMs + 1 }, named: 'shutdownGraceMs' },
    { settings: { timeoutGraceMs: longestTimerMs + 1 }, named: 'timeoutGraceMs' },
    { settings: { recoveryIntervalMs: longestTimerMs + 1 }, named: 'recoveryIntervalMs' },
    { settings: { watchIntervalMs: longestTimerMs + 1 }, named: 'watchIntervalMs' },
    { settings: { retentionIntervalMs: longestTimerMs + 1 }, named: 'retentionIntervalMs' },
  ]
  test.each(invalidOptions)('$named in $settings', ({ settings, named }) => {
    expect(refusal(settings)).toContain(named)
  })

  test('a renewal less than three times in a lease', () => {
    expect(refusal({ leaseMs: 3_000, heartbeatMs: 1_001 })).toContain('heartbeatMs')
    createWorker({ connectionString: nowhere, handlers, leaseMs: 3_000, heartbeatMs: 1_000 })
  })

  test('a longest poll interval below the shortest', () => {
    expect(refusal({ pollIntervalMs: 100, maxPollIntervalMs: 99 })).toContain('maxPollIntervalMs')
  })

  test('several at once, each of them', () => {
    expect(refusal({ concurrency: 0, queues: [] })).toMatch(/concurrency.*queues/)
  })

  test('nothing to do', () => {
    expect(() => createWorker({ connectionString: nowhere, handlers: [] })).toThrow(/at least one handler/)
  })

  test('two handlers of one kind', () => {
    const twice = [...handlers, ...handlers]
    expect(() => createWorker({ connectionString: nowhere, handlers: twice })).toThrow(/test_job/)
  })
})

test('an option that a worker does not have is refused, and named', () => {
  const misspelt = { connectionString: nowhere, handlers, concurency: 3 }
  expect(() => createWorker(misspelt)).toThrow(
    expect.objectContaining({ code: 'invalid_options', message: expect.stringContaining('"concurency"') }),
  )
})

test.each(['logger', 'tracing'])('a %s without its methods is refused, and not called in vain', (name) => {
  expect(() => createWorker({ connectionString: nowhere, handlers, [name]: {} })).toThrow(
    new RegExp(`^createWorker: ${name} must be a ${name}`),
  )
})

describe('the queues of a worker', () => {
  const jobIn = (queue: string) => defineJob({ kind: `in_${queue}`, queue, payload: z.looseObject({}) })

  test('are by default those of its handlers, each once', async () => {
    const jobs = ['mail', 'images', 'default'].map(jobIn)
    const worker = world.create({ handlers: [testJob, ...jobs].map((job) => handle(job, () => undefined)) })
    await worker.start()
    for (const job of jobs) {
      const { job: enqueued } = await world.database.queue.enqueue(job, {})
      await world.reached(enqueued.id, 'succeeded')
    }
    const { rows } = await world.database.pool.query('SELECT queues FROM queue.workers')
    expect(rows).toEqual([{ queues: ['default', 'mail', 'images'] }])
  })

  test('are the configured ones, whatever its handlers could run', async () => {
    const mail = jobIn('mail')
    await world.work(() => undefined, { queues: ['default'] })
    const worker = world.create({ handlers: [handle(mail, () => undefined)] }, { queues: ['default'] })
    await worker.start()
    const { job: elsewhere } = await world.database.queue.enqueue(mail, {})
    const { job: defaultJob } = await world.database.queue.enqueue(mail, {}, { queue: 'default' })
    await world.reached(defaultJob.id, 'succeeded')
    expect(await world.job(elsewhere.id)).toMatchObject({ status: 'queued' })
  })

  test('are the default queue for an executor without queues', async () => {
    const worker = world.create({ executor: scriptExecutor(() => succeeded()) })
    await worker.start()
    await world.reached(await world.enqueue(), 'succeeded')
  })

  test('are unique', async () => {
    await world.work(() => undefined, { queues: ['default', 'default'] })
    await world.reached(await world.enqueue(), 'succeeded')
    const { rows } = await world.database.pool.query('SELECT queues FROM queue.workers')
    expect(rows).toEqual([{ queues: ['default'] }])
  })
})

describe('a failed start', () => {
  test('names the command to run if there is no schema', async () => {
    const worker = world.create({ handlers }, { schema: 'nowhere' })
    await expect(worker.start()).rejects.toMatchObject({
      code: 'schema_mismatch',
      message: expect.stringContaining('queue-migrate up'),
    })
    expect(worker.id).toBeUndefined()
  })

  test('reports that the database cannot be reached', async () => {
    const worker = world.create({ handlers }, { connectionString: nowhere })
    await expect(worker.start()).rejects.toMatchObject({ code: 'database_unavailable' })
  })

  test('can be tried again', async () => {
    const { pool } = world.database
    const worker = world.create({ handlers })
    await pool.query('ALTER TABLE queue.workers RENAME TO hidden')
    try {
      await expect(worker.start()).rejects.toMatchObject({ code: 'schema_mismatch' })
    } finally {
      await pool.query('ALTER TABLE queue.hidden RENAME TO workers')
    }
    await worker.start()
    await world.reached(await world.enqueue(), 'succeeded')
  })
})

describe('the connection', () => {
  test("can be the caller's pool, which stays open and keeps no listener", async () => {
    const pool = new pg.Pool({ connectionString: world.database.urlAs('worker'), max: 4 })
    try {
      const worker = createWorker({ pool, handlers, metrics: world.observer, logger: world.logger })
      await worker.start()
      await world.reached(await world.enqueue(), 'succeeded')
      await worker.stop()
      expect((await pool.query('SELECT 1 AS one')).rows).toEqual([{ one: 1 }])
      expect(pool.listenerCount('error')).toBe(0)
    } finally {
      await pool.end()
    }
  })

  test('of a pool with separate options is used for the transactions of handlers too', async () => {
    const url = new URL(world.database.urlAs('worker'))
    const pool = new pg.Pool({
      host: url.hostname,
      port: Number(url.port),
      user: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: url.pathname.slice(1),
      options: url.searchParams.get('options') ?? '',
    })
    const worker = createWorker({
      pool,
      logger: world.logger,
      handlers: [
        handle(testJob, (_job, ctx) =>
          ctx.transaction(async (tx) => (await tx.query('SELECT current_user')).rows.length),
        ),
      ],
    })
    try {
      await worker.start()
      expect(await world.reached(await world.enqueue(), 'succeeded')).toMatchObject({ result: 1 })
    } finally {
      await worker.stop()
      await pool.end()
    }
  })

  test('is only one at a time', async () => {
    await world.create({ handlers }, { poolMax: 1 }).start()
    const ids = await Promise.all(Array.from({ length: 20 }, () => world.enqueue()))
    for (const id of ids) await world.reached(id, 'succeeded')
  })

  test('can use a queue in any schema', async () => {
    const database = await createTestDatabase({ schema: 'elsewhere' })
    const worker = createWorker({
      connectionString: database.urlAs('worker'),
      schema: 'elsewhere',
      logger: world.logger,
      leaseMs: 30_000,
      heartbeatMs: 50,
      handlers: [
        handle(testJob, (_job, ctx) => {
          ctx.progress(50)
          if (ctx.attempt === 1) throw new Error('once')
          return ctx.transaction(async () => 'done')
        }),
      ],
    })
    try {
      await worker.start()
      const { job } = await database.queue.enqueue(testJob, {})
      await eventually(async () => (await database.queue.get(job.id))?.status === 'succeeded')
      await eventually(async () => {
        const { rows } = await database.pool.query(
          'SELECT FROM elsewhere.workers WHERE heartbeat_at > started_at',
        )
        return rows.length === 1
      })
    } finally {
      await worker.stop()
      await database.close()
    }
  })
})
