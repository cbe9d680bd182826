import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue, type Queue, type Rate } from '@queue/core'
import {
  type ConnectedDatabase,
  createKey,
  databaseOf,
  digestSecret,
  formatApiKey,
} from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { leastOfTries } from '@queue/test-database'
import { createTestDatabase, eventually, insertJob, type TestDatabase } from '@queue/testing'
import { createKeyVerifier } from '../../src/access/key-verifier.ts'
import { createRequestRates } from '../../src/access/request-rates.ts'
import { networkOf } from '../../src/access/address-limiter.ts'
import type { AppOptions } from '../../src/app.ts'
import { email } from '../support/requests.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

const token = 'a-token-of-these-tests'
let database: TestDatabase
let queue: Queue
const opened: (() => Promise<void>)[] = []
let made = 0

beforeAll(async () => {
  database = await createTestDatabase()
  queue = createQueue({ connectionString: database.urlAs('api') })
})

afterAll(async () => {
  for (const close of opened) await close()
  await queue.close()
  await database.close()
})

const realMs = (): number => performance.now()

interface ApiOptions extends Pick<AppOptions, 'budgets'> {
  readonly rateDefault?: Rate
  readonly nowMs?: () => number
}

async function apiWith({ rateDefault, budgets, nowMs = realMs }: ApiOptions = {}): Promise<TestApi> {
  const authenticate = createKeyVerifier({ database: databaseOf(queue), nowMs, rateDefault })
  const rates = createRequestRates({ database: databaseOf(queue), nowMs })
  const readiness = createReadiness({ database: databaseOf(queue) })
  const api = await startApi({ queue, readiness, token, authenticate, rates, ...(budgets && { budgets }) })
  opened.push(() => api.close())
  return api
}

async function keyWith(rate?: Rate): Promise<string> {
  made += 1
  const id = `rate${String(made).padStart(4, '0')}`
  const secret = randomBytes(32)
  const owner = databaseOf(database.queue)
  const digest = digestSecret(secret)
  await createKey(owner, { id, digest, name: 'n', role: 'admin', permissions: [], rate })
  return formatApiKey(id, secret)
}

const bearer = (text: string) => ({ authorization: `Bearer ${text}` })
const list = (api: TestApi, text: string) => api.fetch('/queues', { headers: bearer(text) })
const fivePerHour: Rate = { count: 5, perSeconds: 3_600, burst: 5 }

/** The statements that a database is sent, as far as they are about buckets. */
function counting(of: ConnectedDatabase): {
  readonly database: ConnectedDatabase
  readonly sent: () => number
} {
  let sent = 0
  const run: ConnectedDatabase['run'] = (statement, frequency) => {
    sent += 1
    return of.run(statement, frequency)
  }
  return { database: { ...of, run }, sent: () => sent }
}

describe('a key with a rate', () => {
  test('is served its burst, and then refused in one shape, before a body is read', async () => {
    const api = await apiWith()
    const text = await keyWith(fivePerHour)
    for (let left = 4; left >= 0; left -= 1) {
      const { status, headers } = await list(api, text)
      expect([status, headers.get('ratelimit'), headers.get('ratelimit-policy')]).toEqual([
        200,
        `"key";r=${left}`,
        '"key";q=5;w=3600',
      ])
    }
    for (const answer of [
      await list(api, text),
      await api.post('/jobs', '{', bearer(text)),
      await api.fetch('/nothing', { headers: bearer(text) }),
    ]) {
      expect(answer).toMatchObject({ status: 429, body: { error: 'rate_limited' } })
      expect(answer.body.detail).toMatch(
        /^the rate limit is 5 requests in 3600 s with a burst of 5: retry in 7\d\d s$/,
      )
      const wait = Number(answer.headers.get('retry-after'))
      expect(wait).toBeGreaterThan(700)
      expect(answer.headers.get('ratelimit')).toBe(`"key";r=0;t=${wait}`)
    }
  })

  test('that has used it up takes nothing from others, and costs the database nothing', async () => {
    const { database: counted, sent } = counting(databaseOf(queue))
    const rates = createRequestRates({ database: counted, nowMs: realMs })
    const outcomes = await Promise.allSettled(
      Array.from({ length: 1_000 }, () => rates.count('flooding', fivePerHour)),
    )
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).toHaveLength(5)
    const before = sent()
    expect(before).toBeLessThan(10)
    for (let n = 0; n < 1_000; n += 1) await rates.count('flooding', fivePerHour).catch(() => undefined)
    expect(sent()).toBe(before)
    await expect(rates.count('another', fivePerHour)).resolves.toBeDefined()

    const api = await apiWith()
    const [flooding, quiet] = [await keyWith(fivePerHour), await keyWith(fivePerHour)]
    for (let n = 0; n < 20; n += 1) await list(api, flooding)
    expect((await list(api, flooding)).status).toBe(429)
    for (const text of [quiet, await keyWith(), token]) expect((await list(api, text)).status).toBe(200)
    expect((await api.fetch('/livez')).status).toBe(200)
  })

  test('has that rate over all processes, and can use it', async () => {
    const rate: Rate = { count: 200, perSeconds: 1, burst: 100 }
    const seconds = 10
    const perSecond = rate.count / rate.perSeconds
    let tries = 0
    /** The part of the rate that was not used. */
    const unused = async (): Promise<number> => {
      tries += 1
      const quotaKey = `shared${String(tries).padStart(2, '0')}`
      const queues = Array.from({ length: 4 }, () =>
        createQueue({ connectionString: database.urlAs('api'), poolMax: 1 }),
      )
      const handles = queues.map((one) => createRequestRates({ database: databaseOf(one), nowMs: realMs }))
      const servedAt: number[] = []
      const startedAtMs = realMs()
      await Promise.all(
        handles.map(async (rates) => {
          while (realMs() - startedAtMs < seconds * 1_000) {
            const counted = await rates.count(quotaKey, rate).then(
              () => true,
              () => false,
            )
            if (counted) servedAt.push(realMs())
            else await sleep(5)
          }
        }),
      )
      const tookSeconds = (realMs() - startedAtMs) / 1_000
      for (const one of queues) await one.close()
      expect(servedAt.length).toBeLessThanOrEqual(rate.burst + perSecond * (tookSeconds + 1))
      // Nor in any part of that time.
      for (const [first, fromMs] of servedAt.entries()) {
        const last = servedAt.findLastIndex((atMs) => atMs - fromMs <= 2_000)
        expect(last - first + 1).toBeLessThanOrEqual(rate.burst + perSecond * (2 + 1))
      }
      return 1 - servedAt.length / (rate.burst + perSecond * seconds)
    }
    // A busy machine loses what a full bucket cannot hold.
    expect(await leastOfTries(0.1, unused)).toBeLessThan(0.1)
  })

  test('is served what was left to it when it comes back', async () => {
    let atMs = 0
    const { database: counted, sent } = counting(databaseOf(queue))
    const rates = createRequestRates({ database: counted, nowMs: () => atMs })
    const rate: Rate = { count: 1_000, perSeconds: 3_600, burst: 10 }
    for (let n = 0; n < 8; n += 1) {
      await rates.count('returns0', rate)
      atMs += 1_000
    }
    expect(sent()).toBe(8)
    await rates.count('returns0', rate)
    await rates.count('returns0', rate)
    await expect(rates.count('returns0', rate)).rejects.toMatchObject({ slug: 'rate_limited' })
  })

  test('is counted by nobody where the database takes no writes', async () => {
    const url = new URL(database.urlAs('api'))
    url.searchParams.set(
      'options',
      `${url.searchParams.get('options') ?? ''} -c default_transaction_read_only=on`,
    )
    const standby = createQueue({ connectionString: url.href })
    const { database: counted, sent } = counting(databaseOf(standby))
    const rates = createRequestRates({ database: counted, nowMs: realMs })
    for (let n = 0; n < 20; n += 1) expect(await rates.count('standby0', fivePerHour)).toEqual({})
    expect(sent()).toBeLessThan(20)
    await standby.close()
  })
})

test('a key without a rate has that of the process, and none where that has none', async () => {
  const text = await keyWith()
  const limited = await apiWith({ rateDefault: { count: 1, perSeconds: 3_600, burst: 1 } })
  expect([(await list(limited, text)).status, (await list(limited, text)).status]).toEqual([200, 429])
  const own = await keyWith({ count: 2, perSeconds: 3_600, burst: 2 })
  expect([(await list(limited, own)).status, (await list(limited, own)).status]).toEqual([200, 200])
  const { rows: before } = await database.pool.query('SELECT count(*) FROM queue.api_key_buckets')
  const answer = await list(await apiWith(), await keyWith())
  expect([answer.status, answer.headers.has('ratelimit')]).toEqual([200, false])
  expect((await database.pool.query('SELECT count(*) FROM queue.api_key_buckets')).rows).toEqual(before)
})

describe('the requests of one key have of a process at once', () => {
  const budgets = { streamsMax: 1, waitsMax: 1, bytesMax: 1_048_576 }

  test('so many streams', async () => {
    const api = await apiWith({ budgets })
    const [text, other] = [await keyWith(), await keyWith()]
    const { id } = await insertJob(database)
    const open = async (credential: string, signal?: AbortSignal) =>
      fetch(`${api.base}/jobs/${id}/events`, { headers: bearer(credential), signal: signal ?? null })
    const first = new AbortController()
    const elsewhere = new AbortController()
    await open(text, first.signal)
    const refused = await api.fetch(`/jobs/${id}/events`, { headers: bearer(text) })
    expect(refused).toMatchObject({ status: 429, body: { error: 'too_many_streams' } })
    expect(refused.body.detail).toMatch(/close one/)
    expect((await open(other, elsewhere.signal)).status).toBe(200)
    first.abort()
    const again = await eventually(async () => {
      const answer = await open(text, elsewhere.signal)
      return answer.status === 200 ? answer : undefined
    })
    expect(again.status).toBe(200)
    elsewhere.abort()
  })

  test('so many waits, and one more has no effect', async () => {
    const api = await apiWith({ budgets })
    const text = await keyWith()
    const { id } = await insertJob(database)
    const waiting = new AbortController()
    const headers = { ...bearer(text), prefer: 'wait=20' }
    const wait = fetch(`${api.base}/jobs/${id}`, { headers, signal: waiting.signal }).catch(() => undefined)
    const refused = await eventually(async () => {
      const answer = await api.fetch(`/jobs/${id}`, { headers: { ...headers, prefer: 'wait=0' } })
      return answer.status === 429 ? answer : undefined
    })
    expect(refused.body).toMatchObject({ error: 'too_many_waits' })
    const before = (await queue.list()).jobs.length
    expect((await api.post('/jobs', email, headers)).status).toBe(429)
    expect((await queue.list()).jobs).toHaveLength(before)
    expect((await api.fetch(`/jobs/${id}`, { headers: bearer(text) })).status).toBe(200)
    waiting.abort()
    await wait
    await eventually(
      async () => (await api.post('/jobs', email, { ...headers, prefer: 'wait=0' })).status === 201,
    )
  })

  test('so many bytes', async () => {
    const api = await apiWith({ budgets })
    const [text, other] = [await keyWith(), await keyWith()]
    const slow = new AbortController()
    const headers = { ...bearer(text), 'content-type': 'application/json' }
    const unending = new ReadableStream({ start: (body) => body.enqueue(new TextEncoder().encode('{')) })
    const sending = fetch(`${api.base}/jobs`, {
      method: 'POST',
      headers,
      body: unending,
      duplex: 'half',
      signal: slow.signal,
    }).catch(() => undefined)
    const refused = await eventually(async () => {
      const answer = await api.post('/jobs', email, headers)
      return answer.status === 429 ? answer : undefined
    })
    expect(refused.body).toMatchObject({ error: 'too_many_bytes' })
    expect((await api.post('/jobs', email, bearer(other))).status).toBe(201)
    expect((await api.post('/jobs', email, bearer(token))).status).toBe(201)
    slow.abort()
    await sending
    await eventually(async () => (await api.post('/jobs', email, headers)).status === 201)
  })
})

describe('sign-ins', () => {
  test.each([
    ['10.0.0.1', '10.0.0.1'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
    ['2001:db8:1:2::1', '2001:db8:1:2'],
    ['2001:db8::1', '2001:db8:0:0'],
    ['::1', '0:0:0:0'],
    ['fe80::', 'fe80:0:0:0'],
    [undefined, ''],
  ])('from %s count for %s', (address, network) => {
    expect(networkOf(address)).toBe(network)
  })
})
