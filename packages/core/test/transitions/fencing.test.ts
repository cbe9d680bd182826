import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { endedAttempts, makeDue, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { QueueDatabase } from '../../src/database/connect.ts'
import type { ClaimedJob, Lease } from '../../src/domain/job.ts'
import { listLogs } from '../../src/insight/list-logs.ts'
import { writeLogs } from '../../src/insight/write-logs.ts'
import { cancelRunningJobs } from '../../src/transitions/cancel-running-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import {
  claim,
  deadLettersOfJob,
  historyOf,
  newWorker,
  rowOf,
  rowsOf,
  runningJob,
  runningJobs,
} from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world

const writes = {
  succeed: (db: QueueDatabase, lease: Lease) => finishJobs(db, [{ lease, resultText: '"mine"', note: null }]),
  fail: (db: QueueDatabase, lease: Lease) =>
    retryOrDeadLetterJobs(db, [{ lease, error: 'mine', waitMs: 0, permanent: false }]),
  deadLetter: (db: QueueDatabase, lease: Lease) =>
    retryOrDeadLetterJobs(db, [{ lease, error: 'mine', waitMs: 0, permanent: true }]),
  snooze: (db: QueueDatabase, lease: Lease) => snoozeJobs(db, [{ lease, waitMs: 0 }]),
  release: (db: QueueDatabase, lease: Lease) => releaseJobs(db, [lease]),
  'return unstarted': (db: QueueDatabase, lease: Lease) => returnUnstartedJobs(db, [lease]),
  'cancel observed': (db: QueueDatabase, lease: Lease) => cancelRunningJobs(db, [lease]),
}

const names = Object.keys(writes) as (keyof typeof writes)[]

/** A job with two leases: the stale one of a stalled worker, and the current one of the worker that runs it. */
async function runReclaimedJob(): Promise<{ stale: ClaimedJob; current: ClaimedJob }> {
  const stale = await runningJob(world)
  await stopWorker(database, (await rowOf(world, stale.id)).locked_by as string)
  await recoverJobs(database)
  await makeDue(world)
  const [current] = await claim(world, await newWorker(world))
  if (current === undefined) throw new Error('the job was not claimed again')
  return { stale, current }
}

describe('a stale lease changes nothing of a job that was claimed again', () => {
  test.each(names)('%s', async (name) => {
    const { stale, current } = await runReclaimedJob()
    const [row, history] = [await rowOf(world, stale.id), await historyOf(world, stale.id)]
    const leaseLost = { lease: stale.lease, outcome: 'lease_lost', status: null }
    expect(await writes[name](database, stale.lease)).toEqual([leaseLost])
    expect(await rowOf(world, stale.id)).toEqual({ ...row, run_in_ms: expect.any(Number) })
    expect(await historyOf(world, stale.id)).toEqual(history)
    expect(await deadLettersOfJob(world, stale.id)).toEqual([])
    expect(await writes.succeed(database, current.lease)).toMatchObject([{ outcome: 'finished' }])
  })
})

describe('a lease is over once its job has left it', () => {
  test.each(names)('%s of a job that was recovered and waits is refused', async (name) => {
    const job = await runningJob(world)
    await stopWorker(database, (await rowOf(world, job.id)).locked_by as string)
    await recoverJobs(database)
    expect(await writes[name](database, job.lease)).toMatchObject([{ outcome: 'lease_lost' }])
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'retrying', attempts: 1, result: null })
  })

  test.each(names)('%s does not change a job that has become cancelled', async (name) => {
    const job = await runningJob(world)
    await world.queue.cancel(job.id)
    await stopWorker(database, (await rowOf(world, job.id)).locked_by as string)
    await recoverJobs(database)
    await writes[name](database, job.lease)
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'cancelled', result: null })
  })

  test.each(names)(
    '%s of a job that does not exist, or under a token it never had, is refused',
    async (name) => {
      const job = await runningJob(world)
      const unknown = { jobId: '01900000-0000-7000-8000-000000000000', token: 1 }
      for (const lease of [unknown, { jobId: job.id, token: 2 }, { jobId: job.id, token: 0 }]) {
        expect(await writes[name](database, lease)).toMatchObject([{ outcome: 'lease_lost' }])
      }
      expect(await rowOf(world, job.id)).toMatchObject({ status: 'running', attempts: 1 })
    },
  )
})

describe('a write whose reply was lost may be sent again', () => {
  const recorded = names.filter((name) => name !== 'return unstarted')

  test.each(recorded)('%s answers finished the second time, and changes nothing more', async (name) => {
    const job = await runningJob(world)
    expect(await writes[name](database, job.lease)).toMatchObject([{ outcome: 'finished' }])
    const [row, history] = [await rowOf(world, job.id), await historyOf(world, job.id)]
    expect(await writes[name](database, job.lease)).toEqual([
      { lease: job.lease, outcome: 'finished', status: null },
    ])
    expect(await rowOf(world, job.id)).toEqual({ ...row, run_in_ms: expect.any(Number) })
    expect(await historyOf(world, job.id)).toEqual(history)
  })

  test.each(recorded)('%s answers finished also when the job was claimed again in between', async (name) => {
    const job = await runningJob(world)
    await writes[name](database, job.lease)
    const { status } = await rowOf(world, job.id)
    if (status === 'retrying') {
      await makeDue(world)
      await claim(world, await newWorker(world))
    }
    expect(await writes[name](database, job.lease)).toMatchObject([{ outcome: 'finished' }])
  })

  test('but another outcome than the recorded one is refused', async () => {
    const job = await runningJob(world)
    await writes.succeed(database, job.lease)
    expect(await writes.fail(database, job.lease)).toMatchObject([{ outcome: 'lease_lost' }])
    expect(await writes.release(database, job.lease)).toMatchObject([{ outcome: 'lease_lost' }])
  })
})

describe('in a group', () => {
  test('each job has its own answer whether it still held its lease', async () => {
    const jobs = await runningJobs(world, 3)
    const [first, second, third] = jobs as [ClaimedJob, ClaimedJob, ClaimedJob]
    await writes.release(database, second.lease)
    const group = [third, second, first].map(({ lease }) => ({ lease, resultText: null, note: null }))
    expect(await finishJobs(database, group)).toEqual([
      { lease: third.lease, outcome: 'finished', status: 'succeeded' },
      { lease: second.lease, outcome: 'lease_lost', status: null },
      { lease: first.lease, outcome: 'finished', status: 'succeeded' },
    ])
  })

  test('a lease that appears twice is completed once', async () => {
    const { lease, id } = await runningJob(world)
    const write = { lease, error: 'mine', waitMs: 0, permanent: false }
    expect(await retryOrDeadLetterJobs(database, [write, write])).toMatchObject([
      { outcome: 'finished' },
      { outcome: 'finished' },
    ])
    expect(await historyOf(world, id)).toHaveLength(1)
  })

  test('old and new lease of one job: the old is lost, the new is finished', async () => {
    const { stale, current } = await runReclaimedJob()
    const group = [stale, current].map(({ lease }) => ({ lease, resultText: null, note: null }))
    expect(await finishJobs(database, group)).toMatchObject([
      { outcome: 'lease_lost' },
      { outcome: 'finished' },
    ])
  })

  test('an empty group sends no statement', async () => {
    const withoutStatements = { ...database, run: () => Promise.reject(new Error('a statement was sent')) }
    expect(await finishJobs(withoutStatements, [])).toEqual([])
  })
})

describe('a write that meets another one on its row', () => {
  test('waits for a cancel request in flight, and then lets it win', async () => {
    const job = await runningJob(world)
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('UPDATE queue.jobs SET cancel_requested = true WHERE id = $1', [job.id])
    const failing = writes.fail(database, job.lease)
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    expect(await failing).toMatchObject([{ outcome: 'finished', status: 'cancelled' }])
  })

  test('waits for a recovery in flight, and then has lost its lease', async () => {
    const job = await runningJob(world)
    await stopWorker(database, (await rowOf(world, job.id)).locked_by as string)
    const session = await world.session()
    await session.query('BEGIN')
    await recoverJobs(within(session))
    const finishing = writes.succeed(database, job.lease)
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('COMMIT')
    expect(await finishing).toMatchObject([{ outcome: 'lease_lost' }])
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'retrying', result: null })
  })

  test('waits for a recovery in flight, and then finishes when that is rolled back', async () => {
    const job = await runningJob(world)
    await stopWorker(database, (await rowOf(world, job.id)).locked_by as string)
    const session = await world.session()
    await session.query('BEGIN')
    await recoverJobs(within(session))
    const finishing = writes.succeed(database, job.lease)
    await untilSomeoneWaitsFor(session, await world.session())
    await session.query('ROLLBACK')
    expect(await finishing).toMatchObject([{ outcome: 'finished', status: 'succeeded' }])
  })

  test('never deadlocks with one that takes the rows in another order', async () => {
    const jobs = await runningJobs(world, 200)
    const forward = jobs.map(({ lease }) => ({ lease, resultText: null, note: null }))
    const backward = jobs
      .toReversed()
      .map(({ lease }) => ({ lease, error: 'mine', waitMs: 0, permanent: true }))
    const completions = await Promise.all([
      finishJobs(database, forward),
      retryOrDeadLetterJobs(database, backward),
    ])
    for (const [index] of jobs.entries()) {
      const outcomes = [completions[0][index], completions[1][jobs.length - 1 - index]].map(
        (one) => one?.outcome,
      )
      expect(new Set(outcomes)).toEqual(new Set(['finished', 'lease_lost']))
    }
    const [count] = await world.sql(`SELECT count(*)::int AS executions FROM ${endedAttempts('queue')} AS x`)
    expect(count).toEqual({ executions: jobs.length })
    const ended = await rowsOf(
      world,
      jobs.map((job) => job.id),
    )
    expect(ended.every((row) => row.is_finished_at)).toBe(true)
  })
})

describe('the log of an attempt', () => {
  const logLines = (lease: Lease, ...lineNumbers: number[]) => ({
    lease,
    attempt: 1,
    lines: lineNumbers.map((line) => ({
      line,
      atMs: 1_000 + line,
      level: line % 2 === 0 ? ('warn' as const) : ('info' as const),
      message: `line ${line} of ${lease.token}`,
      fieldsText: line === 1 ? '{"a":1}' : null,
    })),
  })
  const messages = async (id: string, filter?: Parameters<typeof listLogs>[2]) =>
    (await listLogs(database, id, filter))?.lines.map(({ message }) => message)

  test('of a stale lease is not stored, and that of the current one is, once', async () => {
    const { stale, current } = await runReclaimedJob()
    for (const _ of [1, 2])
      await writeLogs(database, [logLines(stale.lease, 1), logLines(current.lease, 1, 2)])
    const token = current.lease.token
    expect(await messages(current.id)).toEqual([`line 1 of ${token}`, `line 2 of ${token}`])
    const [line] = (await listLogs(database, current.id))?.lines ?? []
    expect(line).toEqual({
      jobId: current.id,
      attempt: 1,
      leaseToken: token,
      line: 1,
      at: new Date(1_001),
      level: 'info',
      message: `line 1 of ${token}`,
      fields: { a: 1 },
    })
  })

  test('is still taken when the job has ended, until its next claim', async () => {
    const job = await runningJob(world)
    await writes.fail(database, job.lease)
    await writeLogs(database, [logLines(job.lease, 1)])
    await makeDue(world)
    await claim(world, await newWorker(world))
    await writeLogs(database, [logLines(job.lease, 2)])
    expect(await messages(job.id)).toEqual([`line 1 of ${job.lease.token}`])
  })

  test('is committed before the next claim of the job, or not at all', async () => {
    const job = await runningJob(world)
    await writes.fail(database, job.lease)
    await makeDue(world)
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [job.id])
    const writing = writeLogs(database, [logLines(job.lease, 1)])
    await untilSomeoneWaitsFor(holder, await world.session())
    await holder.query('UPDATE queue.jobs SET lease_token = lease_token + 1 WHERE id = $1', [job.id])
    await holder.query('COMMIT')
    await writing
    expect(await messages(job.id)).toEqual([])
  })

  test('comes in pages, by level, and is kept for as many leases as attempts', async () => {
    const job = await runningJob(world)
    await writeLogs(database, [logLines(job.lease, ...Array.from({ length: 10 }, (_, index) => index + 1))])
    const paged: string[] = []
    let cursor: string | undefined
    do {
      const page = await listLogs(database, job.id, { limit: 3, cursor })
      paged.push(...(page?.lines.map(({ message }) => message) ?? []))
      cursor = page?.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(paged).toEqual(await messages(job.id, { limit: 200 }))
    expect(paged).toHaveLength(10)
    expect(await messages(job.id, { level: 'warn', limit: 2 })).toEqual([2, 4].map((n) => `line ${n} of 1`))
    await world.sql('UPDATE queue.jobs SET lease_token = 101 WHERE id = $1', [job.id])
    await writeLogs(database, [logLines({ jobId: job.id, token: 101 }, 1)])
    expect(await messages(job.id)).toEqual(['line 1 of 101'])
    expect(await listLogs(database, crypto.randomUUID())).toBeUndefined()
    await expect(listLogs(database, job.id, { cursor: 'bm9uZQ' })).rejects.toMatchObject({
      code: 'invalid_cursor',
    })
  })
})
