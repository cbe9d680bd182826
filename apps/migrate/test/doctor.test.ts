import { readFile } from 'node:fs/promises'
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { outboxChecks } from '@queue/admin'
import { createTestDatabase, insertJob, insertWorker, type TestDatabase } from '@queue/testing'
import { runMigrate } from './run-migrate.ts'

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await insertWorker(database)
})
afterAll(() => database.close())

test('a failure is reported with its cure, as text or JSON, and the exit code is 1', async () => {
  await insertJob(database, { status: 'running', lockedBy: 'nobody', lockedAt: { msFromNow: -7_200_000 } })
  const report = await runMigrate(['doctor'], { DATABASE_URL: database.url })
  expect(report).toMatchObject({ code: 1, stderr: '' })
  expect(report.stdout).toMatch(
    /^FAILURE {2}orphaned_jobs +1 job running without an active worker, the oldest claimed 2 h ago.*\n +→ start a worker/m,
  )
  expect(report.stdout).toMatch(/^ok +indexes +all \d+ exist and are valid\n/m)
  expect(report.stdout.trimEnd().split('\n').at(-1)).toBe('schema "queue": failure')

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

test('an outbox in the same database is also checked, and a configured outbox must exist', async () => {
  const env = { DATABASE_URL: database.url }
  const findings = async (more: Readonly<Record<string, string>> = {}) => {
    const { stdout } = await runMigrate(['doctor', '--json'], { ...env, ...more })
    const { checks } = JSON.parse(stdout) as { checks: { check: string; status: string; message: string }[] }
    return checks.filter(({ check }) => check.startsWith('outbox_'))
  }
  expect(await findings()).toEqual([])
  expect(await findings({ OUTBOX_DATABASE_URL: database.url })).toMatchObject([
    { check: 'outbox_schema_version', status: 'failure', message: 'the outbox does not exist' },
    { check: 'outbox_publications', status: 'skipped' },
    { check: 'outbox_messages', status: 'skipped' },
    { check: 'outbox_dead_letters', status: 'skipped' },
  ])
  await runMigrate(['outbox', 'up'], env)
  expect((await findings()).map(({ status }) => status)).toEqual(['ok', 'ok', 'ok', 'ok'])
  await database.pool.query(
    `INSERT INTO outbox.outbox_messages (id, topic, payload, created_at)
     VALUES (gen_random_uuid(), 'order.placed', '{}', now() - interval '13 minutes')`,
  )
  await database.pool.query(
    `INSERT INTO outbox.outbox_dead_letters
     SELECT dead_letter.* FROM outbox.outbox_messages AS m, jsonb_populate_record(NULL::outbox.outbox_dead_letters,
       to_jsonb(m) || jsonb_build_object('reason', 'exhausted', 'dead_lettered_at', now(), 'history', '[]'::jsonb)) AS dead_letter`,
  )
  expect(await findings()).toMatchObject([
    { status: 'ok' },
    { status: 'ok' },
    { status: 'warning', message: '1 message of topic order.placed waiting, the oldest for 13 min' },
    { status: 'warning', message: '1 of topic order.placed' },
  ])
})

test('every check of an outbox is in docs/doctor.md with its cure', async () => {
  const page = await readFile(new URL('../../../docs/doctor.md', import.meta.url), 'utf8')
  const documented = [...page.matchAll(/^\| `(outbox_[a-z_]+)` \| [^|]+ \| [^|]+ \|$/gm)].map(
    ([, name]) => name,
  )
  expect(documented).toEqual(Object.keys(outboxChecks))
})
