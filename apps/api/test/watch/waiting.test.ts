import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { QueueError } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { leastOfTries } from '@queue/test-database'
import { eventually, insertJob } from '@queue/testing'
import type { AppOptions } from '../../src/app.ts'
import { watchIntervalMs } from '../../src/http/limits.ts'
import type { ApiQueue } from '../../src/services.ts'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startApi, startDatabaseApi, type TestApi } from '../support/start-api.ts'

let api: DatabaseApi
/** A failed test does not close its own, whose connections would keep this process alive. */
const others: TestApi[] = []

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterEach(async () => {
  await Promise.all(others.splice(0).map((other) => other.close()))
})

afterAll(() => api.close())

/** Another API on the same database, with some of its queue replaced. */
async function startOther(queue: Partial<ApiQueue>, options: Partial<AppOptions> = {}): Promise<TestApi> {
  const own = api.database.queue
  const readiness = createReadiness({ database: databaseOf(own) })
  const other = await startApi({ queue: { ...own, ...queue }, readiness, ...options })
  others.push(other)
  return other
}

async function succeed(id: string): Promise<void> {
  await api.database.pool.query(
    `UPDATE queue.jobs SET status = 'succeeded', result = '{"ok":true}', finished_at = now() WHERE id = $1`,
    [id],
  )
}

/** The only job of a queue, once it is there. */
function jobIn(queue: string): Promise<string> {
  return eventually(async () => (await api.database.queue.list({ queue })).jobs[0]?.id)
}

async function timed<Value>(work: Promise<Value>): Promise<{ value: Value; seconds: number }> {
  const start = performance.now()
  const value = await work
  return { value, seconds: (performance.now() - start) / 1_000 }
}

describe('a new job that is waited for', () => {
  test('is answered when it has ended', async () => {
    const answer = timed(api.post('/jobs', { ...email, queue: 'awaited' }, { prefer: 'wait=20' }))
    await succeed(await jobIn('awaited'))
    const { value, seconds } = await answer
    expect(value).toMatchObject({ status: 201, body: { status: 'succeeded', result: { ok: true } } })
    expect(value.headers.get('preference-applied')).toBe('wait=20')
    expect(value.headers.get('location')).toBe(`/jobs/${value.body.id}`)
    expect(seconds).toBeLessThan(10)
  })

  test('is answered as it is when the time is up', async () => {
    const { value, seconds } = await timed(api.post('/jobs', email, { prefer: 'wait=1' }))
    expect(value).toMatchObject({ status: 201, body: { status: 'queued' } })
    expect(seconds).toBeGreaterThanOrEqual(0.99)
  })

  test('is waited for by a replay too, with 200', async () => {
    const keyed = { ...email, idempotency_key: 'awaited' }
    const { body } = await api.post('/jobs', keyed)
    const again = api.post('/jobs', keyed, { prefer: 'wait=20, handling=strict' })
    await succeed(body.id ?? '')
    expect(await again).toMatchObject({ status: 200, body: { id: body.id, status: 'succeeded' } })
    expect((await again).headers.get('idempotent-replayed')).toBe('true')
  })

  test('is answered as it was enqueued when it is removed meanwhile', async () => {
    const answer = api.post('/jobs', { ...email, queue: 'removed' }, { prefer: 'wait=20' })
    await eventually(async () => {
      const { rowCount } = await api.database.pool.query(`DELETE FROM queue.jobs WHERE queue = 'removed'`)
      return (rowCount ?? 0) > 0
    })
    expect(await answer).toMatchObject({ status: 201, body: { status: 'queued' } })
  })

  test('is answered as it was when nobody can look at it any more', async () => {
    const away = () => Promise.reject(new Error('the database is away'))
    const other = await startOther({ states: away, get: away })
    const answer = await other.post('/jobs', email, { prefer: 'wait=1' })
    expect(answer).toMatchObject({ status: 201, body: { status: 'queued' } })
  })
})

describe('reading a job and waiting for it', () => {
  test('answers when it has ended', async () => {
    const { id } = await insertJob(api.database)
    const answer = api.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=20' } })
    await succeed(id)
    expect(await answer).toMatchObject({ status: 200, body: { status: 'succeeded' } })
    expect((await answer).headers.get('preference-applied')).toBe('wait=20')
  })

  test('answers at once when it has ended before, and waits for no more than 25 s', async () => {
    const { id } = await insertJob(api.database, { status: 'cancelled' })
    const { headers } = await api.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=100000' } })
    expect(headers.get('preference-applied')).toBe('wait=25')
  })

  test.each(['1000000000', '9'.repeat(400)])('waits as long as it may for wait=%s', async (seconds) => {
    const { id } = await insertJob(api.database, { status: 'cancelled' })
    const { headers } = await api.fetch(`/jobs/${id}`, { headers: { prefer: `wait=${seconds}` } })
    expect(headers.get('preference-applied')).toBe('wait=25')
  })

  test('waits on for a job that had ended and lives again when it is read', async () => {
    const { id } = await insertJob(api.database)
    let polls = 0
    const states: ApiQueue['states'] = async (ids) => {
      const found = await api.database.queue.states(ids)
      if (++polls > 1) await succeed(id)
      return polls > 1 ? found : found.map((state) => ({ ...state, status: 'cancelled' }))
    }
    const other = await startOther({ states })
    const answer = await other.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=20' } })
    expect(answer).toMatchObject({ status: 200, body: { status: 'succeeded' } })
  })

  test('answers that there is no such job when it is removed meanwhile', async () => {
    const { id } = await insertJob(api.database)
    const answer = api.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=20' } })
    await api.database.pool.query('DELETE FROM queue.jobs WHERE id = $1', [id])
    const { value, seconds } = await timed(answer)
    expect(value).toMatchObject({ status: 404, body: { error: 'job_not_found' } })
    expect(seconds).toBeLessThan(10)
  })

  test('says that it is unknown when nobody can look at it any more, because it may have ended', async () => {
    const { id } = await insertJob(api.database)
    const away = () => Promise.reject(new QueueError('database_unavailable', 'the database is away'))
    let reads = 0
    const get: ApiQueue['get'] = (read) => (++reads === 1 ? api.database.queue.get(read) : away())
    const other = await startOther({ states: away, get })
    const answer = await other.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=1' } })
    expect(answer).toMatchObject({ status: 503, body: { error: 'database_unavailable' } })
  })

  test.each(['wait', 'wait=', 'wait=-1', 'wait=1.5', 'wait=soon', 'handling=strict'])(
    'is not done for Prefer: %s',
    async (prefer) => {
      const { id } = await insertJob(api.database)
      const answer = await api.fetch(`/jobs/${id}`, { headers: { prefer } })
      expect(answer.status).toBe(200)
      expect(answer.headers.get('preference-applied')).toBeNull()
    },
  )

  test('never takes so long that the request itself would time out', async () => {
    const { id } = await insertJob(api.database)
    const other = await startOther({}, { requestTimeoutMs: 1_200 })
    // A sixth of that is left for the answer, which a busy machine may not have in time: 503 then.
    const status = await leastOfTries(201, async () => {
      return (await other.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=20' } })).status
    })
    expect(status).toBe(200)
  })

  test('ends when its client has gone', async () => {
    const [left, kept] = await Promise.all([insertJob(api.database), insertJob(api.database)])
    let lastPoll: readonly string[] = []
    const states: ApiQueue['states'] = (ids) => {
      lastPoll = ids
      return api.database.queue.states(ids)
    }
    const other = await startOther({ states })
    const client = new AbortController()
    const headers = { prefer: 'wait=20' }
    const gone = other.fetch(`/jobs/${left.id}`, { headers, signal: client.signal }).catch(() => 'gone')
    const answer = other.fetch(`/jobs/${kept.id}`, { headers })
    await eventually(() => lastPoll.includes(left.id) && lastPoll.includes(kept.id))
    client.abort()
    expect(await gone).toBe('gone')
    // Before both waits are over anyway.
    await eventually(() => lastPoll.includes(kept.id) && !lastPoll.includes(left.id), { deadlineMs: 15_000 })
    await succeed(kept.id)
    expect((await answer).status).toBe(200)
  })

  test('ends when the process is to stop', async () => {
    const { id } = await insertJob(api.database)
    const stop = new AbortController()
    let polls = 0
    const states: ApiQueue['states'] = (ids) => {
      polls += 1
      return api.database.queue.states(ids)
    }
    const other = await startOther({ states }, { stopping: stop.signal })
    const answer = timed(other.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=20' } }))
    await eventually(() => polls > 0)
    stop.abort()
    expect((await answer).seconds).toBeLessThan(10)
  })
})

test('many who wait are served by one query at a time', async () => {
  const jobs = await Promise.all(Array.from({ length: 40 }, () => insertJob(api.database)))
  let [polls, underWay, most] = [0, 0, 0]
  const other = await startOther({
    states: async (ids) => {
      polls += 1
      underWay += 1
      most = Math.max(most, underWay)
      const states = await api.database.queue.states(ids)
      underWay -= 1
      return states
    },
  })
  const { value: answers, seconds } = await timed(
    Promise.all(jobs.map(({ id }) => other.fetch(`/jobs/${id}`, { headers: { prefer: 'wait=1' } }))),
  )
  expect(answers.every(({ status }) => status === 200)).toBe(true)
  expect(most).toBe(1)
  expect(polls).toBeLessThanOrEqual((seconds * 1_000) / watchIntervalMs + 1)
})
