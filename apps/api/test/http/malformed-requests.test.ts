import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { insertJob } from '@queue/testing'
import { document } from '@queue/test-http'
import { createRandom, type Random } from '../support/random-json.ts'
import { type RawAnswer, rawRequest } from '../support/raw-request.ts'
import { email, webhook } from '../support/requests.ts'
import { testScale } from '../support/scale.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const requests = 2_500 * testScale
/** Sent at once: a request that was cut short is waited for, and the others need not wait with it. */
const batchSize = 100
let api: DatabaseApi
let jobId: string
let failedId: string

beforeAll(async () => {
  api = await startDatabaseApi()
  jobId = (await api.post('/jobs', email)).body.id ?? ''
  failedId = (await insertJob(api.database, { status: 'failed_permanent' })).id
})

afterAll(() => api.close())

const targets = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
)
const values = [
  '',
  'null',
  '-1',
  '1e999',
  '%00',
  '%zz',
  '%ED%A0%80',
  '..%2f',
  'é',
  '"',
  "'; DROP TABLE queue.jobs; --",
  '{}',
  'a'.repeat(3_000),
]
const headers = [
  [
    'Content-Type',
    ['application/json', 'application/json; charset=x', 'text/plain', '', ';;;', 'application/json\t'],
  ],
  ['Content-Encoding', ['gzip', 'identity', '']],
  ['Accept', ['*/*', 'text/html', 'a/b;q=9', ',,,', '']],
  ['Authorization', ['Bearer x', 'Basic !!', '']],
  ['Idempotency-Key', ['', 'é', 'k'.repeat(300), '\t']],
  ['Prefer', ['handling=strict', '=;,"', 'wait=-1', 'wait=99999999999999999999']],
  ['If-None-Match', ['*', '"', 'W/']],
  ['Last-Event-ID', ['end', '', 'é']],
  ['X-Request-Id', ['ok', 'a b', '{}', 'é'.repeat(50)]],
  ['Expect', ['100-continue', 'x']],
  ['Range', ['bytes=1-0']],
  ['Traceparent', ['00-0-0-0', '']],
  ['Origin', ['null', 'http://localhost', 'http://[', '']],
  ['Sec-Fetch-Site', ['same-origin', 'none', 'x', '']],
] as const
const hosts = ['localhost', '127.0.0.1:8080', '[::1]', 'evil.example', 'localhost:', ':', '[', '']
const bodies = [
  '',
  '{',
  'null',
  '[]',
  '{"jobs":[{}]}',
  '{"dry_run":1}',
  '{"kind":""}',
  '{"tenant":"\\u0000"}',
  '{"dead_lettered_after":"0000-00-00T00:00:00Z"}',
  '{"jobs":{"length":1000}}',
  JSON.stringify({ ...email, priority: '4' }),
  JSON.stringify({ ...email, delay_ms: 1e300 }),
  JSON.stringify({ ...email, run_at: '+010000-01-01T00:00:00Z' }),
  JSON.stringify({ ...email, retry_policy: { type: '__proto__' } }),
  JSON.stringify({ ...email, kind: 'constructor' }),
  JSON.stringify({ ...webhook('\ud800'), tenant_id: '\udfff' }),
  '{"kind":"send_email","payload":{"__proto__":null}}',
  '['.repeat(500),
  '\u0000',
]

test('no parameter of a query may contain U+0000, whatever else it may be', async () => {
  const id = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
  for (const [path, methods] of Object.entries(document.paths)) {
    for (const [method, { parameters = [] }] of Object.entries(methods)) {
      for (const { in: place, name } of parameters) {
        if (place !== 'query') continue
        const target = `${path.replaceAll(/\{\w+\}/g, id)}?${name}=a%00b`
        const { status } = await api.fetch(target, { method: method.toUpperCase() })
        expect([target, status]).toEqual([target, 400])
      }
    }
  }
})

function pick<Item>(random: Random, items: readonly Item[]): Item {
  return items[random.below(items.length)] as Item
}

/** One request, most of it as the document has it, some of it not. Never one that could succeed in writing. */
function malformed(random: Random): string {
  const { method, path } = pick(random, targets)
  const parameter = random.below(4) === 0 ? pick(random, values) : '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
  const query =
    random.below(2) === 0
      ? `?${pick(random, ['limit', 'cursor', 'status', 'tenant', 'x'])}=${pick(random, values)}`
      : ''
  const line = `${random.below(8) === 0 ? pick(random, ['PUT', 'TRACE', 'GET', 'X']) : method} ${path.replaceAll(/\{\w+\}/g, parameter)}${query} HTTP/1.1`
  const sent = headers
    .filter(() => random.below(10) === 0)
    .map(([name, choices]) => `${name}: ${pick(random, choices)}`)
  // Without it no body is looked at.
  if (random.below(4) > 0) sent.unshift('Content-Type: application/json')
  const body = pick(random, bodies)
  const length =
    random.below(6) === 0 ? pick(random, ['-1', 'x', '0', '99999999999']) : String(Buffer.byteLength(body))
  const host = random.below(4) === 0 ? pick(random, hosts) : 'localhost'
  return [line, `Host: ${host}`, 'Connection: close', `Content-Length: ${length}`, ...sent, '', body].join(
    '\r\n',
  )
}

/** What a page of another site can have a browser send. Without the line that tells of the page each would write. */
function foreign(random: Random): string {
  const [line, body] = pick(random, [
    ['POST /jobs', JSON.stringify(email)],
    ['POST /jobs/batch', JSON.stringify({ jobs: [email, email] })],
    [`POST /jobs/${jobId}/cancel`, ''],
    [`POST /jobs/${failedId}/requeue`, ''],
    ['POST /dead-letters/requeue', '{"all":true}'],
    ['POST /queues/default/pause', ''],
  ] as const)
  const type = pick(random, ['application/json', 'text/plain', 'application/x-www-form-urlencoded'])
  const [host, telling] = pick(random, [
    ['localhost', 'Origin: http://evil.example'],
    ['localhost', 'Origin: null'],
    ['localhost:8080', 'Origin: http://localhost:3000'],
    ['localhost', 'Sec-Fetch-Site: cross-site'],
    ['localhost', 'Sec-Fetch-Site: same-site'],
    ['evil.example', 'Origin: http://evil.example'],
    ['evil.example', 'Sec-Fetch-Site: same-origin'],
    ['127.0.0.1.evil.example:8080', 'Accept: */*'],
  ] as const)
  const length = Buffer.byteLength(body)
  return [
    `${line} HTTP/1.1`,
    `Host: ${host}`,
    telling,
    'Connection: close',
    `Content-Type: ${type}`,
    `Content-Length: ${length}`,
    '',
    body,
  ].join('\r\n')
}

/** The text as bytes, some of them changed. */
function mutated(text: string, random: Random): Buffer {
  const bytes = Buffer.from(text)
  if (random.below(3) > 0) return bytes
  for (let change = 0; change <= random.below(5); change += 1)
    bytes[random.below(bytes.length)] = random.below(256)
  return bytes
}

async function rows(): Promise<unknown> {
  const tables = ['jobs', 'ended_jobs', 'job_executions', 'dead_letter_jobs', 'queues', 'workers']
  const all = tables.map(
    (table) => `(SELECT json_agg(t ORDER BY t::text) FROM queue.${table} AS t) AS ${table}`,
  )
  const { rows: found } = await api.database.pool.query(`SELECT ${all.join(', ')}`)
  return found
}

/**
 * A request that was cut short gets no answer, and its silence is waited for. Silence counts once a request that came after
 * the whole batch has been answered out of the database: by then the server has read all of them, however slow it is.
 */
async function answersOf(batch: readonly Buffer[]): Promise<RawAnswer[]> {
  const { promise: served, resolve: isServed } = Promise.withResolvers<void>()
  const answers = Promise.all(
    batch.map((bytes) => rawRequest(api.port, bytes, { idleMs: 100, from: served })),
  )
  const last = `GET /jobs/${jobId} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n`
  expect((await rawRequest(api.port, last, { idleMs: 20_000 })).status).toBe(200)
  isServed()
  return answers
}

/** Each operation whose path has parameters, with each of the values in all of them. */
const badPaths = targets
  .filter(({ path }) => path.includes('{'))
  .flatMap(({ method, path }) =>
    values.map((value) =>
      Buffer.from(
        [
          `${method} ${path.replaceAll(/\{\w+\}/g, value)} HTTP/1.1`,
          'Host: localhost',
          'Connection: close',
          'Content-Type: application/json',
          'Content-Length: 4',
          '',
          'null',
        ].join('\r\n'),
      ),
    ),
  )

test(`${badPaths.length} paths with a bad value get no 5xx`, async () => {
  const refused: string[] = []
  for (let sent = 0; sent < badPaths.length; sent += batchSize) {
    const batch = badPaths.slice(sent, sent + batchSize)
    for (const [index, { status }] of (await answersOf(batch)).entries()) {
      if (status >= 500) refused.push(`${status}: ${String(batch[index]).split('\r\n', 1)[0]?.slice(0, 100)}`)
    }
  }
  expect(refused).toEqual([])
})

test(`${requests} malformed requests get no 5xx and change no row`, async () => {
  const random = createRandom(seed)
  const before = await rows()
  const statuses = new Map<number, number>()
  for (let sent = 0; sent < requests; sent += batchSize) {
    const batch = Array.from({ length: batchSize }, () =>
      random.below(10) === 0 ? Buffer.from(foreign(random)) : mutated(malformed(random), random),
    )
    for (const [index, { status, head, body }] of (await answersOf(batch)).entries()) {
      statuses.set(status, (statuses.get(status) ?? 0) + 1)
      if (status < 500) continue
      throw new Error(`seed ${seed}: ${String(batch[index])}\nwas answered\n${head}\n${body}`)
    }
  }
  expect({ seed, rows: await rows() }).toEqual({ seed, rows: before })
  expect((await api.fetch(`/jobs/${jobId}`)).body.status).toBe('queued')
  // A run in which requests were not refused in several ways has tried nothing.
  expect({ seed, statuses: [...statuses.keys()] }).toEqual({
    seed,
    statuses: expect.arrayContaining([400, 403, 404, 405, 415, 421, 422]),
  })
})

describe('what is as large as it may be keeps nobody waiting:', () => {
  /** A probe beside all of it; what is quadratic in a header takes half a second for each request. */
  const probeMsMax = 6_000
  const job = (payload: string): string =>
    `{"kind":"webhook_delivery","payload":{"url":"http://a/","body":${payload}}}`

  /** Sends them all at once, and a probe behind them. */
  async function besideProbe(texts: readonly string[]): Promise<RawAnswer[]> {
    const { promise: probed, resolve: isProbed } = Promise.withResolvers<void>()
    // The law is that the probe is answered soon. On a busy machine the largest documents take their time.
    const answers = texts.map((text) => rawRequest(api.port, text, { idleMs: 30_000, from: probed }))
    const probe = 'GET /livez HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
    expect((await rawRequest(api.port, probe, { idleMs: probeMsMax })).status).toBe(200)
    isProbed()
    return Promise.all(answers)
  }

  test.each([
    ['Content-Type', `application/json${' '.repeat(15_000)}x`],
    ['Content-Type', `application/json; charset=${' '.repeat(15_000)}x`],
    ['Accept', `"${','.repeat(15_000)}`],
    ['Accept', 'a/b;q=0.1,'.repeat(1_500)],
    ['Prefer', `wait${' '.repeat(15_000)}=`],
    ['Authorization', `Bearer${' '.repeat(15_000)}`],
    ['If-None-Match', 'W/"'.repeat(5_000)],
    ['Traceparent', '0'.repeat(15_000)],
    ['Idempotency-Key', '\t'.repeat(15_000)],
    ['Origin', `http://${'a.'.repeat(7_000)}`],
    ['X-Request-Id', 'a'.repeat(15_000)],
  ])('40 requests with a long %s', async (name, value) => {
    const body = JSON.stringify({ ...email, run_at: 'never' })
    const head = ['POST /jobs HTTP/1.1', 'Host: localhost', 'Connection: close', `${name}: ${value}`]
    if (name !== 'Content-Type') head.push('Content-Type: application/json')
    head.push(`Content-Length: ${body.length}`, '', body)
    const answers = await besideProbe(Array.from({ length: 40 }, () => head.join('\r\n')))
    for (const { status } of answers) expect([403, 415, 422, 431, 400]).toContain(status)
  })

  test.each([
    ['arrays in arrays', `[${`${'['.repeat(60)}${']'.repeat(60)},`.repeat(8_600)}0]`, 400],
    ['empty arrays', `[${'[],'.repeat(340_000)}0]`, 400],
    ['numbers that no double holds', `[${'1e999,'.repeat(90_000)}0]`, 422],
    ['objects', `[${'{},'.repeat(99_900)}0]`, 201],
    ['one text', JSON.stringify('x'.repeat(1_048_000)), 201],
    ['escapes', `"${'\\"'.repeat(524_000)}"`, 201],
  ])('10 documents of %s', async (_what, payload, status) => {
    const text = job(payload)
    const head = `POST /jobs HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${text.length}\r\n\r\n${text}`
    const answers = await besideProbe(Array.from({ length: 10 }, () => head))
    const statuses = new Set(answers.map((answer) => answer.status))
    // All callers together have room for five bodies with so many values.
    if (payload.startsWith('[{}')) statuses.delete(503)
    expect(statuses).toEqual(new Set([status]))
  })
})
