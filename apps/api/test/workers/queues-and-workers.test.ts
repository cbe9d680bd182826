import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { eventually, insertJob, insertWorker } from '@queue/testing'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

describe('what needs somebody', () => {
  test('is read once for all who ask within two seconds, and not sent again while it is the same', async () => {
    await insertJob(api.database, { queue: 'forgotten', runAt: { msFromNow: -600_000 } })
    const look = (headers: Readonly<Record<string, string>> = {}) =>
      api.fetch('/attention', { headers: { 'cache-control': 'max-age=2', ...headers } })
    const answers = await Promise.all(Array.from({ length: 50 }, () => look()))
    expect(answers[0]).toMatchObject({
      status: 200,
      body: { data: [{ condition: 'queue_unserved', severity: 'critical', queue: 'forgotten', count: 1 }] },
    })
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1)
    const etag = answers[0]?.headers.get('etag') ?? ''
    const again = await look({ 'if-none-match': etag })
    expect([again.status, again.text]).toEqual([304, ''])
    await insertJob(api.database, { queue: 'forgotten-too', runAt: { msFromNow: -600_000 } })
    await eventually(async () => {
      const { status, text } = await look({ 'if-none-match': etag })
      return status === 200 && text.includes('forgotten-too')
    })
    await api.database.pool.query('DELETE FROM queue.jobs')
  })
})

describe('a queue', () => {
  test('is paused since when it was first paused, and resumed', async () => {
    const paused = await api.post('/queues/default/pause')
    expect(paused).toMatchObject({ status: 200, body: { name: 'default' } })
    expect(paused.body.paused_at).not.toBeNull()
    expect((await api.post('/queues/default/pause')).body).toEqual(paused.body)
    expect((await api.post('/jobs', email)).status).toBe(201)
    const { body } = await api.fetch('/queues')
    expect(body.data?.find(({ name }) => name === 'default')?.paused_at).toBe(paused.body.paused_at)
    const open = { status: 200, body: { name: 'default', paused_at: null } }
    expect(await api.post('/queues/default/resume')).toMatchObject(open)
    expect(await api.post('/queues/default/resume')).toMatchObject(open)
  })

  test.each(['unknown', 'UPPER', '%00', '%F0%9F%92%A5', 'a'.repeat(5_000), 'a%2Fb'])(
    'named %s that no worker has served is a 404',
    async (name) => {
      for (const act of ['pause', 'resume']) {
        expect(await api.post(`/queues/${name}/${act}`)).toMatchObject({
          status: 404,
          body: { error: 'queue_not_found' },
        })
      }
    },
  )

  test('is listed with its depth, its oldest ready job and its live workers', async () => {
    const queue = 'listed'
    const lockedBy = await insertWorker(api.database, { queues: [queue] })
    await insertWorker(api.database, { queues: [queue], state: 'lost' })
    await insertJob(api.database, { queue, runAt: { msFromNow: -60_000 } })
    await insertJob(api.database, { queue, runAt: { msFromNow: 60_000 } })
    await insertJob(api.database, { queue, status: 'retrying', runAt: { msFromNow: 60_000 } })
    await insertJob(api.database, { queue, status: 'running', lockedBy })
    await insertJob(api.database, { queue, status: 'succeeded' })
    const { status, body } = await api.fetch('/queues')
    expect(status).toBe(200)
    const listed = body.data?.find(({ name }) => name === queue)
    expect(listed).toMatchObject({
      depth: { queued: 2, retrying: 1, running: 1 },
      ready: 1,
      newly_ready: 1,
      workers: 1,
    })
    expect(listed?.oldest_ready_seconds).toBeGreaterThanOrEqual(60)
    expect(listed?.oldest_ready_seconds).toBeLessThan(600)
    expect(body.data?.map(({ name }) => name)).toEqual(['default', queue])
  })

  test('that is empty has no oldest job', async () => {
    await api.database.pool.query("INSERT INTO queue.queues (name) VALUES ('idle')")
    const { body } = await api.fetch('/queues')
    expect(body.data?.find(({ name }) => name === 'idle')).toEqual({
      name: 'idle',
      paused_at: null,
      depth: { queued: 0, retrying: 0, running: 0 },
      ready: 0,
      newly_ready: 0,
      oldest_ready_seconds: null,
      workers: 0,
    })
  })
})

describe('the list of queues', () => {
  test('comes in pages, by name', async () => {
    for (let n = 0; n < 7; n += 1) await insertJob(api.database, { queue: `paged-${n}` })
    const all = (await api.fetch('/queues')).body
    expect(all.next_cursor).toBeNull()
    const names: string[] = []
    let next: string | null | undefined = ''
    while (typeof next === 'string') {
      const { status, body } = await api.fetch(`/queues?limit=3${next === '' ? '' : `&cursor=${next}`}`)
      expect([status, (body.data ?? []).length <= 3]).toEqual([200, true])
      names.push(...(body.data ?? []).map(({ name }) => name))
      next = body.next_cursor
    }
    expect(names).toEqual(all.data?.map(({ name }) => name))
    expect(names).toEqual(expect.arrayContaining(['default', 'paged-0', 'paged-6']))
  })

  test.each([
    ['limit=0', 'invalid_query'],
    ['limit=201', 'invalid_query'],
    ['after=a', 'invalid_query'],
    ['cursor=nonsense', 'invalid_cursor'],
  ])('is not asked for with %s', async (query, error) => {
    expect(await api.fetch(`/queues?${query}`)).toMatchObject({ status: 400, body: { error } })
  })
})

test('workers are listed with what they serve and hold, active ones first', async () => {
  const stopped = await insertWorker(api.database, { state: 'stopped' })
  const active = await insertWorker(api.database, { queues: ['a', 'b'], kinds: ['x'], concurrency: 7 })
  await insertJob(api.database, { queue: 'a', status: 'running', lockedBy: active })
  const { status, body } = await api.fetch('/workers')
  expect(status).toBe(200)
  const data = body.data ?? []
  expect(data.find(({ id }) => id === active)).toMatchObject({
    state: 'active',
    queues: ['a', 'b'],
    kinds: ['x'],
    concurrency: 7,
    running: 1,
  })
  expect(data.find(({ id }) => id === stopped)).toMatchObject({ state: 'stopped', running: 0 })
  const states = data.map(({ state }) => state)
  expect(states.lastIndexOf('active')).toBeLessThan(states.indexOf('stopped'))
})
