import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { KeyRole } from '@queue/core'
import { createKey, digestSecret, formatApiKey, databaseOf } from '@queue/core/internal'
import { createTestDatabase, eventually, insertJob, type TestDatabase } from '@queue/testing'
import { createLoopTurns } from '../../src/access/loop-turns.ts'
import { createRefusalPace } from '../../src/access/refusal-pace.ts'
import {
  aloneAfterMs,
  keyRefusalsBurst,
  keyRefusalsPerSecond,
  refusalDelayMsMax,
  turnAgeMsMax,
  turnRequestsMax,
} from '../../src/http/limits.ts'
import { anonymous, type Principal } from '../../src/http/principal.ts'
import type { Sessions } from '../../src/dashboard/sessions.ts'
import { type ApiProcess, startApiProcess } from '../support/api-process.ts'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

describe('a turn of the event loop', () => {
  test('lets a caller with many requests go on with a few, and with the others in later turns', async () => {
    const { send, went, endTurn } = world()
    for (let n = 0; n < 50; n += 1) send('a')
    expect(went()).toHaveLength(turnRequestsMax)
    for (let turns = 2; turns * turnRequestsMax <= 50; turns += 1) {
      await endTurn()
      expect(went()).toHaveLength(turns * turnRequestsMax)
    }
  })

  test('is not waited for by a caller that is alone', async () => {
    const { send, went, pass, endTurn } = world()
    send('a')
    await endTurn()
    pass(aloneAfterMs)
    for (let n = 0; n < 50; n += 1) send('a')
    expect(went()).toHaveLength(1 + 50)
    send('b')
    for (let n = 0; n < 50; n += 1) send('a')
    expect(went()).toHaveLength(1 + 50 + 1 + turnRequestsMax)
  })

  test('lets one request of each caller go on, however many of another wait', async () => {
    const { send, went, endTurn } = world()
    for (let n = 0; n < 50; n += 1) send('a')
    send('b')
    expect(went()).toContain('b')
    await endTurn()
    send('b')
    expect(went().filter((name) => name === 'b')).toHaveLength(2)
  })

  test('that has lasted for long lets each caller go on with one only', async () => {
    const { send, went, endTurn } = world({ msOfEach: turnAgeMsMax })
    for (let n = 0; n < 50; n += 1) send('a')
    send('b')
    expect(went()).toEqual(['a', 'b'])
    await endTurn()
    expect(went()).toEqual(['a', 'b', 'a'])
  })

  test('comes between the parts of a long request', async () => {
    const { went, pass, send, endTurn, pauses } = world()
    const pause = pauses('a')
    expect(pause()).toBeUndefined()
    pass(turnAgeMsMax)
    void pause()?.then(() => went().push('a'))
    send('b')
    expect(went()).toEqual(['b'])
    while (!went().includes('a')) await endTurn()
    expect(pause()).toBeUndefined()
  })

  test('goes to the addresses without a credential one after the other', async () => {
    const { send, went, endTurn } = world()
    for (let n = 0; n < 50; n += 1) send(nobody('203.0.113.1'))
    for (let n = 0; n < 50; n += 1) send(nobody('203.0.113.2'))
    send(nobody('2001:db8::1'))
    send(nobody('2001:db8::2'))
    const firstTurn = went().length
    await endTurn()
    const next = went().slice(firstTurn)
    expect(next.slice(0, 4)).toEqual(['203.0.113.1', '203.0.113.2', '2001:db8::1', '203.0.113.1'])
    expect(next).toHaveLength(turnRequestsMax)
    // They are one caller beside others, and one network beside each other.
    send('a')
    expect(went().at(-1)).toBe('a')
  })

  test('comes to a probe although hundreds without a credential wait, and keeps no caller from being alone', async () => {
    const { send, went, endTurn, pass } = world()
    for (let n = 0; n < 50; n += 1) send(nobody('203.0.113.1'))
    for (let n = 0; n < 50; n += 1) send({ ...nobody('203.0.113.2'), isProbe: true })
    expect(went().filter((client) => client === '203.0.113.2')).toHaveLength(turnRequestsMax)
    send({ ...nobody('203.0.113.3'), isProbe: true })
    await endTurn()
    expect(went()).toContain('203.0.113.3')
    pass(aloneAfterMs)
    const before = went().length
    for (let n = 0; n < 50; n += 1) send('b')
    pass(aloneAfterMs)
    send({ ...nobody('203.0.113.3'), isProbe: true })
    for (let n = 0; n < 50; n += 1) send('b')
    expect(
      went()
        .slice(before)
        .filter((name) => name === 'b').length,
    ).toBeGreaterThanOrEqual(50)
  })

  test('comes to each request, and forgets callers without one', async () => {
    const { send, went, endTurn, hasTurn } = world()
    for (const name of ['a', 'b', 'c']) for (let n = 0; n < 20; n += 1) send(name)
    while (hasTurn()) await endTurn()
    expect(went()).toHaveLength(60)
  })
})

/** Turns that the test ends. A request that goes on takes `msOfEach`. */
function world({ msOfEach = 0 } = {}) {
  let nowMs = 0
  let events: (() => void)[] = []
  const turns = createLoopTurns({ nowMs: () => nowMs, afterEvents: (run) => void events.push(run) })
  // Two callers have called, so no caller is alone.
  for (const name of ['y', 'z']) void turns.take({ principal: principalOf(name) })
  for (const run of events.splice(0)) run()
  const went: string[] = []
  const goOn = (name: string): void => {
    went.push(name)
    nowMs += msOfEach
  }
  return {
    went: () => went,
    /** Lets this time pass, in milliseconds. */
    pass: (ms: number) => {
      nowMs += ms
    },
    hasTurn: () => events.length > 0,
    send: (sender: string | Nobody) => {
      const name = typeof sender === 'string' ? sender : sender.client
      const turn = turns.take(typeof sender === 'string' ? { principal: principalOf(sender) } : sender)
      if (turn === undefined) goOn(name)
      else void turn.then(() => goOn(name))
    },
    pauses: (name: string) => turns.pauses({ principal: principalOf(name) }),
    endTurn: async () => {
      // The end of this turn begins the next one, whose requests go on before it ends.
      const end = events
      events = []
      for (const run of end) run()
      const next = events.splice(0, turnRequestsMax)
      for (const run of next) {
        run()
        await Promise.resolve()
      }
    },
  }
}

interface Nobody {
  readonly principal: undefined
  readonly client: string
  readonly isProbe?: boolean
}

function nobody(client: string): Nobody {
  return { principal: undefined, client }
}

function principalOf(id: string): Principal {
  return { ...anonymous, who: { type: 'key', id } }
}

describe('refusals of a key', () => {
  /** The delays of refusals with this status, whose client repeats at once on so many connections for ten seconds. */
  function delaysOf(
    status: number,
    { connections, principal = principalOf('a') }: { connections: number; principal?: Principal },
  ) {
    let nowMs = 0
    const pace = createRefusalPace(() => nowMs)
    const repeatAtMs = Array.from({ length: connections }, () => 0)
    const delays: number[] = []
    for (;;) {
      nowMs = Math.min(...repeatAtMs)
      if (nowMs >= 10_000) return delays
      const delayMs = pace.delayMs(principal, status)
      delays.push(delayMs)
      // A client and the process take a millisecond even without a delay.
      repeatAtMs[repeatAtMs.indexOf(nowMs)] = nowMs + delayMs + 1
    }
  }

  test('are sent at a pace, after a burst', () => {
    const delays = delaysOf(403, { connections: 50 })
    expect(delays.slice(0, keyRefusalsBurst).every((ms) => ms === 0)).toBe(true)
    expect(delays.length).toBeLessThanOrEqual(keyRefusalsBurst + 11 * keyRefusalsPerSecond)
  })

  test('wait no longer than the maximum, on any number of connections', () => {
    expect(Math.max(...delaysOf(429, { connections: 500 }))).toBe(refusalDelayMsMax)
  })

  test('do not wait if they tell the state of a thing, or if the caller has no limits', () => {
    for (const status of [404, 409]) expect(Math.max(...delaysOf(status, { connections: 2 }))).toBe(0)
    expect(Math.max(...delaysOf(403, { connections: 2, principal: anonymous }))).toBe(0)
  })
})

describe('an answer comes after a turn', () => {
  let api: DatabaseApi
  let taken: PromiseWithResolvers<void>
  let turn: PromiseWithResolvers<void>

  beforeAll(async () => {
    const take = (): Promise<void> => {
      taken.resolve()
      return turn.promise
    }
    api = await startDatabaseApi({
      authenticate: async (credential) => (credential === 'any' ? principalOf('any') : undefined),
      turns: { take, pauses: () => () => undefined },
      allowedHosts: [],
      dashboard: { bundle: { page: '<!doctype html>', assets: new Map() } },
      sessions: { find: () => Promise.resolve(undefined) } as unknown as Sessions,
    })
  })
  beforeEach(() => {
    taken = Promise.withResolvers()
    turn = Promise.withResolvers()
  })
  afterAll(() => api.close())

  test.each([
    { about: 'without a credential', path: '/jobs', status: 401 },
    { about: 'of the documentation', path: '/docs', status: 200 },
    { about: 'to a probe', path: '/livez', status: 200 },
    { about: 'to a key', path: '/me', headers: { authorization: 'Bearer any' }, status: 200 },
    { about: 'of the dashboard', path: '/dashboard/', status: 200 },
    { about: 'about a session', path: '/dashboard/session', status: 200 },
    { about: 'to a sign-in', path: '/dashboard/session', method: 'POST', body: '{}', status: 422 },
    {
      about: 'to a page of another site',
      path: '/jobs',
      method: 'POST',
      headers: { origin: 'http://elsewhere.example' },
      status: 403,
    },
    { about: 'for another host', path: '/jobs', headers: { host: 'elsewhere.example' }, status: 421 },
  ])('$about', async ({ path, method = 'GET', headers = {}, body, status }) => {
    const sent = request(new URL(path, api.base), {
      method,
      headers: { 'content-type': 'application/json', ...headers },
    })
    sent.end(body)
    const answer = once(sent, 'response') as Promise<[IncomingMessage]>
    const isFirst = await Promise.race([taken.promise.then(() => true), answer.then(() => false)])
    expect(isFirst).toBe(true)
    turn.resolve()
    const [response] = await answer
    expect(response.resume().statusCode).toBe(status)
  })
})

describe('beside 200 connections of one key', () => {
  let database: TestDatabase
  let api: ApiProcess
  let url: string
  let victim: string

  beforeAll(async () => {
    database = await createTestDatabase()
    api = startApiProcess({ DATABASE_URL: database.urlAs('api'), API_KEYS: 'yes' })
    url = await api.url()
    await eventually(async () => (await fetch(`${url}/readyz`)).ok, { what: 'ready' })
    victim = await makeKey('victim01', 'admin')
  })

  afterAll(async () => {
    api.signal('SIGTERM')
    await api.ended()
    await database.close()
  })

  async function makeKey(id: string, role: KeyRole): Promise<string> {
    const secret = randomBytes(32)
    const digest = digestSecret(secret)
    await createKey(databaseOf(database.queue), { id, digest, name: id, role, permissions: [] })
    return formatApiKey(id, secret)
  }

  test.each([
    { id: 'refused1', role: 'read', method: 'POST', path: '/jobs', body: email, status: 403 },
    { id: 'nobody', role: 'read', method: 'GET', path: '/jobs', body: undefined, status: 401 },
    // A small page: hundreds of large answers would wait in this process, and the other key's behind them.
    { id: 'document', role: 'read', method: 'GET', path: '/docs', body: undefined, status: 200 },
    { id: 'refused2', role: 'read', method: 'GET', path: '/nowhere', body: undefined, status: 404 },
    { id: 'admitted', role: 'admin', method: 'POST', path: '/jobs', body: email, status: 201 },
  ] as const)(
    "another key's answer comes after few of theirs: $method $path as $role",
    async ({ id, role, method, path, body, status }) => {
      const key = status === 401 ? 'unknown' : await makeKey(id, role)
      const job = await insertJob(database)
      const abuser = startClients(200, { url: new URL(path, url), method, key, body })
      await eventually(() => abuser.answers() > 400, { what: 'answers to the abuser' })
      // So many that the median is no moment in which this process was behind: theirs are then counted before its answer.
      const between: number[] = []
      while (between.length < 61) {
        const before = abuser.answers()
        const answer = await sendRequest({ url: new URL(`/jobs/${job.id}`, url), method: 'GET', key: victim })
        expect(answer).toBe(200)
        between.push(abuser.answers() - before)
      }
      expect(await abuser.stop()).toEqual([status])
      expect(between.toSorted((a, b) => a - b)[30]).toBeLessThan(100)
    },
  )
})

interface Sent {
  readonly url: URL
  readonly method: string
  readonly key: string
  readonly body?: unknown
  readonly agent?: Agent
}

/** The status of the answer. Rejects if the connection ends without one. */
function sendRequest({ url, method, key, body, agent }: Sent): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' }
    const sent = request(url, { method, headers, ...(agent !== undefined && { agent }) })
    sent.once('error', reject)
    sent.once('response', (response: IncomingMessage) =>
      response.resume().once('end', () => resolve(response.statusCode ?? 0)),
    )
    sent.end(body === undefined ? undefined : JSON.stringify(body))
  })
}

/** Clients that repeat one request until they are stopped. */
function startClients(count: number, options: Sent) {
  const agent = new Agent({ keepAlive: true, maxSockets: count })
  const statuses = new Set<number>()
  let [answers, isStopped] = [0, false]
  const repeat = async (): Promise<void> => {
    while (!isStopped) {
      statuses.add(await sendRequest({ ...options, agent }))
      answers += 1
    }
  }
  const running = Array.from({ length: count }, repeat)
  return {
    answers: () => answers,
    /** The statuses of all answers. */
    stop: async () => {
      isStopped = true
      await Promise.all(running)
      agent.destroy()
      return [...statuses]
    },
  }
}
