import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { carryOutOperation } from '../../src/acts/carry-out-operation.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import { smallestJobIdAt } from '../../src/domain/job-id.ts'
import { archivedPayloadBytesMax } from '../../src/domain/limits.ts'
import { writeLogs } from '../../src/insight/write-logs.ts'
import { jobStates } from '../../src/reads/job-states.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { turnEndedDays } from '../../src/transitions/turn-ended-days.ts'
import { claim, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const dayMs = 86_400_000

async function succeed({ lease }: Pick<ClaimedJob, 'lease'>): Promise<void> {
  expect(await finishJobs(database, [{ lease, resultText: '{"done":true}', note: null }])).toMatchObject([
    { outcome: 'finished', status: 'succeeded' },
  ])
}

async function succeeded(options: JobOptions = {}): Promise<ClaimedJob> {
  const job = await runningJob(world, options)
  await succeed(job)
  return job
}

/** In which of the two tables the job is. */
async function placesOf(id: string): Promise<string[]> {
  const rows = await world.sql<{ place: string }>(
    `SELECT 'jobs' AS place FROM queue.jobs WHERE id = $1
      UNION ALL SELECT 'ended_jobs' FROM queue.ended_jobs WHERE id = $1`,
    [id],
  )
  return rows.map(({ place }) => place)
}

describe('a job that succeeds', () => {
  test('leaves jobs with the end of its attempt, and is read as before', async () => {
    const running = await runningJob(world, { metadata: { order: 1 }, tenantId: 'acme', weight: 3 })
    const before = await queue.get(running.id)
    await succeed(running)
    expect(await placesOf(running.id)).toEqual(['ended_jobs'])
    const after = await queue.get(running.id)
    expect(after).toEqual({
      ...before,
      status: 'succeeded',
      result: { done: true },
      lockedAt: null,
      lockedBy: null,
      finishedAt: expect.any(Date),
      updatedAt: expect.any(Date),
    })
    expect((await queue.list({ status: 'succeeded' })).jobs).toEqual([after])
    expect((await queue.list({ tenantId: 'acme' })).jobs).toEqual([after])
    expect((await queue.list({ metadata: { order: 1 } })).jobs).toEqual([after])
    expect(await jobStates(database, [running.id])).toMatchObject([{ status: 'succeeded' }])
    expect(await queue.waitFor(running.id)).toEqual(after)
    expect(await queue.executions(running.id)).toMatchObject([
      { outcome: 'succeeded', attempt: 1, leaseToken: running.lease.token, workerId: before?.lockedBy },
    ])
  })

  test('is recorded once, also when the reply was lost', async () => {
    const job = await succeeded()
    expect(
      await finishJobs(database, [{ lease: job.lease, resultText: '"other"', note: null }]),
    ).toMatchObject([{ outcome: 'finished', status: null }])
    expect((await queue.get(job.id))?.result).toEqual({ done: true })
  })

  test.each([
    ['that has an idempotency key', { idempotencyKey: 'k' }],
    ['that has a unique key', { unique: { key: 'u', scope: 'live' } }],
    ['that is in a lane', { key: 'a' }],
  ] as const)('stays if it is one %s', async (_, options) => {
    expect(await placesOf((await succeeded(options)).id)).toEqual(['jobs'])
  })

  test('stays with a payload that would be written once more', async () => {
    const { job } = await queue.enqueue(probe, 'x'.repeat(2 * archivedPayloadBytesMax))
    const [claimed] = await claim(world, await newWorker(world))
    if (claimed === undefined) throw new Error('a claim gave no job')
    await succeed(claimed)
    expect(await placesOf(job.id)).toEqual(['jobs'])
  })

  test('stays if its day is gone by more than one, or nobody has made it', async () => {
    const [old, early] = [smallestJobIdAt(Date.now() - 2 * dayMs), smallestJobIdAt(Date.now() + 9 * dayMs)]
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload) SELECT i, 'probe', '{}' FROM unnest($1::uuid[]) AS i`,
      [[old, early]],
    )
    for (const job of await claim(world, await newWorker(world))) await succeed(job)
    expect(await placesOf(old)).toEqual(['jobs'])
    expect(await placesOf(early)).toEqual(['jobs'])
  })

  test('takes what its handler has logged, also after its end', async () => {
    const job = await succeeded()
    const line = { line: 1, atMs: Date.now(), level: 'info', message: 'late', fieldsText: null } as const
    await writeLogs(database, [{ lease: job.lease, attempt: 1, lines: [line] }])
    expect((await queue.logs(job.id))?.lines).toMatchObject([{ message: 'late' }])
    const stale = { ...job.lease, token: job.lease.token - 1 }
    await writeLogs(database, [{ lease: stale, attempt: 0, lines: [{ ...line, message: 'stale' }] }])
    expect((await queue.logs(job.id))?.lines).toHaveLength(1)
  })
})

/** The acts on one job, and what each answers about one that has succeeded. */
const acts: Readonly<Record<string, { act: (id: string) => Promise<unknown>; answer: object }>> = {
  cancel: { act: (id) => queue.cancel(id), answer: { outcome: 'already_terminal' } },
  edit: { act: (id) => queue.edit(id, { priority: 1 }), answer: { code: 'invalid_transition' } },
  requeue: { act: (id) => queue.requeue(id), answer: { code: 'invalid_transition' } },
  'run now': { act: (id) => queue.runNow(id), answer: { code: 'invalid_transition' } },
  duplicate: { act: (id) => queue.duplicate(id), answer: { status: 'queued', kind: 'probe' } },
  'cancel in SQL': {
    act: (id) => world.sql('SELECT queue.cancel($1) AS outcome', [id]).then(([row]) => row),
    answer: { outcome: 'already_terminal' },
  },
}

describe('an act on a job that has left jobs', () => {
  test.each(Object.entries(acts))('is answered as before: %s', async (_, { act, answer }) => {
    const job = await succeeded()
    expect(await act(job.id).catch((error: unknown) => error)).toMatchObject(answer)
  })

  test.each(Object.entries(acts))(
    'that has waited for its end is answered alike: %s',
    async (_, { act, answer }) => {
      const job = await runningJob(world)
      const session = await world.session()
      await session.query('BEGIN')
      await finishJobs(within(session), [{ lease: job.lease, resultText: null, note: null }])
      const answered = act(job.id).catch((error: unknown) => error)
      await untilSomeoneWaitsFor(session, await world.session())
      await session.query('COMMIT')
      expect(await answered).toMatchObject(answer)
    },
  )

  test('of lines that were logged while it ended stores them', async () => {
    const job = await runningJob(world)
    const session = await world.session()
    await session.query('BEGIN')
    await finishJobs(within(session), [{ lease: job.lease, resultText: null, note: null }])
    const line = { line: 1, atMs: Date.now(), level: 'info', message: 'last', fieldsText: null } as const
    const written = writeLogs(database, [{ lease: job.lease, attempt: 1, lines: [line] }])
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    await written
    expect((await queue.logs(job.id))?.lines).toMatchObject([{ message: 'last' }])
  })

  test.each(['delete', 'erase'] as const)('that removes it leaves nothing: %s', async (act) => {
    const [job, other] = [await succeeded({ metadata: { order: 1 } }), await succeeded()]
    const line = { line: 1, atMs: Date.now(), level: 'info', message: 'm', fieldsText: null } as const
    await writeLogs(database, [{ lease: job.lease, attempt: 1, lines: [line] }])
    await queue.many[act]({ metadata: { order: 1 } })
    await until(
      'the operation has ended',
      async () => (await carryOutOperation(database))?.state === 'succeeded',
    )
    expect(await placesOf(job.id)).toEqual([])
    expect(await world.sql('SELECT FROM queue.job_metadata')).toEqual([])
    expect(await world.sql('SELECT FROM queue.job_logs')).toEqual([])
    expect(await placesOf(other.id)).toEqual(['ended_jobs'])
  })
})

describe('the days of ended jobs', () => {
  const days = () =>
    world.sql<{ day: string; leaf: boolean }>(
      `SELECT d.day::text, to_regclass('queue.ended_jobs_' || to_char(d.day AT TIME ZONE 'UTC', 'YYYYMMDD')) IS NOT NULL AS leaf
         FROM queue.ended_days AS d ORDER BY d.day`,
    )

  test('are made from yesterday to a week ahead, once by several callers', async () => {
    const before = await days()
    expect(before.every(({ leaf }) => leaf)).toBe(true)
    await world.sql(`DELETE FROM queue.ended_days WHERE day > now()`)
    const gone = before.length - (await days()).length
    expect(gone).toBeGreaterThanOrEqual(7)
    for (const { day } of before.slice(-gone))
      await world.sql(`DROP TABLE queue.ended_jobs_${day.slice(0, 10).replaceAll('-', '')}`)
    await Promise.all(Array.from({ length: 4 }, () => turnEndedDays(database)))
    expect(await days()).toEqual(before)
  })

  test('of the past are dropped once they are empty, and not before', async () => {
    const old = smallestJobIdAt(Date.now() - 3 * dayMs)
    await world.sql(
      `CREATE TABLE queue.ended_jobs_20010101 (LIKE queue.ended_jobs INCLUDING ALL);
       ALTER TABLE queue.ended_jobs ATTACH PARTITION queue.ended_jobs_20010101
         FOR VALUES FROM ('00000000-0000-7000-8000-000000000000') TO ('${smallestJobIdAt(Date.now() - 2 * dayMs)}');
       INSERT INTO queue.ended_days VALUES ('2001-01-01Z', '${smallestJobIdAt(Date.now() - 2 * dayMs)}');
       INSERT INTO queue.ended_jobs (id, lease_token, run_at, created_at, updated_at, finished_at, attempts, max_attempts, priority,
                                     crashes, cancel_requested, queue, kind, payload)
       VALUES ('${old}', 1, now(), now(), now(), now(), 1, 1, 4, 0, false, 'default', 'probe', '{}')`,
    )
    await turnEndedDays(database)
    expect(await placesOf(old)).toEqual(['ended_jobs'])
    await world.sql(`TRUNCATE queue.ended_jobs_20010101`)
    await turnEndedDays(database)
    expect(await world.sql(`SELECT FROM queue.ended_days WHERE day < '2002-01-01'`)).toEqual([])
    expect(await world.sql(`SELECT to_regclass('queue.ended_jobs_20010101') AS leaf`)).toEqual([
      { leaf: null },
    ])
  })

  test('hold up no end while a reader is in its midst', async () => {
    const session = await world.session()
    await session.query('BEGIN; SELECT FROM queue.ended_jobs')
    await turnEndedDays(database)
    const job = await runningJob(world)
    await succeed(job)
    await session.query('ROLLBACK')
    expect(await placesOf(job.id)).toEqual(['ended_jobs'])
  })
})
