import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { eventually } from '@queue/testing'
import { z } from 'zod'
import { type DatabaseApi, startApi, startDatabaseApi } from '../support/start-api.ts'
import { email, webhook } from '../support/requests.ts'

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

describe('a queue that takes no more', () => {
  test('is a 429 that says when to try again; a known key is answered, and a batch is written whole or not at all', async () => {
    const mail = { ...email, queue: 'small' }
    const known = { 'idempotency-key': 'known to a full queue' }
    const { body: first } = await api.post('/jobs', mail, known)
    const limit = { queue: 'small', scope: 'queue', max_waiting: 1 }
    const set = await api.fetch('/limits', {
      method: 'PUT',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(limit),
    })
    expect(set.body).toMatchObject({ ...limit, max_running: null })
    const refused = await eventually(async () => {
      const answer = await api.post('/jobs', mail)
      return answer.status === 429 && answer
    })
    expect(refused.headers.get('retry-after')).toMatch(/^[1-9]/)
    expect(refused.body).toMatchObject({ error: 'queue_full', status: 429 })
    const before = await countJobs()
    expect((await api.post('/jobs/batch', { jobs: [email, mail] })).status).toBe(429)
    expect(await countJobs()).toBe(before)
    expect(await api.post('/jobs', mail, known)).toMatchObject({ status: 200, body: { id: first.id } })
    expect((await api.post('/jobs', email)).status).toBe(201)
    expect((await api.fetch(`/jobs/${first.id}/duplicate`, { method: 'POST' })).status).toBe(429)
  })
})

describe('a valid job', () => {
  test('is a 201 with its Location, and is there', async () => {
    const created = await api.post('/jobs', email)
    expect(created.status).toBe(201)
    expect(created.headers.get('content-type')).toBe('application/json; charset=utf-8')
    expect(created.headers.get('location')).toBe(`/jobs/${created.body.id}`)
    expect(created.body).toMatchObject({
      ...email,
      status: 'queued',
      attempts: 0,
      max_attempts: 3,
      priority: 4,
    })
    const read = await api.fetch(`/jobs/${created.body.id}`)
    expect(read.body).toEqual(created.body)
  })

  test('takes every option', async () => {
    const options = {
      queue: 'mail',
      priority: 9,
      run_at: '2099-01-01T02:00:00.5+02:00',
      max_attempts: 7,
      timeout_ms: 60_000,
      retry_policy: { type: 'exponential', jitter: 'none', base_ms: 100, cap_ms: 5_000 },
      idempotency_key: 'every option, in ünicode',
      tenant_id: 'acme',
      key: 'ada',
      weight: 5,
    }
    const { status, body } = await api.post('/jobs', { ...email, ...options })
    expect(status).toBe(201)
    expect(body).toMatchObject({ ...options, run_at: '2099-01-01T00:00:00.500Z' })
  })

  test('with a delay starts that much later by the clock of the database', async () => {
    const { body } = await api.post('/jobs', { ...email, delay_ms: 60_000 })
    expect(Date.parse(body.run_at ?? '') - Date.parse(body.created_at ?? '')).toBe(60_000)
  })

  test('with a past run_at is due now', async () => {
    const { body } = await api.post('/jobs', { ...email, run_at: '1970-01-01T00:00:00Z' })
    expect(body.run_at).toBe(body.created_at)
  })

  test('carries the traceparent of its request; a malformed one is ignored', async () => {
    const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'
    expect((await api.post('/jobs', email, { traceparent })).body.trace_context).toBe(traceparent)
    expect((await api.post('/jobs', email, { traceparent: 'nonsense' })).body.trace_context).toBeNull()
  })
})

describe('an idempotency key', () => {
  test('that is known gives the original job, as it is now, with 200', async () => {
    const first = await api.post('/jobs', { ...email, idempotency_key: 'known' })
    await api.post(`/jobs/${first.body.id}/cancel`)
    const second = await api.post('/jobs', { ...email, idempotency_key: 'known' })
    expect(second.status).toBe(200)
    expect(second.headers.get('idempotent-replayed')).toBe('true')
    expect(second.headers.get('idempotency-mismatch')).toBeNull()
    expect(second.headers.get('location')).toBeNull()
    expect(second.body).toMatchObject({ id: first.body.id, status: 'cancelled' })
    expect(first.headers.get('idempotent-replayed')).toBeNull()
  })

  test('of which a receipt is left gives that, which shows no payload and cannot be requeued', async () => {
    const job = { ...email, idempotency_key: 'receipt' }
    const { body: first } = await api.post('/jobs', job)
    await api.post(`/jobs/${first.id}/cancel`)
    const before = (await api.fetch(`/jobs/${first.id}`)).headers.get('etag')
    await api.database.pool.query('SELECT queue.strip_jobs(ARRAY[$1::uuid])', [first.id])
    const again = await api.post('/jobs', job)
    expect([again.status, again.headers.get('idempotent-replayed')]).toEqual([200, 'true'])
    expect(again.headers.get('idempotency-mismatch')).toBeNull()
    expect(again.body).toMatchObject({ id: first.id, status: 'cancelled', payload: null })
    expect(again.body.stripped_at).toMatch(/Z$/)
    const shown = await api.fetch(`/jobs/${first.id}`)
    expect(shown.body).toEqual(again.body)
    expect(shown.headers.get('etag')).not.toBe(before)
    expect((await api.fetch('/jobs?status=cancelled')).body.data).toContainEqual(again.body)
    expect((await api.fetch(`/jobs/${first.id}/events`)).status).toBe(200)
    const requeued = await api.post(`/jobs/${first.id}/requeue`)
    expect(requeued).toMatchObject({ status: 409, body: { error: 'invalid_transition' } })
    expect(requeued.body.detail).toContain('retention has removed its payload')
    const batch = await api.post('/jobs/batch', { jobs: [job, email] })
    expect(batch).toMatchObject({ status: 201, body: { replayed: [0] } })
    expect(batch.body.data?.[0]).toEqual(again.body)
  })

  test('makes one job of many concurrent requests', async () => {
    const before = await countJobs()
    const answers = await Promise.all(
      Array.from({ length: 16 }, () => api.post('/jobs', email, { 'idempotency-key': 'concurrent' })),
    )
    expect(answers.filter(({ status }) => status === 201)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(15)
    expect(new Set(answers.map(({ body }) => body.id)).size).toBe(1)
    expect(await countJobs()).toBe(before + 1)
  })

  test('in the header wins over the one in the body', async () => {
    const { body } = await api.post(
      '/jobs',
      { ...email, idempotency_key: 'body' },
      { 'idempotency-key': 'header' },
    )
    expect(body.idempotency_key).toBe('header')
  })

  test('is unique per tenant', async () => {
    const keyed = { ...email, idempotency_key: 'per tenant' }
    const answers = [await api.post('/jobs', keyed), await api.post('/jobs', { ...keyed, tenant_id: 'acme' })]
    expect(answers.map(({ status }) => status)).toEqual([201, 201])
  })

  test.each([
    ['another payload', { payload: { ...email.payload, body: 'Bye.' } }],
    ['another queue', { queue: 'other' }],
    ['another kind', { kind: 'summarize_text', payload: { text: 'x' } }],
  ])('with %s is replayed and marked, or refused on request', async (what, change) => {
    const key = { 'idempotency-key': `mismatch ${what}` }
    const original = await api.post('/jobs', email, key)
    const lenient = await api.post('/jobs', { ...email, ...change }, key)
    expect(lenient.status).toBe(200)
    expect(lenient.headers.get('idempotency-mismatch')).toBe('true')
    expect(lenient.body).toEqual(original.body)
    const strict = await api.post(
      '/jobs',
      { ...email, ...change },
      { ...key, prefer: 'wait=1, Handling="strict"' },
    )
    expect(strict).toMatchObject({ status: 422, body: { error: 'idempotency_mismatch' } })
  })

  test('with the same request in another order of members is no mismatch', async () => {
    const key = { 'idempotency-key': 'reordered' }
    await api.post('/jobs', email, key)
    const { to, subject, body } = email.payload
    const again = await api.post(
      '/jobs',
      { payload: { body, to, subject }, kind: email.kind },
      { ...key, prefer: 'handling=strict' },
    )
    expect(again.status).toBe(200)
  })

  test('is refused on mismatch by a server that is set to', async () => {
    const strictApi = await startApi({
      queue: api.queue,
      readiness: createReadiness({ database: databaseOf(api.queue) }),
      idempotencyMismatch: 'reject',
    })
    try {
      const key = { 'idempotency-key': 'strict server' }
      await strictApi.post('/jobs', email, key)
      expect((await strictApi.post('/jobs', email, key)).status).toBe(200)
      expect((await strictApi.post('/jobs', { ...email, queue: 'other' }, key)).status).toBe(422)
      const jobs = [{ ...email, queue: 'other', idempotency_key: 'strict server' }]
      expect((await strictApi.post('/jobs/batch', { jobs })).status).toBe(422)
    } finally {
      await strictApi.close()
    }
  })

  test("that a stranger's open transaction holds is a 409 to try again", async () => {
    const client = await api.database.pool.connect()
    try {
      await client.query('BEGIN')
      const definition = defineJob({ kind: 'send_email', payload: z.unknown() })
      await api.database.queue.enqueue(definition, email.payload, {
        idempotencyKey: 'held',
        transaction: client,
      })
      const answer = await api.post('/jobs', email, { 'idempotency-key': 'held' })
      expect(answer).toMatchObject({ status: 409, body: { error: 'idempotency_key_locked' } })
      expect(answer.headers.get('retry-after')).toBe('1')
    } finally {
      await client.query('ROLLBACK')
      client.release()
    }
    expect((await api.post('/jobs', email, { 'idempotency-key': 'held' })).status).toBe(201)
  })

  test.each([
    ['empty', ''],
    ['too long', 'k'.repeat(256)],
    ['not ASCII', 'cl\u00e9'],
  ])('in a header that is %s is a 400', async (_what, key) => {
    const answer = await api.post('/jobs', email, { 'idempotency-key': key })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_header' } })
    expect(answer.body.issues?.[0]?.path).toBe('/idempotency-key')
  })
})

describe('a job that is not valid is a 422 that says where', () => {
  test.each([
    ['no object', [1], ''],
    ['null', null, ''],
    ['no kind', { payload: {} }, '/kind'],
    ['no payload', { kind: 'send_email' }, '/payload'],
    ['a payload of another type', { ...email, payload: 'x' }, '/payload'],
    ['a bad member of the payload', { ...email, payload: { ...email.payload, to: 'nobody' } }, '/payload/to'],
    ['an unknown member of the payload', { ...email, payload: { ...email.payload, cc: 'x' } }, '/payload/cc'],
    ['an unknown field', { ...email, 'sta~tus/': 'succeeded' }, '/sta~0tus~1'],
    ['a camelCase field', { ...email, maxAttempts: 3 }, '/maxAttempts'],
    ['a column that is not an option', { ...email, status: 'succeeded' }, '/status'],
    ['a bad queue', { ...email, queue: 'Mail Queue' }, '/queue'],
    ['a priority out of range', { ...email, priority: 10 }, '/priority'],
    ['a fractional priority', { ...email, priority: 1.5 }, '/priority'],
    ['no attempts', { ...email, max_attempts: 0 }, '/max_attempts'],
    ['too many attempts', { ...email, max_attempts: 101 }, '/max_attempts'],
    ['a timeout of nothing', { ...email, timeout_ms: 0 }, '/timeout_ms'],
    ['a negative delay', { ...email, delay_ms: -1 }, '/delay_ms'],
    ['a delay and a start', { ...email, delay_ms: 1, run_at: '2099-01-01T00:00:00Z' }, '/delay_ms'],
    ['a start without a zone', { ...email, run_at: '2099-01-01T00:00:00' }, '/run_at'],
    ['a start that is no date', { ...email, run_at: '2099-02-30T00:00:00Z' }, '/run_at'],
    ['a start before 1970', { ...email, run_at: '0000-01-01T00:00:00Z' }, '/run_at'],
    ['a start after 9999', { ...email, run_at: '9999-12-31T23:59:59-23:59' }, '/run_at'],
    ['a number as the start', { ...email, run_at: 4_070_908_800_000 }, '/run_at'],
    ['an unknown policy', { ...email, retry_policy: { type: 'never' } }, '/retry_policy/type'],
    [
      'a cap below the base',
      { ...email, retry_policy: { type: 'decorrelated', base_ms: 9, cap_ms: 8 } },
      '/retry_policy/cap_ms',
    ],
    ['a camelCase policy', { ...email, retry_policy: { type: 'fixed', baseMs: 1 } }, '/retry_policy/base_ms'],
    ['a key that is too long', { ...email, idempotency_key: 'k'.repeat(256) }, '/idempotency_key'],
    ['a key with U+0000', { ...email, idempotency_key: 'a\u0000' }, '/idempotency_key'],
    ['an empty tenant', { ...email, tenant_id: '' }, '/tenant_id'],
    ['a null option', { ...email, queue: null }, '/queue'],
    ['a payload with U+0000', { ...email, payload: { ...email.payload, body: 'a\u0000' } }, '/payload/body'],
    ['a payload with a lone surrogate', webhook({ deep: ['\ud800'] }), '/payload/body/deep/0'],
    ['a key of a payload with U+0000', webhook({ 'a\u0000': 1 }), '/payload/body'],
  ])('%s', async (_what, body, path) => {
    const before = await countJobs()
    const answer = await api.post('/jobs', body)
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_job' } })
    expect(answer.body.issues?.map((issue) => issue.path)).toContain(path)
    expect(await countJobs()).toBe(before)
  })

  test('an unknown kind, naming those that there are', async () => {
    const answer = await api.post('/jobs', { kind: 'send_fax', payload: {} })
    expect(answer).toMatchObject({ status: 422, body: { error: 'unknown_kind' } })
    expect(answer.body.issues).toEqual([
      {
        path: '/kind',
        message: 'is not a known kind; closest: send_email',
      },
    ])
  })

  test('all issues at once, and a bounded number of them', async () => {
    const both = await api.post('/jobs', { ...email, priority: -1, queue: '' })
    expect(both.body.issues?.map(({ path }) => path)).toEqual(['/queue', '/priority'])
    const fields = Object.fromEntries(
      Array.from({ length: 5_000 }, (_, index) => [`f${index}`, 'x'.repeat(100)]),
    )
    const many = await api.post('/jobs', { ...email, ...fields })
    expect(many.body.issues).toHaveLength(100)
    expect(many.text.length).toBeLessThan(50_000)
    const oneLong = await api.post('/jobs', { ...email, ['x'.repeat(500_000)]: 1 })
    expect(oneLong.status).toBe(422)
    expect(oneLong.text.length).toBeLessThan(10_000)
  })
})

test("a server's own catalogue decides what may be enqueued, and is in its document", async () => {
  const invoice = defineJob({
    kind: 'send.invoice',
    payload: z.strictObject({ id: z.string() }),
    maxAttempts: 9,
  })
  const own = await startApi({
    queue: api.queue,
    readiness: createReadiness({ database: databaseOf(api.queue) }),
    catalogue: [invoice],
  })
  try {
    const created = await own.post('/jobs', { kind: 'send.invoice', payload: { id: 'i_1' } })
    expect(created).toMatchObject({ status: 201, body: { kind: 'send.invoice', max_attempts: 9 } })
    expect((await own.post('/jobs', email)).body.error).toBe('unknown_kind')
    const { components } = JSON.parse((await own.fetch('/api-docs/openapi.json')).text)
    expect(components.schemas.CreateJob.oneOf).toEqual([
      { $ref: '#/components/schemas/CreateSendInvoiceJob' },
    ])
    expect(components.schemas.SendInvoicePayload.properties).toEqual({ id: { type: 'string' } })
  } finally {
    await own.close()
  }
})

test('a catalogue that defines a kind twice is refused at the start', async () => {
  const twice = defineJob({ kind: 'twice', payload: z.unknown() })
  await expect(
    startApi({
      queue: api.queue,
      readiness: () => Promise.reject(new Error()),
      catalogue: [twice, twice],
    }),
  ).rejects.toThrow('defines a kind twice')
})
