import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { promisify } from 'node:util'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { leastOfTries } from '@queue/test-database'
import { eventually } from '@queue/testing'
import {
  headersReceiveMsMax,
  requestReceiveMsMax,
  sharedAnswersCharactersMax,
  sharedMsMax,
} from '../../src/http/limits.ts'
import { createHttpServer } from '../../src/http/server.ts'
import { createSharedAnswers, type SharedAnswer } from '../../src/http/shared-answers.ts'
import type { ApiQueue } from '../../src/services.ts'
import { document } from '@queue/test-http'
import { rawRequest } from '../support/raw-request.ts'
import { email } from '../support/requests.ts'
import { startApi, type TestApi } from '../support/start-api.ts'

const ready = {
  status: 'ready',
  checks: { process: 'running', database: 'up', schema: 'compatible', writes: 'accepted' },
} as const
const job = '/jobs/01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
const deadLetter = '/dead-letters/5f0c6b0e-2f0e-4f57-9d2c-6a1f3f1d7c11'
// Nothing listens there: whatever reaches the queue is a 503.
const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
let api: TestApi

beforeAll(async () => {
  api = await startApi({ queue, readiness: async () => ready })
})

afterAll(async () => {
  await api.close()
  await queue.close()
})

/** A queue whose reads are answered by `get`. */
function queueThat(get: ApiQueue['get']): ApiQueue {
  return { ...queue, get }
}

describe('a path', () => {
  test.each([
    '/',
    '/nope',
    '/JOBS',
    '/jobs/a/b/c',
    '/docs/../package.json',
    '/docs/..%2fpackage.json',
    '/api-docs',
    '//jobs',
  ])('%s that no operation has is a 404', async (path) => {
    // Parsed as a URL the path would lose its dots.
    const { status, body } = await rawRequest(
      api.port,
      `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
    )
    expect([status, JSON.parse(body).error]).toEqual([404, 'not_found'])
  })

  test.each(['/%', '/jobs/%zz', '/jobs/%E0%A4%A', '/docs/%ff'])(
    '%s that cannot be decoded is a 400 or a 404',
    async (path) => {
      const { status } = await rawRequest(
        api.port,
        `GET ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`,
      )
      expect([400, 404]).toContain(status)
    },
  )

  test('says where the problem is without its query', async () => {
    expect((await api.fetch('/nope?token=secret')).body.instance).toBe('/nope')
  })
})

describe('a path is one, by its letters:', () => {
  const paths = Object.keys(document.paths).map((template) => template.replace(/\{\w+\}/, 'swagger-ui.css'))

  test.each(paths)('%s with a slash behind it, in other letters, or encoded is another', async (path) => {
    const encoded = `/%${path.charCodeAt(1).toString(16)}${path.slice(2)}`
    for (const other of [`${path}/`, `/${path}`, path.toUpperCase(), encoded]) {
      const get = `GET ${other} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
      const { status, body } = await rawRequest(api.port, get)
      expect([other, status, JSON.parse(body).error]).toEqual([other, 404, 'not_found'])
    }
  })
})

describe('a method that the path does not support is a 405 that names those it does', () => {
  const paths = Object.entries(document.paths)

  test.each(paths)('%s', async (template, operations) => {
    const path = template
      .replace('{id}', '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001')
      .replace('{name}', 'default')
      .replace('{asset}', 'swagger-ui.css')
    const supported = Object.keys(operations).flatMap((method) =>
      method === 'get' ? ['GET', 'HEAD'] : [method.toUpperCase()],
    )
    for (const method of ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
      if (supported.includes(method)) continue
      const answer = await api.fetch(path, { method })
      expect(answer.status).toBe(405)
      expect(answer.headers.get('allow')?.split(', ').toSorted()).toEqual(supported.toSorted())
    }
  })
})

describe('Accept', () => {
  test.each(['application/xml', 'text/html', 'application/json;q=0', 'nonsense', 'application/problem+json'])(
    '%s is a 406, before anything is done',
    async (accept) => {
      expect(await api.post('/jobs', email, { accept })).toMatchObject({
        status: 406,
        body: { error: 'not_acceptable' },
      })
    },
  )

  test.each(['*/*', 'application/*', 'text/html, application/json;q=0.1', 'application/json'])(
    '%s is met',
    async (accept) => {
      expect((await api.fetch('/livez', { headers: { accept } })).status).toBe(200)
    },
  )

  test('of Prometheus is met by /metrics', async () => {
    const accept = 'application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5,*/*;q=0.1'
    expect((await api.fetch('/metrics', { headers: { accept } })).status).toBe(200)
    expect((await api.fetch('/metrics', { headers: { accept: 'application/json' } })).status).toBe(406)
  })
})

describe('a request id', () => {
  test('is sent back, and is in the log', async () => {
    const answer = await api.fetch('/livez', { headers: { 'x-request-id': 'my-id:1/2' } })
    expect(answer.headers.get('x-request-id')).toBe('my-id:1/2')
    expect(api.log).toContainEqual(
      expect.objectContaining({
        level: 'debug',
        fields: expect.objectContaining({ request_id: 'my-id:1/2', status: 200 }),
      }),
    )
  })

  test.each([undefined, '', 'with space', 'a'.repeat(129), 'é', '"quoted"'])(
    'is minted in the place of %s',
    async (id) => {
      const answer = await api.fetch('/livez', id === undefined ? {} : { headers: { 'x-request-id': id } })
      expect(answer.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    },
  )

  test('is on errors too', async () => {
    expect(
      (await api.fetch('/nope', { headers: { 'x-request-id': 'lost' } })).headers.get('x-request-id'),
    ).toBe('lost')
  })
})

describe('a token', () => {
  const token = 'a-long-secret'
  let guarded: TestApi

  beforeAll(async () => {
    guarded = await startApi({ queue, readiness: async () => ready, token })
  })

  afterAll(() => guarded.close())

  test.each([
    '/jobs',
    job,
    '/metrics',
    '/nope',
    '/livez/x',
    '/livez/',
    '/LIVEZ',
    '/docs/',
    '/docs/swagger-ui.css/',
  ])('is needed for %s', async (path) => {
    const answer = await guarded.fetch(path)
    expect(answer).toMatchObject({ status: 401, body: { error: 'unauthorized' } })
    expect(answer.headers.get('www-authenticate')).toMatch(/^Bearer/)
  })

  test.each([
    '/livez',
    '/readyz',
    '/health',
    '/docs',
    '/docs/swagger-ui.css',
    '/docs/swagger-ui-init.js',
    '/api-docs/openapi.json',
  ])('is not needed for %s', async (path) => {
    expect((await guarded.fetch(path)).status).toBe(200)
  })

  test.each([
    'Bearer wrong',
    'Bearer a-long-secre',
    'Bearer a-long-secret2',
    'Basic YTpi',
    'Bearer',
    'Bearer  ',
    token,
  ])('is not %s', async (authorization) => {
    expect((await guarded.fetch('/metrics', { headers: { authorization } })).status).toBe(401)
  })

  test('that is right opens', async () => {
    for (const authorization of [`Bearer ${token}`, `bearer ${token}`]) {
      expect((await guarded.fetch('/metrics', { headers: { authorization } })).status).toBe(200)
    }
  })

  test('is asked for before a body is looked at', async () => {
    expect((await guarded.post('/jobs', '{')).status).toBe(401)
  })
})

describe('a database that cannot be reached', () => {
  test.each([
    ['POST', '/jobs', JSON.stringify(email)],
    ['POST', '/jobs/batch', JSON.stringify({ jobs: [email] })],
    ['GET', '/jobs', undefined],
    ['GET', job, undefined],
    ['GET', `${job}/events`, undefined],
    ['GET', `${job}/executions`, undefined],
    ['POST', `${job}/cancel`, undefined],
    ['POST', `${job}/requeue`, undefined],
    ['GET', '/dead-letters', undefined],
    ['GET', deadLetter, undefined],
    ['POST', `${deadLetter}/requeue`, undefined],
    ['POST', '/dead-letters/requeue', '{"all":true}'],
    ['POST', '/dead-letters/requeue', '{"dry_run":true}'],
    ['DELETE', deadLetter, undefined],
    ['GET', '/queues', undefined],
    ['POST', '/queues/default/pause', undefined],
    ['POST', '/queues/default/resume', undefined],
    ['GET', '/workers', undefined],
    ['GET', '/keys', undefined],
    ['DELETE', '/keys/abcd1234', undefined],
  ])('makes %s %s a 503 that says when to come back', async (method, path, body) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await api.fetch(path, body === undefined ? { method } : { method, headers, body })
    expect(answer).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})

describe('a fault of ours', () => {
  test('is a 500 that tells nothing; the log tells all', async () => {
    const secret = new Error('SELECT secret FROM vault at 10.0.0.7')
    const broken = await startApi({
      queue: queueThat(() => Promise.reject(secret)),
      readiness: async () => ready,
    })
    const answer = await broken.fetch(job, { headers: { 'x-request-id': 'broken' } })
    await broken.close()
    expect(answer).toMatchObject({ status: 500, body: { error: 'internal' } })
    expect(answer.text).not.toMatch(/secret|vault|10\.0/)
    expect(broken.log).toContainEqual({
      level: 'error',
      message: 'a request failed',
      fields: expect.objectContaining({ request_id: 'broken', route: '/jobs/{id}', error: secret }),
    })
  })

  test('a ZodError of our own is a 500 and no 4xx', async () => {
    const { z } = await import('zod')
    const get = async () => z.never().parse(1)
    const broken = await startApi({ queue: queueThat(get), readiness: async () => ready })
    expect((await broken.fetch(job)).status).toBe(500)
    await broken.close()
  })
})

describe('time', () => {
  test('that runs out is a 504, and the late result is dropped', async () => {
    const late = Promise.withResolvers<undefined>()
    const slow = await startApi({
      queue: queueThat(() => late.promise),
      readiness: async () => ready,
      requestTimeoutMs: 100,
    })
    expect(await slow.fetch(job)).toMatchObject({ status: 504, body: { error: 'timeout' } })
    late.resolve(undefined)
    // A busy machine may not answer anything within that time.
    expect(await leastOfTries(201, async () => (await slow.fetch('/livez')).status)).toBe(200)
    await slow.close()
  })

  test('that a client does not use to take its answer cuts it off', async () => {
    // More than the buffers of the network hold.
    const list: ApiQueue['list'] = async () => ({
      jobs: [],
      nextCursor: 'x'.repeat(32 * 1_048_576),
      scanned: null,
    })
    const slow = await startApi({
      queue: { ...queue, list },
      readiness: async () => ready,
      requestTimeoutMs: 100,
    })
    const socket = connect(slow.port, '127.0.0.1').pause()
    socket.on('error', () => undefined)
    socket.write(`GET /jobs HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    await eventually(() => slow.log.some(({ fields }) => fields['status'] === 499))
    socket.destroy()
    await slow.close()
  })

  test('that a client takes to send its headers is a 408, and its connection is given up', async () => {
    const server = createHttpServer(() => undefined, { connectionsMax: 1 })
    expect([server.headersTimeout, server.requestTimeout]).toEqual([headersReceiveMsMax, requestReceiveMsMax])
    server.headersTimeout = 100
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const answer = await rawRequest(port, 'GET /livez HTTP/1.1\r\nHost: localhost\r\n', { idleMs: 10_000 })
    expect(answer).toMatchObject({ status: 408, body: expect.stringContaining('request_timeout') })
    const connections = promisify(server.getConnections.bind(server))
    await eventually(async () => (await connections()) === 0)
    server.close()
  })

  test('that a client takes to send its body is a 408', async () => {
    const slow = await startApi({ queue, readiness: async () => ready, requestTimeoutMs: 100 })
    const head =
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{'
    const answer = await rawRequest(slow.port, head, { idleMs: 10_000 })
    await slow.close()
    expect(answer.status).toBe(408)
    expect(answer.head).toMatch(/^connection: close$/im)
  })
})

describe('what is not HTTP', () => {
  test.each([
    ['nonsense', 'hello\r\n\r\n', 400],
    ['an unknown method', 'BREW /jobs HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['no Host', 'GET /livez HTTP/1.1\r\n\r\n', 400],
    ['two Hosts', 'GET /livez HTTP/1.1\r\nHost: localhost\r\nhost: x\r\n\r\n', 400],
    ['a Host that is none', 'GET /livez HTTP/1.1\r\nHost: x/y@z\r\n\r\n', 400],
    [
      'two idempotency keys',
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nIdempotency-Key: a\r\nIdempotency-Key: a\r\nContent-Length: 0\r\n\r\n',
      400,
    ],
    [
      'a transfer coding beside chunked',
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: gzip, chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n',
      400,
    ],
    ['a space in the path', 'GET /jobs/a b HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['U+0000 in the path', 'GET /jobs/\u0000 HTTP/1.1\r\nHost: localhost\r\n\r\n', 400],
    ['U+0000 in a header', 'GET /livez HTTP/1.1\r\nHost: localhost\r\nX: \u0000\r\n\r\n', 400],
    [
      'two lengths',
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n{}',
      400,
    ],
    [
      'a length and chunks',
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n',
      400,
    ],
    [
      'a bad chunk',
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n',
      400,
    ],
    ['a tunnel', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n', 405],
    [
      'headers without end',
      `GET /livez HTTP/1.1\r\nHost: localhost\r\nX: ${'a'.repeat(20_000)}\r\n\r\n`,
      431,
    ],
    ['a path without end', `GET /${'a'.repeat(20_000)} HTTP/1.1\r\nHost: localhost\r\n\r\n`, 431],
  ])('%s is a problem, and the connection is closed', async (_what, bytes, status) => {
    const answer = await rawRequest(api.port, bytes)
    expect(answer.status).toBe(status)
    expect(answer.head).toContain('application/problem+json')
    expect(answer.head).toMatch(/\r\nx-request-id: \S+/i)
    expect(JSON.parse(answer.body)).toMatchObject({ status })
  })

  test.each(['hello\r\n\r\n', 'CONNECT example.com:443 HTTP/1.1\r\nHost: example.com\r\n\r\n'])(
    '%j costs no connection for long, also when its client never closes its own end',
    async (bytes) => {
      const server = createHttpServer(() => undefined, { connectionsMax: 1 })
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      const { port } = server.address() as AddressInfo
      const silent = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
      silent.write(bytes)
      await once(silent.resume(), 'end')
      const connections = promisify(server.getConnections.bind(server))
      await eventually(async () => (await connections()) === 0)
      silent.destroy()
      server.close()
    },
  )

  test.each(['[::1]:8080', '', 'example.com:', 'a_b.example'])('the Host %j is one', async (host) => {
    const open = await startApi({ queue, readiness: async () => ready, allowedHosts: 'any' })
    expect((await rawRequest(open.port, `GET /livez HTTP/1.1\r\nHost: ${host}\r\n\r\n`)).status).toBe(200)
    await open.close()
  })

  test.each([
    ['the star', 'OPTIONS * HTTP/1.1', 404],
    ['an absolute path', 'GET http://localhost/livez HTTP/1.1', 200],
    ['an upgrade', 'GET /livez HTTP/1.1\r\nConnection: Upgrade\r\nUpgrade: websocket', 200],
    ['an expectation', 'GET /livez HTTP/1.1\r\nExpect: the-unexpected', 200],
    ['HTTP 1.0', 'GET /livez HTTP/1.0', 200],
  ])('%s is %s', async (_what, head, status) => {
    expect((await rawRequest(api.port, `${head}\r\nHost: localhost\r\n\r\n`)).status).toBe(status)
  })

  test('a client that goes away is counted, and nothing else', async () => {
    const late = Promise.withResolvers<undefined>()
    const slow = await startApi({ queue: queueThat(() => late.promise), readiness: async () => ready })
    await rawRequest(slow.port, `GET ${job} HTTP/1.1\r\nHost: localhost\r\n\r\n`, { idleMs: 50 })
    late.resolve(undefined)
    const metrics = await slow.fetch('/metrics')
    expect(metrics.text).toMatch(
      /http_request_duration_seconds_count\{method="GET",route="\/jobs\/\{id\}",status="499"\} 1/,
    )
    expect(slow.log.filter(({ level }) => level === 'error')).toEqual([])
    await slow.close()
  })
})

test('a connection beyond the greatest number takes the place of one that is idle', async () => {
  const server = createHttpServer((_req, res) => res.end('served'), { connectionsMax: 1 })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const silent = connect(port, '127.0.0.1').on('error', () => undefined)
  const closed = once(silent.resume(), 'close')
  await once(server, 'connection')
  for (const expectation of ['', 'Expect: 100-continue\r\n', 'Expect: the-unexpected\r\n']) {
    const request = `GET / HTTP/1.1\r\nHost: localhost\r\n${expectation}Connection: close\r\n\r\n`
    expect((await rawRequest(port, request, { idleMs: 5_000 })).body).toBe('served')
  }
  await closed
  server.close()
})

describe('headers', () => {
  test('do not say what serves, and forbid what an API has no use for', async () => {
    const { headers } = await api.fetch('/livez')
    expect(headers.get('x-powered-by')).toBeNull()
    expect(headers.get('server')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('x-frame-options')).toBe('DENY')
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(headers.get('content-security-policy')).not.toContain('upgrade-insecure-requests')
  })

  test('ask for a new connection once the process is stopping', async () => {
    const stop = new AbortController()
    const stopping = await startApi({ queue, readiness: async () => ready, stopping: stop.signal })
    expect((await stopping.fetch('/livez')).headers.get('connection')).toBe('keep-alive')
    stop.abort()
    expect((await stopping.fetch('/livez')).headers.get('connection')).toBe('close')
    await stopping.close()
  })
})

describe('an answer that many poll', () => {
  const nobody = { queues: [], nextCursor: null }
  let reads = 0
  let polled: TestApi

  beforeAll(async () => {
    const listQueues: ApiQueue['listQueues'] = async () => {
      reads += 1
      return nobody
    }
    polled = await startApi({ queue: { ...queue, listQueues }, readiness: async () => ready })
  })

  afterAll(() => polled.close())

  beforeEach(() => void (reads = 0))

  const poll = (path: string, headers: Record<string, string> = { 'cache-control': 'max-age=5' }) =>
    polled.fetch(path, { headers })

  test('is read once for all who let it be a moment old', async () => {
    const answers = await Promise.all(Array.from({ length: 50 }, () => poll('/queues?limit=3')))
    expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200))
    expect(reads).toBe(1)
    await poll('/queues?limit=4')
    expect(reads).toBe(2)
  })

  test.each([
    {},
    { 'cache-control': 'max-age=0' },
    { 'cache-control': 'no-cache' },
    { 'cache-control': 'max-age=x' },
  ])('is as of now for who does not: %j', async (headers: Record<string, string>) => {
    await poll('/queues?limit=5')
    await poll('/queues?limit=5', headers)
    await poll('/queues?limit=5', headers)
    expect(reads).toBeGreaterThanOrEqual(2)
  })

  test('has no content for who has it already', async () => {
    const { headers, status } = await poll('/queues?limit=6', {})
    const etag = headers.get('etag') ?? ''
    expect([status, headers.get('cache-control')]).toEqual([200, 'private, no-cache'])
    const again = await poll('/queues?limit=6', { 'if-none-match': etag })
    expect([again.status, again.text, again.headers.get('etag')]).toEqual([304, '', etag])
    expect((await poll('/queues?limit=6', { 'if-none-match': '"another"' })).status).toBe(200)
  })
})

describe('shared answers', () => {
  const answer = (text: string): SharedAnswer => ({ text, etag: text })

  test('are as old as their reads, at most five seconds, and a fresh one takes their place', async () => {
    let nowMs = 0
    const shared = createSharedAnswers(() => nowMs)
    const take = (maxAgeMs: number, text: string) =>
      shared.take('a', { maxAgeMs, make: async () => answer(text) }).then((one) => one.text)
    expect(await take(60_000, 'first')).toBe('first')
    nowMs = sharedMsMax - 1
    expect(await take(1_000, 'second')).toBe('second')
    nowMs += sharedMsMax - 1
    expect(await take(60_000, 'third')).toBe('second')
    nowMs += 1
    expect(await take(60_000, 'third')).toBe('third')
    expect(await take(0, 'fourth')).toBe('fourth')
    expect(await take(60_000, 'fifth')).toBe('fourth')
  })

  test("are those of one scope, and a failed read is nobody else's", async () => {
    const shared = createSharedAnswers(() => 0)
    const take = (scope: string, make: () => Promise<SharedAnswer>) =>
      shared.of(scope).take('a', { maxAgeMs: 1_000, make })
    await expect(take('x', () => Promise.reject(new Error('away')))).rejects.toThrow('away')
    expect(await take('x', async () => answer('of x'))).toEqual(answer('of x'))
    expect(await take('y', async () => answer('of y'))).toEqual(answer('of y'))
    expect(await take('x', async () => answer('another'))).toEqual(answer('of x'))
  })

  test('go, the oldest first, once they are too many characters', async () => {
    const shared = createSharedAnswers(() => 0)
    let made = 0
    const take = (name: string) =>
      shared.take(name, {
        maxAgeMs: sharedMsMax,
        make: async () => {
          made += 1
          return answer('x'.repeat(sharedAnswersCharactersMax / 2 + 1))
        },
      })
    await take('a')
    await take('b')
    await take('b')
    expect(made).toBe(2)
    await take('a')
    expect(made).toBe(3)
  })
})
