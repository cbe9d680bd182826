import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { limits } from '@queue/core'
import { assertInvariants, insertJob, type JobOverrides } from '@queue/testing'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

const unknownId = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

/** Makes a dead letter of one job, and gives both ids. */
async function deadLetterOne(overrides: JobOverrides = {}): Promise<{ jobId: string; deadLetterId: string }> {
  const { id: jobId } = await insertJob(api.database, { status: 'failed_permanent', ...overrides })
  const { rows } = await api.database.pool.query<{ id: string }>(
    'SELECT id FROM queue.dead_letter_jobs WHERE job_id = $1',
    [jobId],
  )
  return { jobId, deadLetterId: rows[0]?.id ?? '' }
}

async function deadLetterMany(queue: string, count: number): Promise<void> {
  await api.database.pool.query(
    `INSERT INTO queue.dead_letter_jobs (job_id, lease_token, created_at, dead_lettered_at, attempts, max_attempts, priority,
       crashes, queue, kind, payload, execution_history)
     SELECT gen_random_uuid(), 1, now(), now(), 1, 1, 4, 0, $1, 'test_job', '{}', '[]' FROM generate_series(1, $2)`,
    [queue, count],
  )
}

function idsOf(data: readonly { readonly id: string }[] | undefined): string[] {
  return (data ?? []).map(({ id }) => id)
}

describe('a dead letter', () => {
  test('tells of its job and of every attempt', async () => {
    const { jobId, deadLetterId } = await deadLetterOne({
      tenantId: 'acme',
      payload: { a: [1] },
      maxAttempts: 2,
      weight: 5,
    })
    const { status, body } = await api.fetch(`/dead-letters/${deadLetterId}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({
      id: deadLetterId,
      job_id: jobId,
      tenant_id: 'acme',
      payload: { a: [1] },
      attempts: 2,
      max_attempts: 2,
      weight: 5,
      last_error: 'the attempt failed',
    })
    const history = body.execution_history ?? []
    expect(history.map(({ job_id, attempt, outcome }) => [job_id, attempt, outcome])).toEqual([
      [jobId, 1, 'failed'],
      [jobId, 2, 'failed'],
    ])
  })

  test.each([
    ['unknown', unknownId],
    ['no UUID', 'zzz'],
    ['encoded', '%00'],
    ['long', 'a'.repeat(5_000)],
  ])('whose id is %s is a 404', async (_what, id) => {
    const missing = { status: 404, body: { error: 'dead_letter_not_found' } }
    expect(await api.fetch(`/dead-letters/${id}`)).toMatchObject(missing)
    expect(await api.post(`/dead-letters/${id}/requeue`)).toMatchObject(missing)
    expect(await api.fetch(`/dead-letters/${id}`, { method: 'DELETE' })).toMatchObject(missing)
  })

  test('that is deleted leaves its job failed', async () => {
    const { jobId, deadLetterId } = await deadLetterOne()
    const answer = await api.fetch(`/dead-letters/${deadLetterId}`, { method: 'DELETE' })
    expect(answer).toMatchObject({ status: 204, text: '' })
    expect((await api.fetch(`/dead-letters/${deadLetterId}`)).status).toBe(404)
    expect((await api.fetch(`/dead-letters/${deadLetterId}`, { method: 'DELETE' })).status).toBe(404)
    expect((await api.fetch(`/jobs/${jobId}`)).body.status).toBe('failed_permanent')
    expect((await api.post(`/jobs/${jobId}/requeue`)).status).toBe(200)
  })

  test('that is requeued is gone, and its job begins anew', async () => {
    const { jobId, deadLetterId } = await deadLetterOne()
    const answer = await api.post(`/dead-letters/${deadLetterId}/requeue`)
    expect(answer).toMatchObject({ status: 200, body: { id: jobId, status: 'queued', attempts: 0 } })
    expect((await api.fetch(`/dead-letters/${deadLetterId}`)).status).toBe(404)
    expect((await api.post(`/dead-letters/${deadLetterId}/requeue`)).status).toBe(404)
    await assertInvariants(api.database)
  })

  test('whose job was pruned brings it back', async () => {
    const { jobId, deadLetterId } = await deadLetterOne()
    await api.database.pool.query('DELETE FROM queue.jobs WHERE id = $1', [jobId])
    expect(await api.post(`/dead-letters/${deadLetterId}/requeue`)).toMatchObject({
      status: 200,
      body: { id: jobId, status: 'queued' },
    })
    expect((await api.fetch(`/jobs/${jobId}`)).status).toBe(200)
  })

  test('is requeued by the path of its job too, and is gone then', async () => {
    const { jobId, deadLetterId } = await deadLetterOne()
    expect((await api.post(`/jobs/${jobId}/requeue`)).status).toBe(200)
    expect((await api.fetch(`/dead-letters/${deadLetterId}`)).status).toBe(404)
  })
})

describe('the list of dead letters', () => {
  test('has the latest first, and its pages stay right while jobs are dead-lettered', async () => {
    const deadLetters: string[] = []
    for (let index = 0; index < 7; index += 1)
      deadLetters.unshift((await deadLetterOne({ queue: 'paged-dead-letters' })).deadLetterId)
    const seen: string[] = []
    let cursor: string | null = null
    do {
      const query = cursor === null ? '' : `&cursor=${cursor}`
      const page = await api.fetch(`/dead-letters?queue=paged-dead-letters&limit=3${query}`)
      seen.push(...idsOf(page.body.data))
      cursor = page.body.next_cursor ?? null
      await deadLetterOne({ queue: 'paged-dead-letters' })
    } while (cursor !== null)
    expect(seen).toEqual(deadLetters)
  })

  test('takes every filter, and all at once', async () => {
    const before = new Date(Date.now() - 3_600_000).toISOString()
    const after = new Date(Date.now() + 3_600_000).toISOString()
    const tenantId = 'a tenant/with ünicode & more'
    const { deadLetterId } = await deadLetterOne({ queue: 'filtered', kind: 'one', tenantId })
    const other = (await deadLetterOne({ queue: 'filtered', kind: 'one' })).deadLetterId
    const filters = {
      queue: 'filtered',
      kind: 'one',
      tenant: tenantId,
      dead_lettered_after: before,
      dead_lettered_before: after,
    }
    const list = async (query: Record<string, string>) =>
      (await api.fetch(`/dead-letters?${new URLSearchParams(query).toString()}`)).body
    expect(idsOf((await list(filters)).data)).toEqual([deadLetterId])
    const { tenant: _tenant, ...rest } = filters
    expect(idsOf((await list(rest)).data)).toEqual([other, deadLetterId])
    for (const change of [
      { queue: 'none' },
      { kind: 'none' },
      { tenant: 'none' },
      { dead_lettered_after: after },
      { dead_lettered_before: before },
    ]) {
      expect(await list({ ...filters, ...change })).toEqual({ data: [], next_cursor: null })
    }
  })

  test.each([
    'limit=0',
    'limit=201',
    'kind=UPPER',
    'queue=',
    'tenant=%00',
    'dead_lettered_after=yesterday',
    'created_after=2026-01-01T00:00:00Z',
    'dry_run=true',
    'cursor=',
    `cursor=${'a'.repeat(4_097)}`,
  ])('refuses the query %s with 400', async (query) => {
    expect(await api.fetch(`/dead-letters?${query}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_query' },
    })
  })

  const cursorOf = (text: string) => Buffer.from(`dead_letters ${text}`).toString('base64url')

  test.each([
    'x',
    cursorOf(`2026-02-30T00:00:00.000000Z ${unknownId}`),
    cursorOf(`0000-01-01T00:00:00.000000Z ${unknownId}`),
    cursorOf(`2026-01-01T25:00:00.000000Z ${unknownId}`),
    cursorOf('2026-01-01T00:00:00.000000Z 0000'),
  ])('refuses the cursor %s with 400', async (cursor) => {
    expect(await api.fetch(`/dead-letters?cursor=${cursor}`)).toMatchObject({
      status: 400,
      body: { error: 'invalid_cursor' },
    })
  })
})

describe('requeueing many dead letters', () => {
  test('takes those that the filter names, and no other', async () => {
    const queue = { queue: 'requeued' }
    const mine = [(await deadLetterOne(queue)).jobId, (await deadLetterOne(queue)).jobId]
    const other = await deadLetterOne({ ...queue, kind: 'another' })
    const answer = await api.post('/dead-letters/requeue', { ...queue, kind: 'test_job' })
    expect(answer).toMatchObject({ status: 200, body: { count: 2, operation: null, dry_run: false } })
    expect(answer.body.job_ids?.toSorted()).toEqual(mine.toSorted())
    for (const id of mine) expect((await api.fetch(`/jobs/${id}`)).body.status).toBe('queued')
    expect((await api.fetch(`/dead-letters/${other.deadLetterId}`)).status).toBe(200)
    await assertInvariants(api.database)
  })

  test('writes nothing on a dry run', async () => {
    const queue = { queue: 'dry' }
    const { jobId, deadLetterId } = await deadLetterOne(queue)
    expect(await api.post('/dead-letters/requeue', { ...queue, dry_run: true })).toMatchObject({
      status: 200,
      body: { count: 1, job_ids: [jobId], is_least: false, dry_run: true },
    })
    expect((await api.fetch(`/dead-letters/${deadLetterId}`)).status).toBe(200)
    expect((await api.fetch(`/jobs/${jobId}`)).body.status).toBe('failed_permanent')
  })

  test('of more than 1 000 is an operation, which has a place of its own', async () => {
    const queue = { queue: 'deep' }
    await deadLetterMany('deep', limits.actAtOnceMax + 1)
    expect((await api.post('/dead-letters/requeue', { ...queue, dry_run: true })).body).toMatchObject({
      count: limits.actAtOnceMax + 1,
      is_least: false,
    })
    const answer = await api.post('/dead-letters/requeue', queue)
    expect(answer).toMatchObject({
      status: 202,
      body: { count: 0, operation: { state: 'running', expected: limits.actAtOnceMax + 1 } },
    })
    const place = answer.headers.get('location') ?? ''
    expect((await api.fetch(place)).body).toMatchObject({ act: 'requeue_dead_letters', filter: queue })
    expect((await api.fetch(`${place}/cancel`, { method: 'POST' })).body).toMatchObject({
      state: 'cancelled',
    })
    await api.database.pool.query('DELETE FROM queue.dead_letter_jobs')
  })

  test('takes all if it says so, and refuses a filter without a condition', async () => {
    const { jobId } = await deadLetterOne()
    for (const body of [{}, { all: false }, { rate: 1 }]) {
      expect(await api.post('/dead-letters/requeue', body)).toMatchObject({
        status: 422,
        body: { error: 'selects_everything', detail: expect.stringContaining('all: true') },
      })
    }
    const { body } = await api.post('/dead-letters/requeue', { all: true })
    expect(body.job_ids).toContain(jobId)
    expect((await api.fetch('/dead-letters')).body.data).toEqual([])
  })

  test.each([
    ['no object', [], ''],
    ['an unknown field', { id: unknownId }, '/id'],
    ['a nested filter', { filter: {} }, '/filter'],
    ['a bad kind', { kind: 'UPPER' }, '/kind'],
    ['an instant without a zone', { dead_lettered_after: '2026-01-01T00:00:00' }, '/dead_lettered_after'],
    ['a dry run in words', { dry_run: 'yes' }, '/dry_run'],
    ['a tenant with U+0000', { tenant: '\u0000' }, '/tenant'],
  ])('with %s is a 422 that says where', async (_what, body, path) => {
    const answer = await api.post('/dead-letters/requeue', body)
    expect(answer).toMatchObject({ status: 422, body: { error: 'invalid_body' } })
    expect(answer.body.issues?.map((issue) => issue.path)).toContain(path)
  })

  test.each(['', '{', '{}{}'])('with the body %j is a 400', async (body) => {
    expect(await api.post('/dead-letters/requeue', body)).toMatchObject({
      status: 400,
      body: { error: 'unparsable_body' },
    })
  })
})
