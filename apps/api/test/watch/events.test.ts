import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createReadiness } from '@queue/service'
import { databaseOf } from '@queue/core/internal'
import { eventually, insertJob, insertWorker } from '@queue/testing'
import { type DatabaseApi, startApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

interface Event {
  readonly event: string | undefined
  readonly id: string | undefined
  readonly data: Readonly<Record<string, unknown>>
}

interface Stream {
  readonly events: Event[]
  readonly response: Response
  /** Resolves when the server has ended the stream. */
  readonly ended: Promise<void>
}

/** Follows a job, keeping what it hears. */
async function follow(base: string, id: string, headers: Record<string, string> = {}): Promise<Stream> {
  const response = await fetch(`${base}/jobs/${id.replace(/(?=\?|$)/, '/events')}`, {
    headers: { accept: 'text/event-stream', ...headers },
  })
  const events: Event[] = []
  const read = async (): Promise<void> => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const chunk of response.body ?? []) {
      text += decoder.decode(chunk as Uint8Array, { stream: true })
      const blocks = text.split('\n\n')
      text = blocks.pop() ?? ''
      events.push(...blocks.filter((block) => !block.startsWith(':')).map(parseEvent))
    }
  }
  return { events, response, ended: read() }
}

function parseEvent(block: string): Event {
  const fields = new Map(block.split('\n').map((line) => [line.split(': ')[0], line.replace(/^\w+: /, '')]))
  return { event: fields.get('event'), id: fields.get('id'), data: JSON.parse(fields.get('data') ?? '{}') }
}

async function update(id: string, assignments: string, values: readonly unknown[] = []): Promise<void> {
  await api.database.pool.query(`UPDATE queue.jobs SET ${assignments} WHERE id = $1`, [id, ...values])
}

test('a stream tells of each state and of the progress, and ends with the job', async () => {
  const { id } = await insertJob(api.database)
  const worker = await insertWorker(api.database)
  const { events, response, ended } = await follow(api.base, id)
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream; charset=utf-8')
  expect(response.headers.get('x-request-id')).not.toBeNull()
  await eventually(() => events.length === 1)
  await update(id, `status = 'running', attempts = 1, locked_by = $2, locked_at = now()`, [worker])
  await eventually(() => events.length === 2)
  await update(id, `progress = 40, progress_message = 'almost\nhalf'`)
  await eventually(() => events.length === 3)
  await update(id, `status = 'succeeded', locked_by = NULL, locked_at = NULL, finished_at = now()`)
  await ended
  const received = events.map(({ event, id: eventId, data }) => [
    event,
    eventId,
    data['status'],
    data['progress'],
  ])
  expect(received).toEqual([
    ['state', undefined, 'queued', null],
    ['state', undefined, 'running', null],
    ['progress', undefined, 'running', 40],
    ['state', 'end', 'succeeded', 40],
  ])
  expect(events[2]?.data).toMatchObject({
    id,
    attempts: 1,
    max_attempts: 3,
    progress_message: 'almost\nhalf',
  })
})

test('a job that has ended is told once, and a client that knows it is told to stay away', async () => {
  const { id } = await insertJob(api.database, { status: 'cancelled' })
  const first = await api.fetch(`/jobs/${id}/events`)
  expect(first).toMatchObject({ status: 200, text: expect.stringContaining('"status":"cancelled"') })
  const again = await api.fetch(`/jobs/${id}/events`, { headers: { 'last-event-id': 'end' } })
  expect(again).toMatchObject({ status: 204, text: '' })
  await api.post(`/jobs/${id}/requeue`)
  const { events, ended } = await follow(api.base, id)
  await eventually(() => events.length === 1)
  await api.post(`/jobs/${id}/cancel`)
  await ended
  expect(events.map(({ data }) => data['status'])).toEqual(['queued', 'cancelled'])
})

test('a job that is removed ends the stream', async () => {
  const { id } = await insertJob(api.database)
  const { events, ended } = await follow(api.base, id)
  await eventually(() => events.length === 1)
  await api.database.pool.query('DELETE FROM queue.jobs WHERE id = $1', [id])
  await ended
  expect(events[1]).toEqual({ event: 'gone', id: 'end', data: { id } })
})

test('HEAD gets the headers, and no stream', async () => {
  const { id } = await insertJob(api.database)
  const answer = await api.fetch(`/jobs/${id}/events`, { method: 'HEAD' })
  expect(answer).toMatchObject({ status: 200, text: '' })
})

test('a client that accepts no events is refused', async () => {
  const { id } = await insertJob(api.database)
  const headers = { accept: 'application/json' }
  expect((await api.fetch(`/jobs/${id}/events`, { headers })).status).toBe(406)
})

test('a stream outlives the time limit of requests, and ends when the process is to stop', async () => {
  const stop = new AbortController()
  const other = await startApi({
    queue: api.queue,
    readiness: () => new Promise(() => undefined),
    stopping: stop.signal,
    requestTimeoutMs: 2_000,
  })
  const { id } = await insertJob(api.database)
  const { events, ended } = await follow(other.base, id)
  await eventually(() => events.length === 1)
  // A request that begins after the stream reaches the limit.
  expect((await other.fetch('/readyz')).status).toBe(504)
  await update(id, 'progress = 1')
  await eventually(() => events.length === 2)
  stop.abort()
  await ended
  expect(events.map(({ event }) => event)).toEqual(['state', 'progress'])
  expect((await other.fetch('/livez')).status).toBe(200)
  await other.close()
})

test('one stream more than may be open is a 503, until one of them ends', async () => {
  const { id } = await insertJob(api.database)
  const readiness = createReadiness({ database: databaseOf(api.queue) })
  const other = await startApi({ queue: api.queue, readiness, eventStreamsMax: 1 })
  const first = await fetch(`${other.base}/jobs/${id}/events`)
  const refused = await other.fetch(`/jobs/${id}/events`)
  expect(refused).toMatchObject({ status: 503, body: { error: 'overloaded' } })
  expect(refused.headers.get('retry-after')).toBe('1')
  await first.body?.cancel()
  await eventually(async () => {
    const next = await fetch(`${other.base}/jobs/${id}/events`)
    await next.body?.cancel()
    return next.status === 200
  })
  await other.close()
})

test('a client that goes away is no longer looked after', async () => {
  const polledIds: string[][] = []
  const other = await startApi({
    queue: {
      ...api.database.queue,
      states: (ids) => {
        polledIds.push([...ids])
        return api.database.queue.states(ids)
      },
    },
    readiness: createReadiness({ database: databaseOf(api.queue) }),
  })
  const [gone, followed] = [await insertJob(api.database), await insertJob(api.database)]
  const { events, ended } = await follow(other.base, followed.id)
  const abort = new AbortController()
  await fetch(`${other.base}/jobs/${gone.id}/events`, { signal: abort.signal })
  await eventually(() => polledIds.at(-1)?.length === 2)
  abort.abort()
  await eventually(() => polledIds.at(-1)?.length === 1)
  expect(polledIds.at(-1)).toEqual([followed.id])
  await api.post(`/jobs/${followed.id}/cancel`)
  await ended
  expect(events).toHaveLength(2)
  await other.close()
})

test('with logs tells of every line, in order, before the end, and goes on behind the last that was read', async () => {
  const worker = await insertWorker(api.database)
  const { id } = await insertJob(api.database, { status: 'running', lockedBy: worker, attempts: 1 })
  const log = (from: number, to: number) =>
    api.database.pool.query(
      `INSERT INTO queue.job_logs (job_id, lease_token, line, attempt, at, level, message)
       SELECT $1, 1, n, 1, now(), CASE WHEN n % 2 = 0 THEN 'warn' ELSE 'debug' END, 'line ' || n
         FROM generate_series($2::int, $3::int) AS n`,
      [id, from, to],
    )
  await log(1, 450)
  const all = await follow(api.base, `${id}?logs=debug`)
  const warnings = await follow(api.base, `${id}?logs=warn`)
  const without = await follow(api.base, id)
  const linesOf = ({ events }: Pick<Stream, 'events'>) =>
    events.flatMap(({ event, data }) => (event === 'log' ? [data['line']] : []))
  await eventually(() => linesOf(all).length === 450)
  await log(451, 460)
  await update(id, `status = 'succeeded', locked_by = NULL, locked_at = NULL, finished_at = now()`)
  await Promise.all([all.ended, warnings.ended, without.ended])
  const numbers = Array.from({ length: 460 }, (_, index) => index + 1)
  expect(linesOf(all)).toEqual(numbers)
  expect(linesOf(warnings)).toEqual(numbers.filter((n) => n % 2 === 0))
  expect(linesOf(without)).toEqual([])
  expect(all.events.at(-1)).toMatchObject({ event: 'state', id: 'end', data: { status: 'succeeded' } })
  expect(all.events[0]?.data).toMatchObject({
    job_id: id,
    attempt: 1,
    level: 'debug',
    message: 'line 1',
    fields: null,
  })
  const lastRead = all.events.find(({ data }) => data['line'] === 455)?.id ?? ''
  const again = await follow(api.base, `${id}?logs=debug`, { 'last-event-id': lastRead })
  await again.ended
  expect(linesOf(again)).toEqual([456, 457, 458, 459, 460])
})
