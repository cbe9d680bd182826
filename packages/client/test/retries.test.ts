import { createServer } from 'node:http'
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, insertJob } from '@queue/testing'
import {
  ApiError,
  type Client,
  type ClientOptions,
  createClient,
  NetworkError,
  TooManyRequestsError,
} from '../src/index.ts'
import { InvalidCall } from '../src/invalid-call.ts'
import { type Api, startApi } from './support/start-api.ts'
import { type Proxy, startProxy } from './support/start-proxy.ts'

const email = { to: 'ada@example.com', subject: 'Welcome', body: 'Good to have you here.' }
const unavailable = { status: 503, headers: { 'retry-after': '1' }, body: 'away' }

let api: Api
let proxy: Proxy

beforeAll(async () => {
  api = await startApi()
  proxy = await startProxy(api.url)
})

afterEach(() => {
  proxy.fates.length = 0
  proxy.requests.length = 0
})

afterAll(async () => {
  await proxy.close()
  await api.close()
})

const clientOf = (options: Partial<ClientOptions> = {}): Client =>
  createClient({ baseUrl: proxy.url, ...options })

async function jobsIn(queue: string): Promise<number> {
  return (await api.database.queue.list({ queue })).jobs.length
}

describe('a successful response that is not from the API', () => {
  const id = '01890a5d-ac96-774b-bcce-b302099a8057'
  const calls: Readonly<Record<string, (client: Client) => Promise<unknown>>> = {
    'enqueues no job': (client) => client.enqueue('send_email', email),
    'enqueues no jobs': (client) => client.enqueueMany([{ kind: 'send_email', payload: email }]),
    'is no job': (client) => client.get(id),
    'cancels no job': (client) => client.cancel(id),
    'edits no job': (client) => client.edit(id, { priority: 1 }),
    'is no bulk act': (client) => client.cancelJobs({ filter: { kind: 'send_email' } }),
    'is no page': (client) => client.jobsPage(),
    'pauses no queue': (client) => client.pause('mail'),
    'revokes no key': (client) => client.revokeKey('abcdefgh'),
    'follows no job': async (client) => {
      for await (const _ of client.follow(id)) throw new Error('there is no event')
    },
  }
  const answers = [
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{}' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"status":"maintenance"}' },
    {
      status: 202,
      headers: { 'content-type': 'application/json' },
      body: '{"id":"hello","status":"maintenance"}',
    },
    {
      status: 201,
      headers: { 'content-type': 'application/json' },
      body: `{"id":"${id}","status":"created"}`,
    },
    { status: 200, headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '' },
    { status: 200, headers: { 'content-type': 'application/json' }, body: '{"data":"a text"}' },
    { status: 204, headers: {} },
  ]

  test.each(Object.entries(calls))('%s', async (what, call) => {
    // 204 is what the API sends after it has revoked a key.
    for (const answer of what === 'revokes no key' ? answers.slice(0, -1) : answers) {
      proxy.fates.push(answer)
      const error: unknown = await call(clientOf({ retries: 0 })).catch((thrown: unknown) => thrown)
      expect({ answer, error }).toMatchObject({
        answer,
        error: { name: 'NetworkError', reason: 'unreadable' },
      })
    }
  })
})

describe('a lost reply', () => {
  test('to an enqueue and the retry after it make one job, and it is not called a replay', async () => {
    proxy.fates.push('reply_lost', 'reply_lost')
    const { job, replayed } = await clientOf().enqueue('send_email', email, { queue: 'lost' })
    expect(proxy.requests).toHaveLength(3)
    expect(await jobsIn('lost')).toBe(1)
    expect(replayed).toBe(false)
    expect(job).toMatchObject({ status: 'queued', idempotency_key: expect.any(String) })
  })

  test('to an enqueue of many makes each of them once', async () => {
    proxy.fates.push('reply_lost')
    const one = { kind: 'send_email', payload: email, queue: 'lost-many' } as const
    const { jobs, replayed } = await clientOf().enqueueMany([one, one, one])
    expect(jobs).toHaveLength(3)
    expect(replayed).toEqual([])
    expect(proxy.requests).toHaveLength(2)
    expect(await jobsIn('lost-many')).toBe(3)
  })

  test('to a cancel gives the job that it cancelled', async () => {
    const { id } = await insertJob(api.database)
    proxy.fates.push('reply_lost')
    expect(await clientOf().cancel(id)).toMatchObject({ id, status: 'cancelled' })
  })

  test('to the deletion of a dead letter is a deletion', async () => {
    const { id } = await insertJob(api.database, { status: 'failed_permanent', queue: 'lost-letter' })
    const { data } = await clientOf().deadLettersPage({ queue: 'lost-letter' })
    expect(data).toMatchObject([{ job_id: id }])
    proxy.fates.push('reply_lost')
    await clientOf().deleteDeadLetter(data[0]?.id ?? '')
    expect((await clientOf().deadLettersPage({ queue: 'lost-letter' })).data).toEqual([])
  })

  test('to the deletion of a limit is a deletion', async () => {
    const client = clientOf()
    await client.setLimit({ queue: 'lost-limit', scope: 'queue', max_running: 1 })
    proxy.fates.push('reply_lost')
    await client.deleteLimit({ queue: 'lost-limit', scope: 'queue' })
    expect((await client.limitsPage({ queue: 'lost-limit' })).data).toEqual([])
    await expect(client.deleteLimit({ queue: 'lost-limit', scope: 'queue' })).rejects.toMatchObject({
      error: 'limit_not_found',
    })
  })

  test('to a change of the version of a limit that was read is the change', async () => {
    const client = clientOf()
    const target = { queue: 'lost-version', scope: 'queue' } as const
    proxy.fates.push('reply_lost')
    const first = await client.setLimit({ ...target, max_running: 1 }, { ifUpdatedAt: null })
    proxy.fates.push('reply_lost')
    const second = await client.changeLimit({ ...target, max_running: 2 }, { ifUpdatedAt: first.updated_at })
    expect([first.max_running, second.max_running]).toEqual([1, 2])
    await expect(client.deleteLimit(target, { ifUpdatedAt: first.updated_at })).rejects.toMatchObject({
      status: 412,
      error: 'limit_changed',
    })
    proxy.fates.push('reply_lost')
    await client.deleteLimit(target, { ifUpdatedAt: second.updated_at })
    expect((await client.limitsPage({ queue: target.queue })).data).toEqual([])
  })

  test('to the creation of a schedule gives the schedule that it created', async () => {
    const schedule = {
      name: 'lost-schedule',
      kind: 'send_email',
      payload: email,
      cron: '0 2 * * *',
      starts_at: '2027-01-15T09:30:00+01:00',
      retry_policy: { type: 'fixed', base_ms: 1_000 },
      ends_at: null,
    } as const
    proxy.fates.push('reply_lost')
    expect(await clientOf().createSchedule(schedule)).toMatchObject({ name: 'lost-schedule', payload: email })
    expect(proxy.requests).toHaveLength(3)
  })

  test.each([
    ['payload', { payload: { ...email, subject: 'Another' } }],
    ['timing', { every_ms: 120_000 }],
    ['queue', { queue: 'others' }],
    ['start', { starts_at: '2027-01-15T09:30:00.001Z' }],
    ['end', { ends_at: '2027-01-16T09:30:00Z' }],
    ['overlap', { overlap: 'skip' }],
    ['metadata', { metadata: { order_id: 4711 } }],
  ] as const)(
    'to the creation of a schedule does not give one of somebody else, with another %s',
    async (_, other) => {
      const name = `others-${Object.keys(other)[0]}`
      const mine = {
        name,
        kind: 'send_email',
        payload: email,
        queue: 'mine',
        every_ms: 60_000,
        starts_at: '2027-01-15T09:30:00Z',
      } as const
      await clientOf().createSchedule({ ...mine, ...other })
      proxy.fates.push(unavailable)
      await expect(clientOf().createSchedule(mine)).rejects.toMatchObject({
        error: 'schedule_exists',
        afterLostReply: true,
      })
    },
  )

  test('to a requeue is not followed by another one', async () => {
    const { id } = await insertJob(api.database, { status: 'cancelled' })
    proxy.fates.push('reply_lost')
    const error: unknown = await clientOf()
      .requeue(id)
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({ reason: 'lost', attempts: 1 })
    expect(proxy.requests).toHaveLength(1)
  })
})

describe('an answer of 503 with Retry-After', () => {
  test('is waited out, and then the call succeeds', async () => {
    proxy.fates.push(unavailable)
    expect(await clientOf().queuesPage()).toEqual({ data: expect.any(Array), next_cursor: null })
    const [first, second] = proxy.requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(995)
  })

  test('is an error at once when it asks for more than a minute', async () => {
    proxy.fates.push({ ...unavailable, headers: { 'retry-after': '61' } })
    const call = clientOf().queuesPage()
    await expect(call).rejects.toMatchObject({ status: 503, error: 'unrecognized', retryAfterMs: 61_000 })
  })

  test('may have taken effect, so that a requeue is not sent again', async () => {
    proxy.fates.push(unavailable)
    const { id } = await insertJob(api.database, { status: 'cancelled' })
    await expect(clientOf().requeue(id)).rejects.toMatchObject({ status: 503 })
    expect(proxy.requests).toHaveLength(1)
  })

  test('that says that nothing was done has a requeue sent again', async () => {
    const overloaded = { error: 'overloaded', detail: 'busy', status: 503 }
    const headers = { 'content-type': 'application/problem+json', 'retry-after': '0' }
    proxy.fates.push({ status: 503, headers, body: JSON.stringify(overloaded) })
    const { id } = await insertJob(api.database, { status: 'cancelled' })
    expect(await clientOf().requeue(id)).toMatchObject({ status: 'queued' })
  })
})

describe('an answer of 429', () => {
  const refusal = (error: string, seconds: string) => ({
    status: 429,
    headers: { 'content-type': 'application/problem+json', 'retry-after': seconds },
    body: JSON.stringify({ error, detail: 'too many', status: 429 }),
  })

  test('is waited out, also by calls that are not repeated otherwise', async () => {
    const { id } = await insertJob(api.database, { status: 'cancelled' })
    proxy.fates.push(refusal('rate_limited', '1'))
    expect(await clientOf().requeue(id)).toMatchObject({ status: 'queued' })
    const [first, second] = proxy.requests
    expect((second?.atMs ?? 0) - (first?.atMs ?? 0)).toBeGreaterThanOrEqual(995)
  })

  test('that asks for more than a minute is an error of its own class', async () => {
    proxy.fates.push(refusal('rate_limited', '61'))
    const error: unknown = await clientOf()
      .queuesPage()
      .catch((e: unknown) => e)
    expect(error).toBeInstanceOf(TooManyRequestsError)
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 429, error: 'rate_limited', retryAfterMs: 61_000 })
  })

  test('to a wait has the job polled', async () => {
    const { id } = await insertJob(api.database, { status: 'succeeded' })
    proxy.fates.push(refusal('too_many_waits', '1'))
    expect(await clientOf().waitFor(id)).toMatchObject({ status: 'succeeded' })
    expect(proxy.requests).toHaveLength(2)
  })
})

describe('retries', () => {
  const lost = { status: 502, body: '<html>Bad Gateway</html>' }

  test('end after as many as the client may make, with the last failure', async () => {
    proxy.fates.push(lost, lost, lost, lost)
    const call = clientOf({ retries: 2 }).queuesPage()
    await expect(call).rejects.toMatchObject({ name: 'ApiError', status: 502, error: 'unrecognized' })
    expect(proxy.requests).toHaveLength(3)
  })

  test('do not happen after an answer that would be the same again', async () => {
    await expect(clientOf().get('no-id')).rejects.toMatchObject({ name: 'ApiError' })
    expect(proxy.requests).toHaveLength(1)
  })

  test('happen to every call while nothing listens, since nothing was sent', async () => {
    const nobody = createServer().listen(0, '127.0.0.1')
    await once(nobody, 'listening')
    const { port } = nobody.address() as AddressInfo
    nobody.close()
    await once(nobody, 'close')
    const client = createClient({ baseUrl: `http://127.0.0.1:${port}`, retries: 2 })
    const error: unknown = await client.requeue('any').catch((e: unknown) => e)
    expect(error).toBeInstanceOf(NetworkError)
    expect(error).toMatchObject({
      reason: 'unsent',
      attempts: 3,
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('silence', () => {
  test('ends an attempt after its time, and the next one has its own', async () => {
    proxy.fates.push('silence')
    const { job } = await clientOf({ timeoutMs: 2_000 }).enqueue('send_email', email, { queue: 'silence' })
    expect(proxy.requests).toHaveLength(2)
    expect(job.queue).toBe('silence')
  })

  test('to the last is a timeout', async () => {
    proxy.fates.push('silence')
    const call = clientOf({ timeoutMs: 100, retries: 0 }).queuesPage()
    await expect(call).rejects.toMatchObject({ name: 'NetworkError', reason: 'timeout' })
  })
})

describe('an abort', () => {
  const reason = new Error('enough')

  test.each(['of the call', 'of the client'])(
    '%s ends a request with its reason, and is not retried',
    async (whose) => {
      proxy.fates.push('silence')
      const { signal, abort } = controllerOf()
      const call =
        whose === 'of the call' ? clientOf().queuesPage({}, { signal }) : clientOf({ signal }).queuesPage()
      const settled = call.catch((e: unknown) => e)
      await eventually(() => proxy.requests.length === 1)
      abort()
      expect(await settled).toBe(reason)
      expect(proxy.requests).toHaveLength(1)
    },
  )

  test('ends a wait between attempts', async () => {
    proxy.fates.push({ ...unavailable, headers: { 'retry-after': '60' } })
    const { signal, abort } = controllerOf()
    const settled = clientOf()
      .queuesPage({}, { signal })
      .catch((e: unknown) => e)
    await eventually(() => proxy.requests.length === 1)
    abort()
    expect(await settled).toBe(reason)
  })

  test('before a call sends nothing', async () => {
    await expect(clientOf().queuesPage({}, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason)
    expect(proxy.requests).toHaveLength(0)
  })

  function controllerOf(): { readonly signal: AbortSignal; readonly abort: () => void } {
    const controller = new AbortController()
    return { signal: controller.signal, abort: () => controller.abort(reason) }
  }
})

describe('mistakes of the caller are thrown as they are', () => {
  test.each([
    { baseUrl: 'queue.internal' },
    { baseUrl: 'ftp://queue.internal' },
    { baseUrl: 'http://queue.internal', retries: -1 },
    { baseUrl: 'http://queue.internal', timeoutMs: 0 },
  ])('%j', (options) => {
    expect(() => createClient(options)).toThrow(InvalidCall)
  })

  test('the error of a body names the call, and has what fetch threw as its cause', async () => {
    const call = clientOf().enqueue('webhook_delivery', { url: 'http://example.com', body: 1n })
    await expect(call).rejects.toMatchObject({
      name: 'InvalidCall',
      code: 'invalid_options',
      message: 'enqueue cannot be sent with these arguments: pass what its type says',
      cause: expect.any(TypeError),
    })
  })

  test('a body that is no JSON', async () => {
    const body: unknown[] = []
    body.push(body)
    const call = clientOf().enqueue('webhook_delivery', { url: 'http://example.com', body })
    await expect(call).rejects.toThrow(TypeError)
    expect(proxy.requests).toHaveLength(0)
  })
})
