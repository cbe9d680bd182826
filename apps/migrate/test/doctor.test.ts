import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { createTestDatabase, insertJob, insertWorker, type TestDatabase } from '@queue/testing'
import { runMigrate } from './run-migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await insertWorker(database)
})
afterAll(() => database.close())

test('a failure is told with its cure, and ends with 1; a program gets the same as JSON', async () => {
  await insertJob(database, { status: 'running', lockedBy: 'nobody', lockedAt: { msFromNow: -7_200_000 } })
  const told = await runMigrate(['doctor'], { DATABASE_URL: database.url })
  expect(told).toMatchObject({ code: 1, stderr: '' })
  expect(told.stdout).toMatch(
    /^FAILURE {2}orphaned_jobs +1 job running without an active worker, the oldest claimed 2 h ago.*\n +→ start a worker/m,
  )
  expect(told.stdout).toMatch(/^ok +indexes +all \d+ are there and valid\n/m)
  expect(told.stdout.trimEnd().split('\n').at(-1)).toBe('schema "queue": failure')

  const document = await runMigrate(['doctor', '--json'], { DATABASE_URL: database.urlAs('readonly') })
  expect(document).toMatchObject({ code: 1, stderr: '' })
  const { checks, ...whole } = JSON.parse(document.stdout) as { checks: Record<string, unknown>[] }
  expect(whole).toEqual({ version: 1, schema: 'queue', status: 'failure' })
  for (const check of checks) {
    expect(check).toEqual({
      check: expect.stringMatching(/^[a-z_]+$/),
      status: expect.stringMatching(/^(ok|warning|failure|not_permitted|skipped)$/),
      message: expect.any(String),
      cure: check['status'] === 'ok' ? null : expect.any(String),
      details: expect.any(Object),
    })
  }
  expect(checks.find(({ check }) => check === 'orphaned_jobs')).toMatchObject({
    status: 'failure',
    details: { jobs: 1 },
  })
})
