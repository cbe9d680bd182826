import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { createTestDatabase, insertJob, type TestDatabase } from '@queue/testing'
import { z } from 'zod'
import { type FinishedRun, runMigrate } from './run-migrate.ts'

const mail = defineJob({ kind: 'send_mail', payload: z.looseObject({}) })

let database: TestDatabase
beforeAll(async () => {
  database = await createTestDatabase()
  await database.queue.enqueue(mail, {})
  await database.queue.enqueue(mail, {}, { queue: 'bulk' })
  await insertJob(database, { status: 'running', kind: 'send_mail', attempts: 3, maxAttempts: 3 })
})
afterAll(() => database.close())

function run(...args: readonly string[]): Promise<FinishedRun> {
  return runMigrate(['after-restore', ...args], { DATABASE_URL: database.directUrl })
}

const pausedQueues = async (): Promise<string[]> => {
  const { rows } = await database.pool.query<{ name: string }>(
    'SELECT name FROM queue.queues WHERE paused_at IS NOT NULL ORDER BY name',
  )
  return rows.map(({ name }) => name)
}

test('a dry run prints what would be done, as text and as JSON, and changes nothing', async () => {
  const text = await run('--dry-run')
  expect(text).toMatchObject({ code: 0, stderr: '' })
  for (const part of [
    /^queues would be paused: bulk, default; paused before: none$/m,
    /^lease tokens of 3 jobs and 0 dead letters would be raised by 1000000000$/m,
    /^ {2}bulk {5}send_mail {2}1 {4}0 /m,
    /^jobs that were running: 1\. They run again after recovery, except 1 on their last attempt, which become dead letters:$/m,
    / 3 of 3 /,
    /^nothing was changed; to apply this: queue-migrate after-restore --yes$/m,
  ])
    expect(text.stdout).toMatch(part)
  const json = await run('--dry-run', '--json')
  expect(JSON.parse(json.stdout)).toMatchObject({
    schema: 'queue',
    dry_run: true,
    queues: { paused: ['bulk', 'default'], already_paused: [] },
    lease_tokens: { step: 1_000_000_000, jobs: 3, dead_letters: 0 },
    runs_again: {
      waiting: [
        { queue: 'bulk', kind: 'send_mail', due: 1, scheduled: 0, oldest_created_at: expect.any(String) },
        { queue: 'default', kind: 'send_mail', due: 1, scheduled: 0 },
      ],
      running_count: 1,
      exhausted_count: 1,
      running: [{ kind: 'send_mail', attempts: 3, max_attempts: 3, worker_id: expect.any(String) }],
    },
  })
  expect(await pausedQueues()).toEqual([])
})

test('--yes pauses every queue, and --resume resumes one at a time', async () => {
  const applied = await run('--yes')
  expect(applied).toMatchObject({ code: 0, stderr: '' })
  expect(applied.stdout).toMatch(/^queues paused: bulk, default; paused before: none$/m)
  expect(await pausedQueues()).toEqual(['bulk', 'default'])
  const { rows } = await database.pool.query('SELECT min(lease_token)::float8 AS token FROM queue.all_jobs')
  expect(rows).toEqual([{ token: expect.any(Number) }])
  expect((rows[0] as { token: number }).token).toBeGreaterThanOrEqual(1_000_000_000)

  const resumed = await run('--resume', 'bulk')
  expect(resumed).toMatchObject({ code: 0, stdout: 'queue "bulk" is resumed; still paused: default\n' })
  expect(JSON.parse((await run('--resume', 'default', '--json')).stdout)).toEqual({
    schema: 'queue',
    resumed: 'default',
    paused: [],
  })
  expect(await pausedQueues()).toEqual([])
})

test('an unknown queue is named, with exit code 1', async () => {
  const refused = await run('--resume', 'nowhere')
  expect(refused).toMatchObject({ code: 1, stdout: '' })
  expect(refused.stderr).toContain('nowhere')
})

test('a database without the schema is refused with exit code 3', async () => {
  const refused = await runMigrate(['after-restore', '--yes'], {
    DATABASE_URL: database.directUrl,
    QUEUE_SCHEMA: 'not_there',
  })
  expect(refused).toMatchObject({ code: 3, stdout: '' })
  expect(refused.stderr).toContain('run queue-migrate up first')
})
