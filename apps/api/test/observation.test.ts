import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { eventually } from '@queue/testing'
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
  const startedAtMs = performance.now()
  await api.post('/jobs', email, headers)
  expect(performance.now() - startedAtMs).toBeGreaterThanOrEqual(1_000)
  expect((await lineOf('waits'))['seconds']).toBeLessThan(0.9)
})
