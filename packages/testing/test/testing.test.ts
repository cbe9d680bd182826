import { AssertionError } from 'node:assert'
import { afterAll, afterEach, beforeAll, describe, expect, jest, test } from '@jest/globals'
import { createQueue, defineJob } from '@queue/core'
import { createWorker, handle, type Middleware, PermanentFailure, Snooze, snoozed } from '@queue/worker'
import { z } from 'zod'
import {
  assertInvariants,
  buildContext,
  buildJob,
  createTestDatabase,
  drain,
  eventually,
  expectEnqueued,
  insertJob,
  moveTime,
  startDatabaseProxy,
  type TestDatabase,
} from '../src/index.ts'

const mail = defineJob({
  kind: 'mail',
  payload: z.object({ to: z.string(), tags: z.array(z.string()).optional() }),
  queue: 'mail',
  retryPolicy: { type: 'fixed', baseMs: 60_000 },
})
const bill = defineJob({ kind: 'bill', payload: z.object({ cents: z.number().default(1) }) })

const hour = 3_600_000
let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
})
afterEach(async () => {
  await assertInvariants(database)
  await database.pool.query(
    'TRUNCATE queue.jobs, queue.ended_jobs, queue.job_executions, queue.dead_letter_jobs, queue.workers',
  )
})
afterAll(() => database.close())

const sendMail = handle(mail, async ({ payload }) => ({ sent: payload.to }))

async function job(id: string) {
  const stored = await database.queue.get(id)
  if (stored === undefined) throw new Error(`there is no job ${id}`)
  return stored
}

describe('drain', () => {
  test('runs due jobs and the due jobs that they enqueue, in the order of claims, but no other kinds or later jobs', async () => {
    const { queue } = database
    const later = await queue.enqueue(mail, { to: 'later' }, { delayMs: hour })
    await queue.enqueue(bill, {}, { priority: 9 })
    const first = await queue.enqueue(mail, { to: 'first' }, { priority: 0 })
    const foreign = await insertJob(database, { kind: 'foreign' })
    const sendBill = handle(bill, async ({ payload }, ctx) => {
      await queue.enqueue(mail, { to: `billed ${payload.cents}` })
      ctx.progress(100, 'billed')
    })
    const drained = await drain(database, { handlers: [sendMail, sendBill] })
    expect(drained.map(({ kind, outcome }) => `${kind} ${outcome}`)).toEqual([
      'mail succeeded',
      'bill succeeded',
      'mail succeeded',
    ])
    expect(await job(first.job.id)).toMatchObject({ status: 'succeeded', result: { sent: 'first' } })
    expect((await job(later.job.id)).status).toBe('queued')
    expect((await job(foreign.id)).status).toBe('queued')
    expect((await queue.workers()).map(({ state }) => state)).toEqual(['stopped'])
  })

  test('records each end as a worker does, and returns the error of a failure', async () => {
    const outcomes: Record<string, () => unknown> = {
      retried: () => Promise.reject(new Error('no such host')),
      hopeless: () => Promise.reject(new PermanentFailure('no such mailbox')),
      early: () => snoozed(hour),
    }
    const ids: Record<string, string> = {}
    for (const to of Object.keys(outcomes)) ids[to] = (await database.queue.enqueue(mail, { to })).job.id
    const drained = await drain(database, {
      handlers: [handle(mail, ({ payload }) => outcomes[payload.to]?.())],
    })
    expect(drained.map(({ jobId, outcome, error, attempt }) => [jobId, outcome, error, attempt])).toEqual([
      [ids['retried'], 'retrying', new Error('no such host'), 1],
      [ids['hopeless'], 'failed_permanent', new PermanentFailure('no such mailbox'), 1],
      [ids['early'], 'snoozed', undefined, 1],
    ])
    expect(await database.queue.deadLetters.count()).toBe(1)
  })

  test('commits the transaction of a handler together with its end, or rolls it back', async () => {
    await database.pool.query('CREATE TABLE ledger (cents integer)')
    await database.queue.enqueue(bill, { cents: 5 })
    await database.queue.enqueue(bill, { cents: 7 })
    const recordBill = handle(bill, async ({ payload }, ctx) => {
      await ctx.transaction(async (tx) => {
        await tx.query('INSERT INTO ledger VALUES ($1)', [payload.cents])
        if (payload.cents === 7) throw new Error('not this one')
      })
    })
    const drained = await drain(database, { handlers: [recordBill] })
    expect(drained.map(({ outcome }) => outcome)).toEqual(['succeeded', 'retrying'])
    expect((await database.pool.query('SELECT cents FROM ledger')).rows).toEqual([{ cents: 5 }])
  })

  test('runs the middleware of the worker around each attempt', async () => {
    await database.queue.enqueue(mail, { to: 'a@x' })
    const outcomes: string[] = []
    const recordOutcomes: Middleware = async (claimedJob, ctx, next) => {
      await ctx.transaction((tx) => tx.query('SELECT 1'))
      const outcome = await next({ signal: AbortSignal.abort() })
      outcomes.push(`${claimedJob.kind} ${outcome.kind}`)
      return outcome
    }
    const aborted = handle(mail, (_job, ctx) => ({ aborted: ctx.aborted }))
    const [attempt] = await drain(database, { handlers: [aborted], middleware: [recordOutcomes] })
    expect([attempt?.outcome, outcomes]).toEqual(['succeeded', ['mail failed']])
  })

  test('ends with an error if jobs never end', async () => {
    await database.queue.enqueue(mail, { to: 'always' })
    const snoozeAtOnce = handle(mail, () => Promise.reject(new Snooze(0)))
    await expect(drain(database, { handlers: [snoozeAtOnce], attemptsMax: 5 })).rejects.toThrow(
      'after 5 attempts',
    )
  })

  test('works with fake timers', async () => {
    await database.queue.enqueue(mail, { to: 'frozen' })
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    try {
      const drained = await drain(database, { handlers: [sendMail] })
      expect(drained.map(({ outcome }) => outcome)).toEqual(['succeeded'])
    } finally {
      jest.useRealTimers()
    }
  })
})

describe('moveTime', () => {
  test('makes a retry due, and moves all times in the tables by the same amount', async () => {
    const { queue } = database
    const { id } = (await queue.enqueue(mail, { to: 'twice' })).job
    const handlers = [
      handle(mail, ({ payload }, ctx) => {
        if (ctx.attempt === 1) throw new Error('not yet')
        return payload.to
      }),
    ]
    await drain(database, { handlers })
    expect(await drain(database, { handlers })).toEqual([])
    const before = await job(id)
    await moveTime(database, 60_000)
    const after = await job(id)
    expect(before.createdAt.getTime() - after.createdAt.getTime()).toBe(60_000)
    expect(before.runAt.getTime() - after.runAt.getTime()).toBe(60_000)
    const [execution] = (await queue.executions(id)) ?? []
    expect(execution && before.createdAt.getTime() - execution.startedAt.getTime()).toBeGreaterThan(50_000)
    expect((await drain(database, { handlers })).map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [2, 'succeeded'],
    ])
  })

  test('can move the time back, and refuses values that are not numbers', async () => {
    const { id, runAt } = await insertJob(database)
    await moveTime(database, hour)
    await moveTime(database, -hour)
    expect((await job(id)).runAt).toEqual(runAt)
    await expect(moveTime(database, Number.NaN)).rejects.toThrow(
      'ms must be a finite number of milliseconds, not NaN',
    )
  })

  test('keeps the lease of a live worker, and a running worker claims jobs that became due', async () => {
    const worker = createWorker({
      connectionString: database.url,
      handlers: [sendMail],
      recoveryIntervalMs: 60_000,
    })
    await worker.start()
    try {
      const { id } = (await database.queue.enqueue(mail, { to: 'tomorrow' }, { delayMs: 24 * hour })).job
      await moveTime(database, 24 * hour)
      const succeeded = await eventually(async () => {
        const found = await job(id)
        return found.status === 'succeeded' && found
      })
      expect(succeeded.attempts).toBe(1)
      const states = await database.queue.workers()
      expect(states.find(({ id: workerId }) => workerId === worker.id)?.state).toBe('active')
    } finally {
      await worker.stop()
    }
  })
})

describe('expectEnqueued', () => {
  test('returns the jobs that match parts of their payloads and their options, oldest first', async () => {
    const { queue } = database
    const a = await queue.enqueue(mail, { to: 'a@x', tags: ['one', 'two'] }, { idempotencyKey: 'a' })
    const b = await queue.enqueue(mail, { to: 'b@x' }, { priority: 1, queue: 'other' })
    const ids = async (...[match]: [Parameters<typeof expectEnqueued<'mail', typeof mail.payload>>[2]?]) =>
      (await expectEnqueued(database, mail, match)).map(({ id }) => id)
    expect(await ids()).toEqual([a.job.id, b.job.id])
    expect(await ids({ payload: { to: 'a@x' } })).toEqual([a.job.id])
    expect(await ids({ payload: { to: expect.stringMatching(/^b/) as never } })).toEqual([b.job.id])
    expect(await ids({ payload: { tags: ['one', expect.any(String) as never] }, count: 1 })).toEqual([
      a.job.id,
    ])
    expect(await ids({ payload: ({ to }) => to.endsWith('@x'), count: 2 })).toHaveLength(2)
    expect(await ids({ queue: 'other', priority: 1, status: 'queued', runAt: b.job.runAt })).toEqual([
      b.job.id,
    ])
    expect(await ids({ idempotencyKey: 'a' })).toEqual([a.job.id])
    expect(await ids({ payload: { to: 'nobody' }, count: 0 })).toEqual([])
    // A variable that was never set must not match everything.
    expect(await ids({ payload: { to: undefined as never }, count: 0 })).toEqual([])
    expect(await ids({ payload: { tags: undefined } as never })).toEqual([b.job.id])
  })

  test('fails with a list of the existing jobs', async () => {
    await database.queue.enqueue(mail, { to: 'a@x' })
    const failure = await expectEnqueued(database, mail, { payload: { to: 'b@x' } }).catch(
      (error: unknown) => error,
    )
    expect(failure).toBeInstanceOf(AssertionError)
    expect((failure as Error).message).toContain("0 of the 1 jobs of the kind 'mail' match")
    expect((failure as Error).message).toContain('{"to":"a@x"}')
    await expect(expectEnqueued(database, mail, { count: 2 })).rejects.toThrow('expected 2 jobs')
    await expect(expectEnqueued(database, bill)).rejects.toThrow('expected at least one job')
  })

  test('works in another schema, on any pool', async () => {
    const other = await createTestDatabase({ schema: 'elsewhere' })
    try {
      const target = { pool: other.pool, schema: 'elsewhere' }
      await createQueue(target).enqueue(mail, { to: 'there' }, { delayMs: hour })
      await expectEnqueued(target, mail, { count: 1 })
      await moveTime(target, hour)
      expect(await drain(target, { handlers: [sendMail] })).toHaveLength(1)
    } finally {
      await other.close()
    }
  })
})

describe('a handler alone', () => {
  test('runs with a built job and context, which record its actions', async () => {
    const context = buildContext({ attempt: 2, transaction: 'tx' })
    const worked = handle(mail, async ({ payload }, ctx) => {
      ctx.progress(50, 'half')
      ctx.logger.info('sending', { to: payload.to })
      return ctx.transaction(async (tx) => ({ tx, attempt: ctx.attempt }))
    })
    const built = buildJob(mail, { to: 'a@x' }, { priority: 1, attempt: 2 })
    expect(built).toMatchObject({ queue: 'mail', priority: 1, attempt: 2, maxAttempts: 3 })
    expect(await worked.run(context, built)).toMatchObject({
      kind: 'succeeded',
      result: { tx: 'tx', attempt: 2 },
    })
    expect(context.reports).toEqual([{ percent: 50, message: 'half' }])
    expect(context.logger.lines).toMatchObject([{ level: 'info', message: 'sending', fields: { to: 'a@x' } }])
  })

  test('gets an abort, a built job refuses an invalid payload, and a transaction needs one from the test', async () => {
    const context = buildContext()
    context.abort('cancelled')
    expect(await sendMail.run(context, buildJob(mail, { to: 'a@x' }))).toMatchObject({ kind: 'cancelled' })
    expect(() => buildJob(mail, { to: 1 as never })).toThrow('payload.to')
    const booking = handle(mail, (_job, ctx) => ctx.transaction(async () => 1))
    expect(await booking.run(buildContext(), buildJob(mail, { to: 'a@x' }))).toMatchObject({ kind: 'failed' })
  })
})

test('a misspelt option of a helper is refused by its nearest name', async () => {
  const late = { deadline: 1 } as object
  await expect(eventually(() => true, late)).rejects.toThrow('deadlineMs')
  await expect(startDatabaseProxy('postgres://127.0.0.1/x', { ports: 1 } as object)).rejects.toThrow('port')
})
