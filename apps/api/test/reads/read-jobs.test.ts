import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { insertJob } from '@queue/testing'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

const unknownId = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

async function enqueue(options: object = {}): Promise<string> {
  const { body } = await api.post('/jobs', { ...email, ...options })
  return body.id ?? ''
}

describe('metadata and expiry', () => {
  test('are shown with the job, and metadata finds it, by a dot or brackets', async () => {
    const metadata = { order_id: 4711, customer: 'ada & bob' }
    const { body } = await api.post('/jobs', { ...email, metadata, expires_in_ms: 600_000 })
    expect(body).toMatchObject({ metadata, cancel_reason: null })
    expect(Date.parse(String(body['expires_at'])) - Date.parse(String(body['created_at']))).toBe(600_000)
    await enqueue({ metadata: { order_id: 4712 } })
    for (const query of [
      'metadata.order_id=4711',
      'metadata[order_id]=4711&metadata.customer=ada+%26+bob',
      'metadata.order_id=4711&status=queued',
    ]) {
      const found = await api.fetch(`/jobs?${query}`)
      expect(found.body['data']).toMatchObject([{ id: body.id, metadata }])
    }
    expect((await api.fetch('/jobs?metadata.order_id=4713')).body['data']).toEqual([])
  })

  test.each([
    ['metadata.order=a%00b', '/metadata'],
    ['metadata.order%20id=1', '/metadata/order id'],
    ['metadata=4711', '/metadata'],
    ['kind.x=1', '/kind'],
    ['other.x=1', '/other'],
    ['metadata.a=1&metadata[a]=2', '/metadata/a'],
    [Array.from({ length: 21 }, (_, n) => `metadata.m${n}=1`).join('&'), '/metadata'],
  ])('?%s is refused with its place', async (query, path) => {
    expect(await api.fetch(`/jobs?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_query', issues: [{ path }] },
    })
  })

  test.each([
    [{ metadata: { order: { id: 1 } } }, '/metadata/order'],
    [{ metadata: { 'order id': 1 } }, '/metadata/order id'],
    [{ metadata: [] }, '/metadata'],
    [{ expires_in_ms: 1_000, delay_ms: 1_000 }, '/expires_in_ms'],
    [{ expires_at: '2000-01-01T00:00:00Z' }, '/expires_at'],
    [{ expires_in_ms: 0 }, '/expires_in_ms'],
  ])('%j is refused with its place, alone and in a batch', async (members, path) => {
    const refused = await api.post('/jobs', { ...email, ...members })
    expect(refused).toMatchObject({ status: 422, body: { error: 'invalid_job', issues: [{ path }] } })
    const batch = await api.post('/jobs/batch', { jobs: [email, { ...email, ...members }] })
    expect(batch).toMatchObject({ status: 422, body: { issues: [{ path: `/jobs/1${path}` }] } })
  })

  test('an expired job is requeued with a later expiry, and not without', async () => {
    const id = await enqueue({ expires_in_ms: 600_000 })
    await api.database.pool.query(
      `UPDATE queue.jobs SET status = 'cancelled', cancel_reason = 'expired', finished_at = now(),
              expires_at = now() - interval '1 second' WHERE id = $1`,
      [id],
    )
    const path = `/jobs/${id}/requeue`
    for (const query of [
      '',
      '?expires_at=2000-01-01T00:00:00Z',
      '?expires_in_ms=1&expires_at=2999-01-01T00:00:00Z',
    ]) {
      const refused = await api.post(path + query)
      expect(refused).toMatchObject({ status: 422, body: { error: 'invalid_job' } })
    }
    expect((await api.post(`${path}?expires_in_ms=0`)).status).toBe(400)
    const requeued = await api.post(`${path}?expires_in_ms=600000`)
    expect(requeued).toMatchObject({ status: 200, body: { status: 'queued', cancel_reason: null } })
  })
})

test.each(['metadata.__proto__=x', 'metadata[__proto__]=x', '__proto__=x'])(
  'a list with %s is a 400, and not a list of all jobs',
  async (query) => {
    expect(await api.fetch(`/jobs?${query}`)).toMatchObject({ status: 400, body: { error: 'invalid_query' } })
  },
)

describe('one job', () => {
  test.each([
    ['unknown', unknownId],
    ['no UUID', 'zzz'],
    ['encoded', '%00'],
    ['a lone surrogate', '%ED%A0%80'.replaceAll('%', '%25')],
    ['long', 'a'.repeat(5_000)],
    ['a statement', "1'%20OR%20'1'='1"],
  ])('whose id is %s is a 404', async (_what, id) => {
    for (const path of [`/jobs/${id}`, `/jobs/${id}/executions`, `/jobs/${id}/events`]) {
      expect(await api.fetch(path)).toMatchObject({ status: 404, body: { error: 'job_not_found' } })
    }
    for (const path of [`/jobs/${id}/cancel`, `/jobs/${id}/requeue`]) {
      expect(await api.post(path)).toMatchObject({ status: 404, body: { error: 'job_not_found' } })
    }
  })

  test('in every state is what its document says', async () => {
    const statuses = ['queued', 'running', 'succeeded', 'retrying', 'failed_permanent', 'cancelled'] as const
    for (const status of statuses) {
      const { id } = await insertJob(api.database, {
        status,
        result: status === 'succeeded' ? { ok: [1] } : null,
      })
      expect((await api.fetch(`/jobs/${id}`)).body.status).toBe(status)
    }
  })

  test('has an ETag that lasts until it changes', async () => {
    const path = `/jobs/${await enqueue()}`
    const first = await api.fetch(path)
    const etag = first.headers.get('etag') ?? ''
    expect(first.headers.get('cache-control')).toBe('private, no-cache')
    for (const condition of [etag, `W/${etag}`, `"other", ${etag}`, '*']) {
      const again = await api.fetch(path, { headers: { 'if-none-match': condition } })
      expect(again).toMatchObject({ status: 304, text: '' })
      expect(again.headers.get('etag')).toBe(etag)
    }
    await api.post(`${path}/cancel`)
    const changed = await api.fetch(path, { headers: { 'if-none-match': etag } })
    expect(changed).toMatchObject({ status: 200, body: { status: 'cancelled' } })
    expect(changed.headers.get('etag')).not.toBe(etag)
  })

  test('is answered to HEAD with the headers of GET and no body', async () => {
    const path = `/jobs/${await enqueue()}`
    const [get, head] = [await api.fetch(path), await api.fetch(path, { method: 'HEAD' })]
    expect(head).toMatchObject({ status: 200, text: '' })
    for (const name of ['content-length', 'content-type', 'etag']) {
      expect(head.headers.get(name)).toBe(get.headers.get(name))
    }
    expect((await api.fetch(`/jobs/${unknownId}`, { method: 'HEAD' })).status).toBe(404)
  })

  test('shows its ended attempts, oldest first', async () => {
    const { id } = await insertJob(api.database, { status: 'failed_permanent', attempts: 3, maxAttempts: 3 })
    const { status, body } = await api.fetch(`/jobs/${id}/executions`)
    expect(status).toBe(200)
    expect(body.data?.map(({ attempt, outcome }) => [attempt, outcome])).toEqual([
      [1, 'failed'],
      [2, 'failed'],
      [3, 'failed'],
    ])
    expect((await api.fetch(`/jobs/${await enqueue()}/executions`)).body.data).toEqual([])
  })
})

describe('a list', () => {
  test('is newest first, and its pages stay right while jobs are enqueued', async () => {
    const queue = { queue: 'paged' }
    const ids: string[] = []
    for (let index = 0; index < 7; index += 1) ids.unshift(await enqueue(queue))
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query = cursor === null ? '' : `&cursor=${cursor}`
      const page = await api.fetch(`/jobs?queue=paged&limit=3${query}`)
      seen.push(...(page.body.data ?? []).map(({ id }) => id))
      cursor = page.body.next_cursor ?? null
      await enqueue(queue)
    } while (cursor !== null)
    expect(seen).toEqual(ids)
  })

  test('takes every filter, and all at once', async () => {
    const before = new Date(Date.now() - 3_600_000).toISOString()
    const after = new Date(Date.now() + 3_600_000).toISOString()
    const id = await enqueue({ queue: 'filtered', tenant_id: 'a tenant/with ünicode & more' })
    const other = await enqueue({ queue: 'filtered' })
    const filters = {
      queue: 'filtered',
      status: 'queued',
      kind: 'send_email',
      tenant: 'a tenant/with ünicode & more',
      created_after: before,
      created_before: after,
      limit: '200',
    }
    const all = await api.fetch(`/jobs?${new URLSearchParams(filters).toString()}`)
    expect(all.body.data?.map((job) => job.id)).toEqual([id])
    const { tenant: _tenant, ...rest } = filters
    const wider = await api.fetch(`/jobs?${new URLSearchParams(rest).toString()}`)
    expect(wider.body.data?.map((job) => job.id)).toEqual([other, id])
    for (const change of [
      { status: 'running' },
      { kind: 'resize_image' },
      { created_after: after },
      { created_before: before },
    ]) {
      const none = await api.fetch(`/jobs?${new URLSearchParams({ ...filters, ...change }).toString()}`)
      expect(none.body).toEqual({ data: [], next_cursor: null, scanned: null })
    }
  })

  test.each([
    'limit=0',
    'limit=201',
    'limit=-1',
    'limit=1.5',
    'limit=1e1',
    'limit=0x10',
    'limit=%20',
    'limit=',
    'limit=5&limit=5',
    'status=done',
    'status=queued,running',
    'status[]=queued',
    'kind=',
    'queue=UPPER',
    'tenant=',
    'tenant=%00',
    'tenant=%ED%A0%80',
    'tenant=%E0%A4%A',
    'tenant=%',
    'created_after=yesterday',
    'created_after=2026-01-01',
    'created_after=-000001-01-01T00:00:00Z',
    'created_before=10000-01-01T00:00:00Z',
    'created_before=2026-01-01T00:00:00+02:00',
    'cursor=%00',
    `cursor=${'a'.repeat(4_097)}`,
    'cursor=',
    'page=2',
    '__proto__=1',
    'constructor=1',
    'x',
    Array.from({ length: 60 }, (_, index) => `p${index}=1`).join('&'),
  ])('refuses the query %s with 400', async (query) => {
    expect(await api.fetch(`/jobs?${query}`)).toMatchObject({ status: 400, body: { error: 'invalid_query' } })
  })

  test.each(['x', 'AAAA', 'AAAAAAAAAAAAAAAAAAAAAA==', 'AZodPHoefDqfUjsfbA3gAB', '💥'])(
    'refuses the cursor %s with 400',
    async (cursor) => {
      expect(await api.fetch(`/jobs?cursor=${cursor}`)).toMatchObject({
        status: 400,
        body: { error: 'invalid_cursor' },
      })
    },
  )

  test('takes empty parameters between others as nothing', async () => {
    expect((await api.fetch('/jobs?&limit=1&&')).status).toBe(200)
  })
})
