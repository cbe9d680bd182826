import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { createReadiness } from '@queue/service'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterEach(async () => {
  await api.database.pool.query(
    'TRUNCATE queue.schedules, queue.schedule_sources, queue.jobs, queue.ended_jobs',
  )
})

afterAll(() => api.close())

const nightly = {
  ...email,
  name: 'nightly',
  cron: '0 2 * * 1-5',
  time_zone: 'Europe/Berlin',
  priority: 2,
  weight: 3,
}

function send(method: string, path: string, body?: object) {
  return api.fetch(path, {
    method,
    ...(body !== undefined && {
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    }),
  })
}

describe('a schedule over HTTP', () => {
  /** A new value for each member of a PATCH that does not exclude another. */
  const changes = {
    payload: { ...email.payload, subject: 'Changed' },
    queue: 'changed',
    priority: 7,
    max_attempts: 9,
    timeout_ms: 12_345,
    metadata: { changed: 'yes' },
    expires_in_ms: 67_890,
    weight: 5,
    cron: '30 3 * * *',
    time_zone: 'Asia/Tokyo',
    jitter_ms: 1_234,
    missed: 'all',
    missed_window_ms: 54_321,
    overlap: 'skip',
  }
  const members = Object.keys(changes) as (keyof typeof changes)[]

  test.each(members)(
    'keeps both of two changes that are made at once, of %s and of each other member',
    async (first) => {
      await Promise.all(
        members.map(async (second, index) => {
          if (second === first) return
          const path = `/schedules/both-${index}`
          expect(await api.post('/schedules', { ...nightly, name: `both-${index}` })).toMatchObject({
            status: 201,
          })
          const answers = await Promise.all(
            [first, second].map((name) => send('PATCH', path, { [name]: changes[name] })),
          )
          expect(answers.map(({ status }) => status)).toEqual([200, 200])
          expect((await api.fetch(path)).body).toMatchObject({
            [first]: changes[first],
            [second]: changes[second],
          })
        }),
      )
    },
  )

  test('is created, read, listed, changed and deleted', async () => {
    const created = await api.post('/schedules', nightly)
    expect(created).toMatchObject({
      status: 201,
      body: {
        name: 'nightly',
        payload: email.payload,
        priority: 2,
        description: 'at 02:00, Monday through Friday, Europe/Berlin',
        missed: 'once',
        paused_at: null,
      },
    })
    expect(created.headers.get('location')).toBe('/schedules/nightly')
    expect((await api.fetch('/schedules/nightly')).body).toEqual(created.body)
    expect((await api.fetch('/schedules?kind=send_email')).body).toEqual({
      data: [created.body],
      next_cursor: null,
    })
    expect(await api.post('/schedules', nightly)).toMatchObject({
      status: 409,
      body: { error: 'schedule_exists' },
    })

    const changed = await send('PATCH', '/schedules/nightly', { every_ms: 60_000, max_attempts: 9 })
    expect(changed).toMatchObject({
      status: 200,
      body: {
        cron: null,
        every_ms: 60_000,
        time_zone: 'UTC',
        max_attempts: 9,
        priority: 2,
        weight: 3,
        payload: email.payload,
      },
    })
    expect((await send('DELETE', '/schedules/nightly')).status).toBe(204)
    for (const [method, path] of [
      ['GET', '/schedules/nightly'],
      ['DELETE', '/schedules/nightly'],
      ['GET', '/schedules/nightly/preview'],
      ['POST', '/schedules/nightly/pause'],
      ['POST', '/schedules/nightly/run-now'],
    ] as const)
      expect(await send(method, path)).toMatchObject({ status: 404, body: { error: 'schedule_not_found' } })
  })

  test.each<[string, object, string, string]>([
    ['an expression', { cron: '99 * * * *' }, 'invalid_schedule', '/cron'],
    ['an unknown zone', { time_zone: 'Nowhere/Land' }, 'invalid_schedule', '/time_zone'],
    ['an end', { ends_at: '2001-01-01T00:00:00Z' }, 'invalid_schedule', '/ends_at'],
    ['a jitter', { jitter_ms: 86_400_000 }, 'invalid_schedule', '/jitter_ms'],
    [
      'an interval under a second',
      { cron: null, time_zone: 'UTC', every_ms: 10 },
      'invalid_schedule',
      '/every_ms',
    ],
    ['a payload', { payload: { to: 'nobody' } }, 'invalid_schedule', '/payload/to'],
    ['an unknown field', { timezone: 'UTC' }, 'invalid_schedule', '/timezone'],
    ['an unknown kind', { kind: 'no_such' }, 'unknown_kind', '/kind'],
  ])(
    'is refused for %s, with the path of it, when it is made and in a sync',
    async (...[, over, error, path]) => {
      const refused = await api.post('/schedules', { ...nightly, ...over })
      expect(refused).toMatchObject({ status: 422, body: { error } })
      expect(refused.body.issues?.map((issue) => issue.path)).toContain(path)
      const schedules = [
        { ...nightly, name: 'fine' },
        { ...nightly, ...over },
      ]
      const unsynced = await api.post('/schedules/sync', { source: 'app', revision: 1, schedules })
      expect(unsynced).toMatchObject({ status: 422, body: { error } })
      expect(unsynced.body.issues?.map((issue) => issue.path)).toContain(`/schedules/1${path}`)
      expect((await api.fetch('/schedules')).body).toMatchObject({ data: [] })
    },
  )

  test('is previewed, paused, resumed, and run now, once for one key', async () => {
    await api.post('/schedules', nightly)
    const preview = await api.fetch('/schedules/nightly/preview')
    expect((preview.body as never as { instants: string[] }).instants).toHaveLength(20)
    const timing = { cron: nightly.cron, time_zone: nightly.time_zone }
    expect((await api.post('/schedules/preview', timing)).body).toEqual(preview.body)
    const { body: paused } = await api.post('/schedules/nightly/pause')
    expect(paused.paused_at).not.toBeNull()
    const key = { headers: { 'idempotency-key': 'now' }, method: 'POST' }
    const ran = await api.fetch('/schedules/nightly/run-now', key)
    expect(ran).toMatchObject({ status: 201, body: { kind: 'send_email', priority: 2 } })
    const again = await api.fetch('/schedules/nightly/run-now', key)
    expect(again).toMatchObject({ status: 200, body: { id: ran.body.id } })
    expect((await api.post('/schedules/nightly/resume')).body).toMatchObject({
      paused_at: null,
      last_job_id: ran.body.id,
    })
    await send('PATCH', '/schedules/nightly', { overlap: 'skip' })
    expect(await api.post('/schedules/nightly/run-now')).toMatchObject({
      status: 409,
      body: { error: 'schedule_overlaps' },
    })
  })

  test('keeps its key beside other changes, and with a new payload has that of a new schedule, unless one is sent', async () => {
    const payload = { ...email.payload, subject: 'Changed' }
    expect(await send('POST', '/schedules', { ...nightly, key: 'c-1' })).toMatchObject({ status: 201 })
    const changed = async (body: object) => (await send('PATCH', '/schedules/nightly', body)).body
    expect(await changed({ priority: 7 })).toMatchObject({ priority: 7, key: 'c-1' })
    expect(await changed({ payload, key: 'c-2' })).toMatchObject({ priority: 7, key: 'c-2' })
    expect(await changed({ payload })).toMatchObject({ priority: 7, weight: 3, key: null })
  })

  test('has keys for its runs that no caller can take', async () => {
    await api.post('/schedules', nightly)
    const key = 'schedule:nightly@2031-01-15T01:00:00.000Z'
    const refused = { status: 422, body: { issues: [{ message: expect.stringContaining('schedule:') }] } }
    const headers = { 'content-type': 'application/json', 'idempotency-key': key }
    const withHeader = { method: 'POST', headers, body: JSON.stringify(email) }
    expect(await api.fetch('/jobs', withHeader)).toMatchObject(refused)
    expect(await api.post('/jobs', { ...email, idempotency_key: key })).toMatchObject(refused)
    expect(await api.post('/jobs/batch', { jobs: [{ ...email, idempotency_key: key }] })).toMatchObject(
      refused,
    )
    const runNow = { method: 'POST', headers: { 'idempotency-key': key } }
    expect(await api.fetch('/schedules/nightly/run-now', runNow)).toMatchObject(refused)
  })

  test('is brought in step by its source, and never by an older revision', async () => {
    const sync = (revision: number, names: readonly string[]) => ({
      source: 'billing',
      revision,
      prune: true,
      schedules: names.map((name) => ({ ...nightly, name })),
    })
    expect((await api.post('/schedules/sync', sync(2, ['a', 'b']))).body).toMatchObject({
      outcome: 'synced',
      created: ['a', 'b'],
    })
    expect((await api.post('/schedules/sync', sync(3, ['b', 'c']))).body).toMatchObject({
      created: ['c'],
      unchanged: ['b'],
      deleted: ['a'],
    })
    expect((await api.post('/schedules/sync', sync(2, ['a', 'b']))).body).toMatchObject({
      outcome: 'outdated',
      revision: 3,
    })
  })
})

test('a schedule is changed by a process with one connection, whatever its kind', async () => {
  const queue = createQueue({ connectionString: api.database.urlAs('api'), poolMax: 1 })
  const one = await startApi({ queue, readiness: createReadiness({ database: databaseOf(queue) }) })
  const patch = (body: object) =>
    one.fetch('/schedules/nightly', {
      method: 'PATCH',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
  try {
    expect(await send('POST', '/schedules', nightly)).toMatchObject({ status: 201 })
    expect(await patch({ kind: 'no_such' })).toMatchObject({ status: 422, body: { error: 'unknown_kind' } })
    const registration = { kind: 'of_another_process', payload_schema: { type: 'object' } }
    expect(await api.post('/kinds', { kinds: [registration] })).toMatchObject({ status: 200 })
    const changed = await patch({ kind: registration.kind, payload: { a: 1 } })
    expect(changed).toMatchObject({ status: 200, body: { kind: registration.kind, payload: { a: 1 } } })
    expect(await patch({ weight: 7 })).toMatchObject({ status: 200, body: { weight: 7, priority: 2 } })
  } finally {
    await one.close()
    await queue.close()
  }
})
