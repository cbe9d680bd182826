import { Readable } from 'node:stream'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { keptMembers, keptNumbers, refusedMembers, refusedNumbers } from '@queue/test-database'
import { rawRequest } from '../support/raw-request.ts'
import { email, webhook } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

async function countJobs(): Promise<number> {
  const { rows } = await api.database.pool.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM queue.all_jobs',
  )
  return rows[0]?.count ?? -1
}

describe('what cannot be read is a 400', () => {
  test.each([
    ['nothing', ''],
    ['half an object', '{"kind":'],
    ['a trailing comma', '{"kind":"send_email",}'],
    ['two values', '{}{}'],
    ['a byte order mark', `\ufeff${JSON.stringify(email)}`],
    ['NaN', '{"kind":NaN}'],
    ['U+0000 between tokens', '{\u0000}'],
    ['a bare control character in a string', '{"kind":"\u0001"}'],
    ['65 levels', `${'['.repeat(65)}${']'.repeat(65)}`],
    ['100 000 levels', `${'{"a":'.repeat(100_000)}1${'}'.repeat(100_000)}`],
    ['100 000 levels that never end', '['.repeat(100_000)],
  ])('%s', async (_what, body) => {
    expect(await api.post('/jobs', body)).toMatchObject({ status: 400, body: { error: 'unparsable_body' } })
  })

  test('what is not UTF-8', async () => {
    const latin1 = Buffer.from(JSON.stringify({ ...email, queue: 'caf\u00e9' }), 'latin1')
    const headers = { 'content-type': 'application/json' }
    const answer = await api.fetch('/jobs', { method: 'POST', headers, body: latin1 })
    expect(answer).toMatchObject({ status: 400, body: { error: 'unparsable_body' } })
  })

  test('a body that breaks off writes nothing', async () => {
    const before = await countJobs()
    const text = JSON.stringify(email)
    const head = 'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n'
    const request = `${head}Content-Length: ${text.length + 10}\r\n\r\n${text}`
    await rawRequest(api.port, request, { idleMs: 300 })
    expect(await countJobs()).toBe(before)
  })

  test('brackets in strings count for nothing', async () => {
    const body = webhook({ text: `${'[{'.repeat(200)}\\"${'[{'.repeat(200)}` })
    expect((await api.post('/jobs', body)).status).toBe(201)
  })

  test('64 levels are read, and come back as they went in', async () => {
    // The request has two levels of its own above the payload's body.
    const nested: unknown = JSON.parse(`${'['.repeat(62)}${']'.repeat(62)}`)
    const { status, body } = await api.post('/jobs', webhook(nested))
    expect(status).toBe(201)
    expect((await api.fetch(`/jobs/${body.id}`)).body.payload).toEqual(webhook(nested).payload)
  })
})

describe('the media type', () => {
  test.each([
    ['none', undefined],
    ['a form', 'application/x-www-form-urlencoded'],
    ['text', 'text/plain'],
    ['a form with files', 'multipart/form-data; boundary=x'],
    ['JSON in another charset', 'application/json; charset=utf-16'],
    ['another kind of JSON', 'application/merge-patch+json'],
    ['something that begins like JSON', 'application/jsonp'],
  ])('%s is a 415', async (_what, type) => {
    const body = new Blob([JSON.stringify(email)])
    const headers: Record<string, string> = type === undefined ? {} : { 'content-type': type }
    const answer = await api.fetch('/jobs', { method: 'POST', headers, body })
    expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } })
    expect(answer.headers.get('accept')).toBe('application/json')
  })

  test.each([
    'application/json; charset=utf-8',
    'Application/JSON;charset="UTF-8"',
    'application/json ; charset = utf8;',
  ])('%s is JSON', async (type) => {
    expect((await api.post('/jobs', email, { 'content-type': type })).status).toBe(201)
  })

  test.each(['gzip', 'br', 'deflate, gzip'])('a body in %s is a 415', async (encoding) => {
    const answer = await api.post('/jobs', email, { 'content-encoding': encoding })
    expect(answer).toMatchObject({ status: 415, body: { error: 'unsupported_media_type' } })
  })
})

describe('a body of more than 1 MiB', () => {
  const text = webhook('x'.repeat(1_048_576))

  test('is a 413, announced or not, and the connection lives on', async () => {
    expect(await api.post('/jobs', text)).toMatchObject({ status: 413, body: { error: 'body_too_large' } })
    const chunks = Readable.from(Array.from({ length: 40 }, () => Buffer.alloc(65_536, 0x20)))
    const init = {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: Readable.toWeb(chunks),
      duplex: 'half',
    }
    expect((await api.fetch('/jobs', init as RequestInit)).status).toBe(413)
    expect((await api.post('/jobs', email)).status).toBe(201)
  })

  test('is refused before it is sent, to a client that asks', async () => {
    const head =
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 9000000000\r\n\r\n'
    expect((await rawRequest(api.port, head)).status).toBe(413)
  })

  test('is read on up to a bound only', async () => {
    const head =
      'POST /jobs HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\nContent-Length: 30000000\r\n\r\n'
    const answer = await rawRequest(
      api.port,
      Buffer.concat([Buffer.from(head), Buffer.alloc(29_000_000, 0x20)]),
      { idleMs: 2_000 },
    )
    expect([0, 413]).toContain(answer.status)
  })

  test('a payload of almost 1 MiB is accepted', async () => {
    expect((await api.post('/jobs', webhook('x'.repeat(1_048_000)))).status).toBe(201)
  })
})

describe('numbers', () => {
  const withNumber = (number: string) => JSON.stringify(webhook({ n: '@' })).replace('"@"', number)

  test.each(refusedNumbers)('%s (%s) is a 422', async (number) => {
    const before = await countJobs()
    const answer = await api.post('/jobs', withNumber(number))
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_job' } })
    expect(answer.body.issues?.[0]?.path).toMatch(/^\/payload\/body\/n/)
    expect(await countJobs()).toBe(before)
  })

  test.each(keptNumbers)('%s comes back with the same value', async (number) => {
    const { status, body } = await api.post('/jobs', withNumber(number))
    expect(status).toBe(201)
    const read = await api.fetch(`/jobs/${body.id}`)
    expect(read.body.payload).toEqual({ url: 'https://example.com/', body: { n: Number(number) + 0 } })
  })

  test('that only look like it, in strings, are left alone', async () => {
    const tricky = { text: ': 9007199254740993, -0, 1e400', hex: '3e4000', list: [',-0'] }
    const { body } = await api.post('/jobs', webhook(tricky))
    expect((await api.fetch(`/jobs/${body.id}`)).body.payload).toEqual(webhook(tricky).payload)
  })
})

describe('members named __proto__', () => {
  test.each([
    ['of the body', `{"__proto__":{"kind":"send_email"},"kind":"send_email","payload":{}}`, '/__proto__'],
    [
      'of a payload',
      `{"kind":"webhook_delivery","payload":{"url":"http://a.b/","body":[{"__proto__":1}]}}`,
      '/payload/body/0/__proto__',
    ],
    [
      'written as escapes',
      `{"kind":"webhook_delivery","payload":{"url":"http://a.b/","body":{"\\u005f_pr\\u006fto__":1}}}`,
      '/payload/body/__proto__',
    ],
  ])('%s are a 422', async (_what, body, path) => {
    const answer = await api.post('/jobs', body)
    expect(answer).toMatchObject({ status: 422, body: { issues: [{ path }] } })
  })

  const withBody = (text: string) => JSON.stringify(webhook('@')).replace('"@"', () => text)

  test.each(refusedMembers)('of the payload %s are a 422', async (text) => {
    const answer = await api.post('/jobs', withBody(text))
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_job' } })
  })

  test.each(keptMembers)('are not in the payload %s', async (text) => {
    const { status, body } = await api.post('/jobs', withBody(text))
    expect(status).toBe(201)
    expect((await api.fetch(`/jobs/${body.id}`)).body.payload).toMatchObject({ body: JSON.parse(text) })
  })

  test('constructor and prototype are names like any other', async () => {
    const body = { constructor: { prototype: { polluted: true } }, toString: 'x' }
    const created = await api.post('/jobs', webhook(body))
    expect(created.status).toBe(201)
    expect((await api.fetch(`/jobs/${created.body.id}`)).body.payload).toEqual(webhook(body).payload)
    expect(({} as Record<string, unknown>)['polluted']).toBeUndefined()
  })
})

test('text of every plane comes back as it went in', async () => {
  const text = '\u0001\u001f"\\/\u007f\u0085\u2028\ufeff\uffff é 漢 🦀 \u{10ffff}'
  const { body } = await api.post('/jobs', webhook({ [text]: text }))
  expect((await api.fetch(`/jobs/${body.id}`)).body.payload).toEqual(webhook({ [text]: text }).payload)
})

describe('a batch', () => {
  test('is enqueued in its order, all in one', async () => {
    const jobs = Array.from({ length: 1_000 }, (_, index) => webhook(index))
    const { status, body } = await api.post('/jobs/batch', { jobs })
    expect(status).toBe(201)
    expect(body.replayed).toEqual([])
    expect(body.data?.map((job) => (job.payload as { body: unknown }).body)).toEqual(
      jobs.map((_, index) => index),
    )
  })

  test('says which of its keys were known', async () => {
    await api.post('/jobs', { ...email, idempotency_key: 'batch' })
    const jobs = [
      email,
      { ...email, idempotency_key: 'batch', queue: 'other' },
      { ...email, idempotency_key: 'new' },
    ]
    const answer = await api.post('/jobs/batch', { jobs })
    expect(answer).toMatchObject({ status: 201, body: { replayed: [1] } })
    expect(answer.headers.get('idempotent-replayed')).toBe('true')
    expect(answer.headers.get('idempotency-mismatch')).toBe('true')
  })

  test('is refused on request when a key is known with another request, and writes none', async () => {
    await api.post('/jobs', { ...email, idempotency_key: 'strict batch' })
    const before = await countJobs()
    const jobs = [email, { ...email, idempotency_key: 'strict batch', queue: 'other' }]
    const answer = await api.post('/jobs/batch', { jobs }, { prefer: 'handling=strict' })
    expect(answer).toMatchObject({
      status: 422,
      body: { error: 'idempotency_mismatch', issues: [{ path: '/jobs/1/idempotency_key' }] },
    })
    expect(await countJobs()).toBe(before)
    expect((await api.post('/jobs/batch', { jobs })).status).toBe(201)
  })

  test('with bad jobs is a 422 that says which, and writes none', async () => {
    const before = await countJobs()
    const jobs = [
      email,
      { ...email, priority: 99 },
      { kind: 'send_fax', payload: {} },
      { kind: 'send_email', payload: {} },
      7,
    ]
    const answer = await api.post('/jobs/batch', { jobs })
    expect(answer.status).toBe(422)
    const paths = answer.body.issues?.map(({ path }) => path)
    expect(paths).toEqual(
      expect.arrayContaining(['/jobs/1/priority', '/jobs/2/kind', '/jobs/3/payload/to', '/jobs/4']),
    )
    expect(paths?.some((path) => path.startsWith('/jobs/0'))).toBe(false)
    expect(await countJobs()).toBe(before)
  })

  test.each([
    ['no jobs', { jobs: [] }, '/jobs'],
    ['too many jobs', { jobs: Array.from({ length: 1_001 }, () => 1) }, '/jobs'],
    ['no list', { jobs: {} }, '/jobs'],
    ['something else', { jobs: [email], dry_run: true }, '/dry_run'],
  ])('of %s is a 422', async (_what, body, path) => {
    const answer = await api.post('/jobs/batch', body)
    expect(answer.status).toBe(422)
    expect(answer.body.issues?.[0]?.path).toBe(path)
  })
})
