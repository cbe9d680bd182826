import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { assertInvariants, insertJob, insertWorker } from '@queue/testing'
import { email } from '../support/requests.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

describe('cancel', () => {
  test.each(['queued', 'retrying'] as const)(
    'of a %s job is a 200, and the job is cancelled',
    async (status) => {
      const { id } = await insertJob(api.database, { status, attempts: status === 'queued' ? 0 : 1 })
      const answer = await api.post(`/jobs/${id}/cancel`)
      expect(answer).toMatchObject({ status: 200, body: { id, status: 'cancelled', cancel_requested: true } })
      expect(answer.body.finished_at).not.toBeNull()
      await assertInvariants(api.database)
    },
  )

  test('of a running job is a 202, however often it is asked, and the job runs on', async () => {
    const worker = await insertWorker(api.database)
    const { id } = await insertJob(api.database, { status: 'running', lockedBy: worker })
    for (const _ of [1, 2]) {
      const answer = await api.post(`/jobs/${id}/cancel`)
      expect(answer).toMatchObject({ status: 202, body: { id, status: 'running', cancel_requested: true } })
    }
  })

  test.each(['succeeded', 'failed_permanent', 'cancelled'] as const)(
    'of a job that has %s is a 409 that says so, and changes nothing',
    async (status) => {
      const { id } = await insertJob(api.database, { status })
      const before = await api.fetch(`/jobs/${id}`)
      const answer = await api.post(`/jobs/${id}/cancel`)
      expect(answer).toMatchObject({ status: 409, body: { error: 'invalid_transition', job_status: status } })
      expect((await api.fetch(`/jobs/${id}`)).body).toEqual(before.body)
    },
  )

  test('has one winner', async () => {
    const { body } = await api.post('/jobs', email)
    const answers = await Promise.all(Array.from({ length: 8 }, () => api.post(`/jobs/${body.id}/cancel`)))
    expect(answers.filter(({ status }) => status === 200)).toHaveLength(1)
    expect(answers.filter(({ status }) => status === 409)).toHaveLength(7)
  })

  test('ignores a body, of whatever type', async () => {
    const { body } = await api.post('/jobs', email)
    const answer = await api.post(`/jobs/${body.id}/cancel`, 'not JSON', { 'content-type': 'text/plain' })
    expect(answer.status).toBe(200)
  })
})

describe('requeue', () => {
  test.each(['failed_permanent', 'cancelled'] as const)(
    'of a %s job is a 200, and it begins anew',
    async (status) => {
      const { id } = await insertJob(api.database, { status })
      const answer = await api.post(`/jobs/${id}/requeue`)
      expect(answer).toMatchObject({
        status: 200,
        body: { id, status: 'queued', attempts: 0, cancel_requested: false },
      })
      expect(answer.body.finished_at).toBeNull()
      await assertInvariants(api.database)
    },
  )

  test.each(['queued', 'running', 'retrying', 'succeeded'] as const)(
    'of a %s job is a 409',
    async (status) => {
      const { id } = await insertJob(api.database, { status })
      const answer = await api.post(`/jobs/${id}/requeue`)
      expect(answer).toMatchObject({ status: 409, body: { error: 'invalid_transition', job_status: status } })
    },
  )
})
