import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createQueue, defineJob } from '@queue/core'
import { createTestDatabase, eventually } from '@queue/testing'
import { z } from 'zod'
import {
  asApiJob,
  asJob,
  defineMessage,
  type JobClient,
  onMessage,
  TargetUnavailable,
  toHandler,
  toHttp,
  toQueue,
  Undeliverable,
} from '../src/index.ts'
import { inTransaction, openWorld, probe } from './support/world.ts'

const world = await openWorld()
const elsewhere = await createTestDatabase()
beforeEach(() => world.reset())
afterAll(async () => {
  await elsewhere.close()
  await world.close()
})

const job = defineJob({ kind: 'probe_job', payload: z.object({ n: z.number() }) })
const context = { signal: new AbortController().signal, leaseToken: 1 }

const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`

async function claimed(headers: Readonly<Record<string, string>> = { traceparent }) {
  await world.publish(1, { headers })
  const { messages } = await world.claim()
  const [first] = messages
  if (first === undefined) throw new Error('nothing was claimed')
  return { first }
}

const pendingNow = async () => (await world.outbox.stats()).pending

describe('to a queue', () => {
  const routes = [asJob(probe, job)]

  test.each([
    ['in another database', () => elsewhere.queue],
    ['in the same one', () => world.database.queue],
  ])('%s, each message becomes one job with its id as the idempotency key', async (_where, queueOf) => {
    const queue = queueOf()
    const ids = await world.publish(50)
    await world.relay({ target: toQueue(queue, routes), config: { concurrency: 10 } })
    await eventually(async () => (await pendingNow()) === 0)
    const { jobs } = await queue.list({ kind: 'probe_job', limit: 200 })
    expect(jobs.map((one) => String(one.idempotencyKey)).toSorted()).toEqual(ids)
  })

  test('a message that is delivered again makes no second job', async () => {
    const { first } = await claimed()
    const target = toQueue(elsewhere.queue, routes)
    await Promise.all([target.dispatch(first, context), target.dispatch(first, context)])
    await target.dispatch(first, context)
    const { jobs } = await elsewhere.queue.list({ limit: 200 })
    expect(jobs.filter((one) => one.idempotencyKey === first.id)).toMatchObject([
      { payload: { n: 0 }, traceContext: traceparent },
    ])
  })

  test('a route gives the job its payload and its options', async () => {
    const { first } = await claimed()
    const route = asJob(probe, job, {
      payload: (message) => ({ n: message.payload.n + 41 }),
      options: (message) => ({ queue: 'mail', tenantId: message.topic }),
    })
    await toQueue(elsewhere.queue, [route]).dispatch(first, context)
    const { jobs } = await elsewhere.queue.list({ queue: 'mail' })
    expect(jobs[0]).toMatchObject({ payload: { n: 41 }, tenantId: 'probe', idempotencyKey: first.id })
  })

  test.each(['return', 'replace', 'refuse'] as const)(
    'a message whose unique key is held is not stuck: %s',
    async (onConflict) => {
      const unique = { key: onConflict, scope: 'waiting', onConflict } as const
      const { job: holder } = await elsewhere.queue.enqueue(job, { n: -1 }, { unique, delayMs: 600_000 })
      const route = asJob(probe, job, {
        payload: ({ payload }) => payload,
        options: ({ payload }) => (payload.n === 0 ? { unique } : {}),
      })
      const ids = await world.publish(2)
      await world.relay({ target: toQueue(elsewhere.queue, [route]) })
      await eventually(async () => (await pendingNow()) === 0)
      const jobsElsewhere = (await elsewhere.queue.list({ kind: 'probe_job', limit: 200 })).jobs
      expect(ids.map((id) => jobsElsewhere.some((one) => one.idempotencyKey === id))).toEqual([false, true])
      expect(await elsewhere.queue.get(holder.id)).toMatchObject({
        payload: { n: onConflict === 'replace' ? 0 : -1 },
      })
      const { deadLetters } = await world.outbox.deadLetters.list()
      const refused = { id: ids[0], reason: 'undeliverable', attempts: 1 }
      expect(deadLetters).toMatchObject(onConflict === 'refuse' ? [refused] : [])
      await elsewhere.queue.cancel(holder.id)
      if (onConflict !== 'refuse') return
      await world.outbox.deadLetters.requeue(ids[0] ?? '')
      await eventually(async () => (await pendingNow()) === 0)
      const { jobs } = await elsewhere.queue.list({ kind: 'probe_job', limit: 200 })
      expect(jobs).toContainEqual(expect.objectContaining({ idempotencyKey: ids[0], uniqueKey: onConflict }))
    },
  )

  test('a message that is invalid for its definition or its job is undeliverable', async () => {
    const { first } = await claimed()
    const strict = defineJob({ kind: 'strict', payload: z.object({ n: z.number().min(1) }) })
    const changed = defineMessage({ topic: 'probe', payload: z.object({ n: z.string() }) })
    await expect(
      toQueue(elsewhere.queue, [asJob(probe, strict)]).dispatch(first, context),
    ).rejects.toBeInstanceOf(Undeliverable)
    const reading = asJob(changed, job, { payload: () => ({ n: 1 }) })
    await expect(toQueue(elsewhere.queue, [reading]).dispatch(first, context)).rejects.toThrow(
      'does not match the schema of its topic: n:',
    )
  })

  test('a queue that cannot be reached, or is not migrated, is unavailable', async () => {
    const { first } = await claimed()
    const unreachableQueue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/nowhere' })
    const unmigrated = createQueue({ pool: elsewhere.pool, schema: 'nowhere' })
    for (const queue of [unreachableQueue, unmigrated]) {
      await expect(toQueue(queue, routes).dispatch(first, context)).rejects.toBeInstanceOf(TargetUnavailable)
    }
    await unreachableQueue.close()
  })

  test('a malformed trace context is dropped, and the message is delivered', async () => {
    const { first } = await claimed({ traceparent: '00-trace' })
    await toQueue(elsewhere.queue, routes).dispatch(first, context)
    const { jobs } = await elsewhere.queue.list({ limit: 200 })
    expect(jobs.find((one) => one.idempotencyKey === first.id)).toMatchObject({ traceContext: null })
  })

  test('two routes for one topic are refused', () => {
    expect(() => toQueue(elsewhere.queue, [...routes, ...routes])).toThrow('two routes')
  })
})

describe('over HTTP', () => {
  const routes = [asApiJob(probe, ({ payload }) => ({ kind: 'send_email', payload, priority: 2 }))]

  /** Errors as the client throws them. examples/orders-service tests the client itself. */
  const apiError = (status: number, error: string): Error =>
    Object.assign(new Error(error), { name: errorNames[status] ?? 'ApiError', status, error })
  const errorNames: Readonly<Record<number, string>> = {
    401: 'UnauthorizedError',
    403: 'ForbiddenError',
    429: 'TooManyRequestsError',
  }
  const throwing = (thrown: Error): JobClient => ({
    enqueue: async () => {
      throw thrown
    },
  })

  test('each message becomes a job with its id as the idempotency key', async () => {
    const { first } = await claimed()
    const calls: unknown[] = []
    const client: JobClient = { enqueue: async (...call) => calls.push(call) }
    await toHttp(client, routes).dispatch(first, context)
    const options = {
      priority: 2,
      idempotency_key: first.id,
      traceparent,
      signal: context.signal,
    }
    expect(calls).toEqual([['send_email', { n: 0 }, options]])
  })

  test.each([
    [400, 'unparsable_body', Undeliverable],
    [413, 'body_too_large', Undeliverable],
    [413, 'unrecognized', Undeliverable],
    [422, 'invalid_job', Undeliverable],
    [409, 'unique_conflict', Undeliverable],
    [400, 'unrecognized', TargetUnavailable],
    [422, 'unrecognized', TargetUnavailable],
    [403, 'unrecognized', TargetUnavailable],
    [403, 'forbidden', TargetUnavailable],
    [429, 'rate_limited', TargetUnavailable],
    [404, 'not_found', TargetUnavailable],
    [415, 'unsupported_media_type', TargetUnavailable],
    [422, 'unknown_kind', TargetUnavailable],
    [401, 'unauthorized', TargetUnavailable],
    [409, 'idempotency_key_locked', TargetUnavailable],
    [409, 'unique_key_locked', TargetUnavailable],
    [500, 'internal', TargetUnavailable],
    [429, 'queue_full', TargetUnavailable],
    [503, 'overloaded', TargetUnavailable],
  ])('a response with %d %s is classified', async (...[status, slug, expected]) => {
    const { first } = await claimed()
    const answer = apiError(status, slug)
    const error: unknown = await toHttp(throwing(answer), routes)
      .dispatch(first, context)
      .catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(expected)
    expect((error as Error).cause).toBe(answer)
  })

  test('a message whose job exists already is delivered, also if its route has changed and the API rejects mismatches', async () => {
    const { first } = await claimed()
    const answer = apiError(422, 'idempotency_mismatch')
    await expect(toHttp(throwing(answer), routes).dispatch(first, context)).resolves.toBeUndefined()
  })

  test('no response and a token that cannot be had mean unavailable; aborts and unsendable requests are unchanged', async () => {
    const { first } = await claimed()
    const lost = Object.assign(new Error('lost'), { name: 'NetworkError' })
    await expect(toHttp(throwing(lost), routes).dispatch(first, context)).rejects.toBeInstanceOf(
      TargetUnavailable,
    )
    const noToken = new Error('the issuer is away')
    await expect(toHttp(throwing(noToken), routes).dispatch(first, context)).rejects.toBeInstanceOf(
      TargetUnavailable,
    )
    const aborted = { ...context, signal: AbortSignal.abort(new Error('enough')) }
    await expect(toHttp(throwing(lost), routes).dispatch(first, aborted)).rejects.toBe(lost)
    const other = new TypeError('a defect')
    await expect(toHttp(throwing(other), routes).dispatch(first, context)).rejects.toBe(other)
  })
})

describe('to handlers', () => {
  test('each message is passed to the handler of its topic with the parsed payload', async () => {
    const dated = defineMessage({
      topic: 'dated',
      payload: z.object({ at: z.iso.datetime().transform((text) => new Date(text)) }),
    })
    const requests: unknown[] = []
    const target = toHandler([
      onMessage(probe, ({ payload }) => requests.push(payload.n)),
      onMessage(dated, ({ payload }) => requests.push(payload.at.getTime())),
    ])
    expect(target.topics).toEqual(['probe', 'dated'])
    await inTransaction(world.service, (transaction) =>
      world.outbox.publishMany([dated.create({ at: '1970-01-01T00:00:01.000Z' }), probe.create({ n: 7 })], {
        transaction,
      }),
    )
    await world.relay({ target })
    await eventually(() => requests.length === 2)
    expect(requests).toEqual(expect.arrayContaining([7, 1_000]))
  })

  test('an invalid payload becomes a dead letter at once', async () => {
    const changed = defineMessage({ topic: 'probe', payload: z.object({ n: z.string() }) })
    const [id = ''] = await world.publish(1)
    await world.relay({ target: toHandler([onMessage(changed, () => undefined)]) })
    const deadLetter = await eventually(() => world.outbox.deadLetters.get(id))
    expect(deadLetter).toMatchObject({ reason: 'undeliverable', attempts: 1 })
  })

  test('two handlers for one topic are refused', () => {
    const handler = onMessage(probe, () => undefined)
    expect(() => toHandler([handler, handler])).toThrow('two routes')
  })
})

test('a message that does not match its job does not compile', () => {
  const otherJob = defineJob({ kind: 'other', payload: z.object({ text: z.string() }) })
  asJob(probe, otherJob, { payload: ({ payload }) => ({ text: String(payload.n) }) })
  // @ts-expect-error -- a job of another payload needs a mapping
  asJob(probe, otherJob)
  // @ts-expect-error -- a message with an invalid payload
  expect(() => probe.create({ n: 'one' })).toThrow('n')
})
