import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'
import { email } from '../support/requests.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

const patch = (id: unknown, body: object, headers: Record<string, string>) =>
  api.fetch(`/jobs/${String(id)}`, {
    method: 'PATCH',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })

test('an edit goes by the ETag of the job, checks the payload by its kind, and says what was there', async () => {
  const { body: job } = await api.post('/jobs', { ...email, run_at: '2999-01-01T00:00:00Z' })
  const etag = (await api.fetch(`/jobs/${job.id}`)).headers.get('etag') ?? ''
  expect(await patch(job.id, { priority: 1 }, {})).toMatchObject({ status: 428 })
  const edited = await patch(
    job.id,
    { priority: 1, weight: 5, payload: { ...email.payload, subject: 'New' } },
    { 'if-match': etag },
  )
  expect(edited).toMatchObject({
    status: 200,
    body: {
      job: { id: job.id, priority: 1, weight: 5, payload: { subject: 'New' } },
      previous: { priority: 4, weight: 1, payload: email.payload, kind_version: 1 },
    },
  })
  expect((await api.fetch(`/jobs/${job.id}`)).headers.get('etag')).toBe(edited.headers.get('etag'))
  const late = await patch(job.id, { priority: 2 }, { 'if-match': etag })
  expect(late).toMatchObject({ status: 412, body: { error: 'job_changed' } })
  const any = { 'if-match': '*' }
  expect(await patch(job.id, { payload: { to: 1 } }, any)).toMatchObject({ status: 422 })
  const masked = { payload: { ...email.payload, body: '***' } }
  expect(await patch(job.id, masked, any)).toMatchObject({
    status: 422,
    body: { issues: [{ path: '/payload' }] },
  })
  expect(await api.fetch(`/jobs/${job.id}/run-now`, { method: 'POST' })).toMatchObject({ status: 200 })
  expect(await api.fetch(`/jobs/${job.id}/duplicate`, { method: 'POST' })).toMatchObject({ status: 201 })
  await api.fetch(`/jobs/${job.id}/cancel`, { method: 'POST' })
  expect(await patch(job.id, { priority: 3 }, any)).toMatchObject({
    status: 409,
    body: { error: 'invalid_transition', job_status: 'cancelled' },
  })
  expect(await api.post('/jobs/states', { ids: [job.id] })).toMatchObject({
    body: { data: [{ id: job.id, status: 'cancelled' }] },
  })
})

test('a version without a payload keeps the payload of an edit beside it, with If-Match: * too', async () => {
  for (let round = 1; round <= 30; round += 1) {
    const { body: job } = await api.post('/jobs', { ...email, delay_ms: 3_600_000 })
    const payload = { ...email.payload, subject: `Round ${round}` }
    const any = { 'if-match': '*' }
    const answers = await Promise.all([
      patch(job.id, { payload }, any),
      patch(job.id, { version: 1 }, any),
      patch(job.id, { version: 1, priority: 7 }, any),
    ])
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
    expect((await api.fetch(`/jobs/${job.id}`)).body).toMatchObject({ payload, priority: 7 })
  }
})
