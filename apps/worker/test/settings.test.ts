import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals'
import type { Job } from '@queue/core'
import { createTestDatabase, eventually, insertJob, type TestDatabase } from '@queue/testing'
import { misbehave } from './programs/misbehave.ts'
import { createWorkerProcesses, type WorkerProcess } from './worker-process.ts'

const workers = createWorkerProcesses()
let database: TestDatabase

beforeAll(async () => {
  database = await createTestDatabase()
})

afterEach(() => workers.killAll())

afterAll(() => database?.close())

function start(env: Readonly<Record<string, string>>): WorkerProcess {
  return workers.start({ main: 'misbehaving', env: { DATABASE_URL: database.urlAs('worker'), ...env } })
}

/** The number of connections to the database that listen. */
async function listeners(): Promise<number> {
  const { rows } = await database.pool.query<{ count: number }>(
    "SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND query ILIKE 'LISTEN%'",
  )
  return rows[0]?.count ?? 0
}

async function runOne(queue: string): Promise<void> {
  const { job } = await database.queue.enqueue(misbehave, { act: 'return' }, { queue })
  await eventually(async () => (await database.queue.get(job.id))?.status === 'succeeded')
}

test('a worker listens by default', async () => {
  start({ WORKER_QUEUES: 'listening' })
  await runOne('listening')
  await eventually(async () => (await listeners()) === 1)
})

test.each<[string, Readonly<Record<string, string>>]>([
  ['WORKER_NOTIFY=off', { WORKER_NOTIFY: 'off' }],
  ['DATABASE_POOLER=transaction', { DATABASE_POOLER: 'transaction' }],
])('with %s it runs jobs without listening', async (_, env) => {
  await eventually(async () => (await listeners()) === 0)
  const worker = start({ WORKER_QUEUES: 'polling', ...env })
  await runOne('polling')
  expect(await listeners()).toBe(0)
  worker.process.kill('SIGTERM')
  expect((await worker.ended).code).toBe(0)
  expect(await listeners()).toBe(0)
})

test('ended jobs are kept for the retention of their outcome, and 0 keeps them forever', async () => {
  const hourMs = 3_600_000
  const ended = (status: Job['status'], hours: number): Promise<Job> => {
    const at = { msFromNow: -hours * hourMs }
    return insertJob(database, { queue: 'ended', status, createdAt: at, runAt: at, finishedAt: at })
  }
  const expired = [await ended('succeeded', 3), await ended('failed_permanent', 30)]
  const retained = [
    await ended('succeeded', 1),
    await ended('failed_permanent', 10),
    await ended('cancelled', 9_000),
  ]
  start({ RETENTION_SUCCEEDED: '2h', RETENTION_FAILED: '1d', RETENTION_CANCELLED: '0' })

  const remaining = (jobs: readonly Job[]) => Promise.all(jobs.map(({ id }) => database.queue.get(id)))
  await eventually(async () => (await remaining(expired)).every((job) => job === undefined))
  expect((await remaining(retained)).map((job) => job?.id)).toStrictEqual(retained.map(({ id }) => id))
})

test('invalid values end the process with exit code 2 and one line per variable', async () => {
  const env = {
    DATABASE_ACQUIRE_TIMEOUT_MS: '-1',
    DATABASE_IDLE_TIMEOUT_MS: 'soon',
    DATABASE_POOLER: 'session',
    RETENTION_SUCCEEDED: '7',
    RETENTION_CANCELLED: 'a week',
    RETENTION_FAILED: '1y',
    WORKER_STALL_MS: '100',
    WORKER_PREFETCH: '1001',
    WORKER_NOTIFY: 'sometimes',
  }
  const { code, stdout, stderr } = await start(env).ended

  expect([code, stdout]).toStrictEqual([2, ''])
  expect(stderr.trimEnd().split('\n')).toStrictEqual(
    Object.entries(env).map(([name, value]) =>
      expect.stringMatching(new RegExp(`^queue-worker: ${name} "${value}" .*; accepted: `)),
    ),
  )
})

test('listening through a pooler in transaction mode is refused with exit code 2 and the reason', async () => {
  const { code, stderr } = await start({ WORKER_NOTIFY: 'on', DATABASE_POOLER: 'transaction' }).ended

  expect(code).toBe(2)
  expect(stderr).toMatch(
    /^queue-worker: WORKER_NOTIFY "on" cannot be on with DATABASE_POOLER=transaction: .*LISTEN/,
  )
})
