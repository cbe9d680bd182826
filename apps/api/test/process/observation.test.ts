import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { elapsedMs } from '@queue/test-database'
import { eventually } from '@queue/testing'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

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
  // It waits until a second after it came, whatever was done for it before: on a busy machine that takes a part of it.
  expect((await lineOf('waits'))['seconds']).toBeLessThan(waitedSeconds / 2)
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
