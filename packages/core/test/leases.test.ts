import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { commitIdleMsMax } from '../src/domain/limits.ts'
import { checkLeases } from '../src/reads/check-leases.ts'
import { listOwnLeases } from '../src/reads/list-own-leases.ts'
import { finishInTransaction } from '../src/transitions/finish-in-transaction.ts'
import { recoverJobs } from '../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../src/transitions/release-jobs.ts'
import { reportProgress } from '../src/transitions/report-progress.ts'
import { stopWorker } from '../src/workers/stop-worker.ts'
import { historyOf, rowOf, running, runningJobs } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database, queue } = world

describe('a look at leases', () => {
  test('tells each: held, asked to cancel, or lost, in the order asked', async () => {
    const [held, asked, released] = await runningJobs(world, 3)
    if (held === undefined || asked === undefined || released === undefined) throw new Error('three jobs')
    await queue.cancel(asked.id)
    await releaseJobs(database, [released.lease])
    const stale = { jobId: held.id, token: held.lease.token + 1 }
    expect(await checkLeases(database, [released.lease, held.lease, stale, asked.lease])).toEqual([
      'lost',
      'held',
      'lost',
      'cancel_requested',
    ])
    expect(await checkLeases(database, [])).toEqual([])
  })

  test('at the own ones finds what names this worker and was claimed since, and nothing else', async () => {
    const mine = await running(world)
    const theirs = await running(world)
    const workerId = (await rowOf(world, mine.id)).locked_by as string
    const { leases, nowMs } = await listOwnLeases(database, { workerId, sinceMs: 0 })
    expect(leases).toEqual([mine.lease])
    expect((await listOwnLeases(database, { workerId, sinceMs: nowMs })).leases).toEqual([])
    expect((await listOwnLeases(database, { workerId: 'nobody', sinceMs: 0 })).leases).toEqual([])
    expect(theirs.id).not.toBe(mine.id)
  })
})

describe('progress', () => {
  test('is written by the holder of the lease, and by nobody else', async () => {
    const job = await running(world)
    await reportProgress(database, [{ lease: job.lease, percent: 40, message: 'halfway there' }])
    expect(await queue.get(job.id)).toMatchObject({
      progress: 40,
      progressMessage: 'halfway there',
      status: 'running',
    })
    await reportProgress(database, [{ lease: { ...job.lease, token: 7 }, percent: 99, message: null }])
    expect(await queue.get(job.id)).toMatchObject({ progress: 40 })
  })
})

describe("a finish inside the handler's own transaction", () => {
  beforeEach(async () => {
    await world.sql('CREATE TABLE IF NOT EXISTS effects (job uuid)')
    await world.sql('DELETE FROM effects')
  })

  test.each([
    ['COMMIT', 'succeeded', 1],
    ['ROLLBACK', 'running', 0],
  ])('and its effects happen together: %s', async (...[end, status, effects]) => {
    const job = await running(world)
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('INSERT INTO effects VALUES ($1)', [job.id])
    const target = { transaction: session, schema: 'queue' }
    expect(await finishInTransaction(target, { lease: job.lease, resultText: null, note: null })).toBe(
      'finished',
    )
    await session.query(end)
    expect(await rowOf(world, job.id)).toMatchObject({ status })
    expect(await world.sql('SELECT FROM effects')).toHaveLength(effects)
    expect(await historyOf(world, job.id)).toHaveLength(effects)
  })

  test('holds the job until it ends, so that a recovery cannot take it in between', async () => {
    const job = await running(world)
    await stopWorker(database, (await rowOf(world, job.id)).locked_by as string)
    const session = await world.session()
    await session.query('BEGIN')
    await finishInTransaction(
      { transaction: session, schema: 'queue' },
      { lease: job.lease, resultText: null, note: null },
    )
    expect((await recoverJobs(database)).jobs).toEqual([])
    await session.query('COMMIT')
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded' })
  })

  test('lets the server end a session that falls silent before its COMMIT, and no session after it', async () => {
    const job = await running(world)
    const session = await world.session()
    const idleLimit = async (): Promise<unknown> =>
      (await session.query('SHOW idle_in_transaction_session_timeout')).rows[0]
    const before = await idleLimit()
    await session.query('BEGIN')
    const target = { transaction: session, schema: 'queue' }
    await finishInTransaction(target, { lease: job.lease, resultText: null, note: null })
    expect(await idleLimit()).toEqual({ idle_in_transaction_session_timeout: `${commitIdleMsMax / 1_000}s` })
    await session.query('COMMIT')
    expect(await idleLimit()).toEqual(before)
  })

  test('of a lost lease says so, and the effects can be rolled back', async () => {
    const job = await running(world)
    await releaseJobs(database, [job.lease])
    const session = await world.session()
    await session.query('BEGIN')
    const target = { transaction: session, schema: 'queue' }
    expect(await finishInTransaction(target, { lease: job.lease, resultText: null, note: null })).toBe(
      'lease_lost',
    )
    await session.query('ROLLBACK')
  })
})
