import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { insertJob } from '@queue/testing'
import { ownHosts } from '../../src/http/foreign-pages.ts'
import { document } from '@queue/test-http'
import { type RawAnswer, rawRequest } from '../support/raw-request.ts'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi
let guarded: DatabaseApi
const token = 'a-token-of-this-test'

beforeAll(async () => {
  api = await startDatabaseApi({ allowedHosts: ['queue.example.com', '*.internal', '10.1.2.3'] })
  guarded = await startDatabaseApi({ token })
})

afterAll(async () => {
  await api.close()
  await guarded.close()
})

interface Sent {
  readonly headers: Readonly<Record<string, string>>
  readonly body?: string
}

/** What a browser or a client sends, as it stands on the wire. */
function send(to: DatabaseApi, line: string, { headers, body = '' }: Sent): Promise<RawAnswer> {
  const fields = Object.entries({ ...headers, 'Content-Length': String(Buffer.byteLength(body)) })
  const head = fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')
  return rawRequest(to.port, `${line} HTTP/1.1\r\n${head}Connection: close\r\n\r\n${body}`, {
    idleMs: 10_000,
  })
}

const statusOf = async (answer: Promise<RawAnswer>): Promise<[number, string | undefined]> => {
  const { status, body } = await answer
  return [status, status < 400 ? undefined : String(JSON.parse(body).error)]
}

/** Every operation that changes something, as a request that would be taken. */
const unsafe = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods)
    .filter((method) => method !== 'get')
    .map((method) => `${method.toUpperCase()} ${path}`),
)

async function rows(): Promise<unknown> {
  const tables = ['jobs', 'dead_letter_jobs', 'queues']
  const all = tables.map(
    (table) => `(SELECT json_agg(t ORDER BY t::text) FROM queue.${table} AS t) AS ${table}`,
  )
  return (await api.database.pool.query(`SELECT ${all.join(', ')}`)).rows
}

describe('a page of another site changes nothing:', () => {
  let targets: Readonly<Record<string, string>>

  beforeAll(async () => {
    const waiting = await insertJob(api.database, {})
    const failed = await insertJob(api.database, { status: 'failed_permanent' })
    const deadLetters = await api.queue.deadLetters.list()
    targets = {
      '/jobs/{id}/cancel': `/jobs/${waiting.id}/cancel`,
      '/jobs/{id}/requeue': `/jobs/${failed.id}/requeue`,
      '/dead-letters/{id}/requeue': `/dead-letters/${deadLetters.deadLetters[0]?.id}/requeue`,
      '/dead-letters/{id}': `/dead-letters/${deadLetters.deadLetters[0]?.id}`,
      '/queues/{name}/pause': '/queues/default/pause',
      '/queues/{name}/resume': '/queues/default/resume',
    }
  })

  const foreign = [
    { Origin: 'http://evil.example' },
    { Origin: 'null' },
    { Origin: 'http://localhost:3000' },
    { Origin: 'https://localhost.evil.example' },
    { Origin: 'http://evil@localhost' },
    { Origin: '' },
    { 'Sec-Fetch-Site': 'cross-site' },
    { 'Sec-Fetch-Site': 'same-site', Origin: 'http://localhost' },
    { 'Sec-Fetch-Site': '' },
    { 'Sec-Fetch-Site': 'none', Origin: 'http://evil.example' },
  ].map((headers) => [JSON.stringify(headers), headers] as const)

  test.each(foreign)('%s', async (_what, headers) => {
    const before = await rows()
    for (const operation of unsafe) {
      const [method = '', template = ''] = operation.split(' ')
      const body = template.startsWith('/jobs/batch') ? { jobs: [email] } : template === '/jobs' ? email : {}
      // The media type of a form, and that of a client of ours.
      for (const type of ['application/x-www-form-urlencoded', 'application/json']) {
        const answer = send(api, `${method} ${targets[template] ?? template}`, {
          headers: { Host: 'localhost', 'Content-Type': type, ...headers },
          body: JSON.stringify(body),
        })
        expect([operation, ...(await statusOf(answer))]).toEqual([operation, 403, 'foreign_origin'])
      }
    }
    expect(await rows()).toEqual(before)
  })

  test('with a token neither, and nobody looks whether the path exists', async () => {
    const headers = { Host: 'localhost', Origin: 'http://evil.example', Authorization: `Bearer ${token}` }
    expect(await statusOf(send(guarded, 'POST /queues/default/pause', { headers }))).toEqual([
      403,
      'foreign_origin',
    ])
    expect(await statusOf(send(guarded, 'PUT /nope', { headers }))).toEqual([403, 'foreign_origin'])
  })

  test('but it may be refused in the usual ways what changes nothing', async () => {
    const headers = { Host: 'localhost', Origin: 'http://evil.example', 'Sec-Fetch-Site': 'cross-site' }
    expect((await send(api, 'GET /queues', { headers })).status).toBe(200)
    expect((await send(api, 'OPTIONS /jobs', { headers })).status).toBe(405)
  })
})

describe('a page of our own, and a client that is no browser, change what they like:', () => {
  test.each([
    [{ Host: 'localhost' }],
    [{ Host: 'localhost:8080', Origin: 'http://localhost:8080', 'Sec-Fetch-Site': 'same-origin' }],
    [{ Host: 'LOCALHOST:80', Origin: 'http://localhost' }],
    [{ Host: '[::1]:8080', Origin: 'http://[::1]:8080' }],
    // A proxy that ends TLS in front of the API, and leaves the Host as it is.
    [{ Host: 'queue.example.com', Origin: 'https://queue.example.com', 'Sec-Fetch-Site': 'same-origin' }],
    [{ Host: 'queue.example.com:443', Origin: 'https://queue.example.com' }],
    // Typed into the address bar, or from a bookmark.
    [{ Host: 'localhost', 'Sec-Fetch-Site': 'none' }],
  ])('%j', async (headers) => {
    expect((await send(api, 'POST /queues/default/resume', { headers })).status).toBe(200)
  })
})

describe('without a token the API is for those who know it by a name of its own (DNS rebinding):', () => {
  const job = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
  const lines = [
    'GET /jobs',
    `GET /jobs/${job}`,
    'GET /metrics',
    'GET /livez',
    'GET /docs',
    'GET /nope',
    'POST /jobs',
  ]

  test.each([
    'evil.example',
    'evil.example:8080',
    'localhost.evil.example',
    'evil.localhost.example',
    'xqueue.example.com',
    'internal',
    '127.0.0.1.nip.io',
    '10.1.2.4',
    '2130706433',
    '',
    '[::2]',
    '0.0.0.0',
  ])('the Host %j is none of them', async (host) => {
    const before = await rows()
    for (const line of lines) {
      const headers = { Host: host, 'Content-Type': 'application/json' }
      const answer = send(api, line, { headers, body: JSON.stringify(email) })
      expect([line, ...(await statusOf(answer))]).toEqual([line, 421, 'foreign_host'])
    }
    expect(await rows()).toEqual(before)
  })

  test.each([
    'localhost',
    'Localhost:8080',
    'localhost.',
    '127.0.0.1',
    '127.8.9.10:1',
    '[::1]:80',
    'queue.example.com',
    'QUEUE.example.com:1',
    'a.internal',
    'a.b.internal',
    '10.1.2.3',
  ])('the Host %j is one', async (host) => {
    expect((await send(api, 'GET /livez', { headers: { Host: host } })).status).toBe(200)
  })

  test('a target with a host of its own goes before the Host header', async () => {
    expect(
      await statusOf(send(api, 'GET http://evil.example/jobs', { headers: { Host: 'localhost' } })),
    ).toEqual([421, 'foreign_host'])
    expect((await send(api, 'GET http://localhost/livez', { headers: { Host: 'localhost' } })).status).toBe(
      200,
    )
    expect(
      await statusOf(
        send(api, 'POST http://localhost/queues/default/resume', {
          headers: { Host: 'localhost', Origin: 'http://evil.example' },
        }),
      ),
    ).toEqual([403, 'foreign_origin'])
  })

  test('the address at which a client has reached it is one, for no name was needed', () => {
    const isOwnHost = ownHosts([])
    expect(isOwnHost('10.9.8.7:8080', '10.9.8.7')).toBe(true)
    expect(isOwnHost('10.9.8.7', '::ffff:10.9.8.7')).toBe(true)
    expect(isOwnHost('[fd00::1]:8080', 'fd00::1')).toBe(true)
    expect(isOwnHost('10.9.8.6:8080', '10.9.8.7')).toBe(false)
    expect(isOwnHost('evil.example', undefined)).toBe(false)
  })
})

test('with a token any Host is answered, for no page of another name has the token', async () => {
  expect(
    (await send(guarded, 'GET /jobs', { headers: { Host: 'any.example', Authorization: `Bearer ${token}` } }))
      .status,
  ).toBe(200)
})
