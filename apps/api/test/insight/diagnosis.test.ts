import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createQueue } from '@queue/core'
import { databaseOf } from '@queue/core/internal'
import { insertJob } from '@queue/testing'
import { createDiagnose } from '../../src/diagnoses.ts'
import { diagnosisKeptMs } from '../../src/http/limits.ts'
import { type DatabaseApi, startDatabaseApi } from '../support/start-api.ts'

let api: DatabaseApi

beforeAll(async () => {
  api = await startDatabaseApi()
})

afterAll(() => api.close())

interface Finding {
  readonly check: string
  readonly status: string
  readonly cure: string | null
}

test('failures stand first, each with what to do; what the role of the API may not read is not called well', async () => {
  const lockedAt = { msFromNow: -7_200_000 }
  await insertJob(api.database, { status: 'running', lockedBy: 'nobody', lockedAt })
  const { status, body } = await api.fetch('/diagnosis')
  expect(status).toBe(200)
  expect(body).toMatchObject({ schema: 'queue', status: 'failure' })
  const { findings } = body as unknown as { readonly findings: readonly Finding[] }
  expect(findings.find(({ check }) => check === 'orphaned_jobs')).toMatchObject({
    status: 'failure',
    cure: expect.stringContaining('start a worker'),
  })
  const statusOrder = ['failure', 'warning', 'not_permitted', 'skipped', 'ok']
  const ranks = findings.map((finding) => statusOrder.indexOf(finding.status))
  expect(ranks).toEqual(ranks.toSorted((a, b) => a - b))
  for (const finding of findings)
    expect([finding.check, finding.cure === null]).toEqual([finding.check, finding.status === 'ok'])
  // The owner has a session here, which the role of an API cannot see into.
  expect(findings.find(({ check }) => check === 'long_transactions')).toMatchObject({
    status: 'not_permitted',
  })
})

test('whoever asks within ten seconds is given the same diagnosis, also while it is made', async () => {
  let nowMs = Date.now()
  const diagnose = createDiagnose({ database: databaseOf(api.queue), nowMs: () => nowMs })
  const [first, second] = await Promise.all([diagnose(), diagnose()])
  expect(second).toBe(first)
  nowMs += diagnosisKeptMs - 1
  expect(await diagnose()).toBe(first)
  nowMs += 1
  expect((await diagnose()).checkedAtMs).toBe(nowMs)
})

test('a diagnosis that failed is kept for nobody, and leaves no connection behind', async () => {
  const queue = createQueue({ connectionString: 'postgres://nobody@127.0.0.1:1/none' })
  const diagnose = createDiagnose({ database: databaseOf(queue), nowMs: () => 0 })
  const [first, second] = [diagnose(), diagnose()]
  expect(second).toBe(first)
  await expect(first).rejects.toThrow()
  expect(diagnose()).not.toBe(first)
  await queue.close()
})
