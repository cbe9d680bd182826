import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { elapsedMs, eventually, insertJob } from '@queue/testing'
import { email } from './support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from './support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

const traceparent = '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01'

/** The line about the request with this id. */
function lineOf(requestId: string) {
  return eventually(() => api.log.find(({ fields }) => fields['request_id'] === requestId)?.fields)
}

test('the line about a request that makes a job names the job, its kind and its trace', async () => {
  const { body } = await api.post('/jobs', email, { 'x-request-id': 'traced', traceparent })
  expect(await lineOf('traced')).toMatchObject({
    job_id: body.id,
    kind: 'send_email',
    trace_id: '4bf92f3577b34da6a3ce929d0e0e4736',
    route: '/jobs',
    status: 201,
  })
  await api.post('/jobs', email, { 'x-request-id': 'untraced' })
  expect(await lineOf('untraced')).not.toHaveProperty('trace_id')
})

test('the line about a request for one job names it, also when it is refused', async () => {
  const id = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
  await api.fetch(`/jobs/${id}/cancel`, { method: 'POST', headers: { 'x-request-id': 'refused' } })
  expect(await lineOf('refused')).toMatchObject({ job_id: id, route: '/jobs/{id}/cancel', status: 404 })
})

test('the time for which a client has its request wait is not counted as ours', async () => {
  const headers = { 'x-request-id': 'waits', prefer: 'wait=1' }
  const seconds = (await elapsedMs(() => api.post('/jobs', email, headers))) / 1_000
  // A timer may fire up to a millisecond early by this clock.
  const waitedSeconds = 0.99
  expect(seconds).toBeGreaterThanOrEqual(waitedSeconds)
  expect((await lineOf('waits'))['seconds']).toBeLessThanOrEqual(seconds - waitedSeconds)
})

describe('who changes what others have enqueued leaves a line:', () => {
  const infoLines = (requestId: string) =>
    api.log.filter(({ level, fields }) => level === 'info' && fields['request_id'] === requestId)

  /** A request that the log is to tell of, and what it is to say. */
  interface Told {
    readonly request: string
    readonly body?: object
    readonly about: object
  }

  async function told(): Promise<Told[]> {
    const cancelled = await insertJob(api.database)
    const failed = await insertJob(api.database, { status: 'failed_permanent' })
    const deadLettered = await Promise.all(
      Array.from({ length: 3 }, () => insertJob(api.database, { status: 'failed_permanent' })),
    )
    const { deadLetters } = await api.database.queue.deadLetters.list()
    const deadLetterIdOf = (place: number) =>
      deadLetters.find(({ jobId }) => jobId === deadLettered[place]?.id)?.id ?? ''
    return [
      { request: `POST /jobs/${cancelled.id}/cancel`, about: { job_id: cancelled.id } },
      { request: `POST /jobs/${failed.id}/requeue`, about: { job_id: failed.id } },
      {
        request: `POST /dead-letters/${deadLetterIdOf(0)}/requeue`,
        about: { dead_letter_id: deadLetterIdOf(0) },
      },
      { request: `DELETE /dead-letters/${deadLetterIdOf(1)}`, about: { dead_letter_id: deadLetterIdOf(1) } },
      { request: 'POST /dead-letters/requeue', body: { kind: 'test_job' }, about: { jobs: 1 } },
      { request: 'POST /queues/default/pause', about: { queue: 'default' } },
      { request: 'POST /queues/default/resume', about: { queue: 'default' } },
    ]
  }

  test('cancels, requeues, deletions, pauses and resumes', async () => {
    for (const [index, { request, body, about }] of (await told()).entries()) {
      const [method = '', path = ''] = request.split(' ')
      const id = `control-${index}`
      const headers = { 'x-request-id': id, 'content-type': 'application/json' }
      const answer = await api.fetch(path, { method, headers, ...(body && { body: JSON.stringify(body) }) })
      expect([request, answer.status < 300]).toEqual([request, true])
      const line = await eventually(() => infoLines(id)[0])
      expect(line.fields).toMatchObject({
        ...about,
        operation: expect.any(String),
        method,
        status: answer.status,
        client: '127.0.0.1',
      })
    }
  })

  test('what is refused, only counts, or reads leaves none', async () => {
    const id = '01980d3c-7a1e-7c3a-9f52-3b1f6c0de001'
    const requests: readonly (readonly [method: string, path: string, body?: string])[] = [
      ['POST', `/jobs/${id}/cancel`],
      ['POST', '/queues/unknown/pause'],
      ['POST', '/dead-letters/requeue', '{"dry_run":true}'],
      ['GET', '/jobs'],
    ]
    for (const [method, path, body] of requests) {
      const headers = { 'x-request-id': 'quiet', 'content-type': 'application/json' }
      await api.fetch(path, { method, headers, ...(body && { body }) })
    }
    await eventually(() => api.log.filter(({ fields }) => fields['request_id'] === 'quiet').length === 4)
    expect(infoLines('quiet')).toEqual([])
  })
})

describe('a token that is refused leaves a line', () => {
  let guarded: DatabaseApi

  beforeAll(async () => {
    guarded = await startDatabaseApi({ token: 'a-token-of-these-tests' })
  })

  afterAll(() => guarded.close())

  test('with whose it was, without the token, and no more than so many', async () => {
    const headers = { authorization: 'Bearer something-tried' }
    await guarded.fetch('/jobs', { headers: { ...headers, 'x-request-id': 'first' } })
    const lines = () =>
      guarded.log.filter(({ message }) => message === 'a request without a valid credential was refused')
    const first = await eventually(() => lines()[0])
    expect(first).toMatchObject({
      level: 'info',
      fields: { request_id: 'first', method: 'GET', client: '127.0.0.1', given: 'another' },
    })
    await Promise.all(Array.from({ length: 300 }, () => guarded.fetch('/jobs', { headers })))
    expect(lines().length).toBeLessThanOrEqual(60)
    expect(JSON.stringify(guarded.log)).not.toContain('something-tried')
  })
})
