import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { type LeaseState, type LocatedLease, checkLeases } from '../../src/claims/check-leases.ts'
import { type AgeRange, listOwnLeases } from '../../src/claims/list-own-leases.ts'
import { commitIdleMsMax } from '../../src/domain/limits.ts'
import { finishInTransaction } from '../../src/transitions/finish-in-transaction.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { reportProgress } from '../../src/transitions/report-progress.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import {
  claim,
  enqueueProbes,
  historyOf,
  newWorker,
  rowOf,
  runningJob,
  runningJobs,
} from '../support/builders.ts'
import { pagesTouched } from '../support/plans.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database, queue } = world

const statesOf = async (leases: readonly LocatedLease[]): Promise<LeaseState[]> =>
  (await checkLeases(database, leases)).map(({ state }) => state)

async function ctidOf(id: string): Promise<string | undefined> {
  const [row] = await world.sql<{ ctid: string }>('SELECT ctid::text AS ctid FROM queue.jobs WHERE id = $1', [
    id,
  ])
  return row?.ctid
}

describe('a check of leases', () => {
  test('answers for each: held, cancel requested, or lost, in the order of the request', async () => {
    const [heldJob, cancelledJob, releasedJob] = await runningJobs(world, 3)
    if (heldJob === undefined || cancelledJob === undefined || releasedJob === undefined)
      throw new Error('three jobs')
    await queue.cancel(cancelledJob.id)
    await releaseJobs(database, [releasedJob.lease])
    const stale = { ...heldJob, lease: { jobId: heldJob.id, token: heldJob.lease.token + 1 } }
    expect(await statesOf([releasedJob, heldJob, stale, cancelledJob])).toEqual([
      'lost',
      'held',
      'lost',
      'cancel_requested',
    ])
    expect(await checkLeases(database, [])).toEqual([])
  })

  test.each([
    ['its progress was written', 'UPDATE queue.jobs SET progress = 1'],
    ['the table was rewritten', 'VACUUM FULL queue.jobs'],
  ])('finds a job that has moved because %s, and says where it is now', async (_, move) => {
    const job = await runningJob(world)
    await runningJobs(world, 3)
    await world.sql('DELETE FROM queue.jobs WHERE id < $1', [job.id])
    await world.sql(move)
    const [moved] = await checkLeases(database, [job])
    expect(moved).toMatchObject({ state: 'held' })
    expect(moved?.ctid).not.toBe(job.ctid)
    expect(await ctidOf(job.id)).toBe(moved?.ctid)
    await queue.cancel(job.id)
    expect(await statesOf([{ lease: job.lease, ctid: moved?.ctid ?? '' }])).toEqual(['cancel_requested'])
  })

  test('is not misled by another row at the same ctid', async () => {
    const [first, second] = await runningJobs(world, 2)
    if (first === undefined || second === undefined) throw new Error('two jobs')
    await releaseJobs(database, [second.lease])
    expect(
      await statesOf([
        { lease: first.lease, ctid: second.ctid },
        { lease: second.lease, ctid: first.ctid },
      ]),
    ).toEqual(['held', 'lost'])
  })
})

describe("a list of the worker's own leases", () => {
  const anyAge = { fromAgeMs: 0, toAgeMs: Number.POSITIVE_INFINITY }

  async function listJobIds(workerId: string, ages: AgeRange): Promise<string[]> {
    const { leases } = await listOwnLeases(database, { workerId, ...ages })
    return leases.map(({ jobId }) => jobId)
  }

  test('has the running jobs of this worker, and no others', async () => {
    const ownJob = await runningJob(world)
    const otherJob = await runningJob(world)
    const ended = await runningJob(world)
    await releaseJobs(database, [ended.lease])
    const { locked_by: workerId } = await rowOf(world, ownJob.id)
    const ownLeases = await listOwnLeases(database, { workerId: workerId as string, ...anyAge })
    expect(ownLeases).toEqual({ leases: [ownJob.lease], tookMs: expect.any(Number) })
    expect(ownLeases.tookMs).toBeGreaterThanOrEqual(0)
    expect(await listJobIds('nobody', anyAge)).toEqual([])
    expect(otherJob.id).not.toBe(ownJob.id)
  })

  test('has those of an age, counted from their claim', async () => {
    const [young, old, ancient] = await runningJobs(world, 3)
    if (young === undefined || old === undefined || ancient === undefined) throw new Error('three jobs')
    const { locked_by: workerId } = await rowOf(world, young.id)
    const age = (id: string, ago: string) =>
      world.sql(`UPDATE queue.jobs SET locked_at = now() - $2::interval WHERE id = $1`, [id, ago])
    await age(young.id, '-1 second')
    await age(old.id, '1 hour')
    await age(ancient.id, '100 years')
    const idsByAge = (fromAgeMs: number, toAgeMs: number) =>
      listJobIds(workerId as string, { fromAgeMs, toAgeMs })
    expect(await idsByAge(0, 60_000)).toEqual([young.id])
    expect(await idsByAge(60_000, 7_200_000)).toEqual([old.id])
    expect(await idsByAge(7_200_000, Number.POSITIVE_INFINITY)).toEqual([ancient.id])
    expect((await idsByAge(0, Number.POSITIVE_INFINITY)).toSorted()).toEqual(
      [young.id, old.id, ancient.id].toSorted(),
    )
  })

  test('reads no index entries of other ages, however many dead ones there are', async () => {
    const workerId = await newWorker(world)
    await enqueueProbes(world, 1_000)
    const snapshot = await world.session()
    await snapshot.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await snapshot.query('SELECT FROM queue.all_jobs')
    for (let n = 0; n < 3; n += 1) {
      const jobs = await claim(world, workerId)
      const leases = jobs.map(({ lease }) => lease)
      await returnUnstartedJobs(database, leases)
    }
    const client = await world.session()
    const pagesOf = (ages: AgeRange) =>
      pagesTouched(client, world.database, (db) => listOwnLeases(db, { workerId, ...ages }))
    expect(await pagesOf(anyAge)).toBeGreaterThan(50)
    expect(await pagesOf({ fromAgeMs: 3_600_000, toAgeMs: Number.POSITIVE_INFINITY })).toBeLessThan(10)
  })
})

describe('progress', () => {
  test('is written only by the holder of the lease', async () => {
    const job = await runningJob(world)
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
    const job = await runningJob(world)
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
    const job = await runningJob(world)
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
    const job = await runningJob(world)
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

  test('of a lost lease reports that, and the effects can be rolled back', async () => {
    const job = await runningJob(world)
    await releaseJobs(database, [job.lease])
    const session = await world.session()
    await session.query('BEGIN')
    const target = { transaction: session, schema: 'queue' }
    expect(await finishInTransaction(target, { lease: job.lease, resultText: null, note: null })).toBe(
      'lease_lost',
    )
    await session.query('ROLLBACK')
  })

  test('of an attempt that has succeeded without it is a lost lease, and not a reply that was lost', async () => {
    const job = await runningJob(world)
    const write = { lease: job.lease, resultText: '"theirs"', note: null }
    await finishJobs(database, [write])
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('INSERT INTO effects VALUES ($1)', [job.id])
    const target = { transaction: session, schema: 'queue' }
    expect(await finishInTransaction(target, { ...write, resultText: '"ours"' })).toBe('lease_lost')
    await session.query('ROLLBACK')
    expect(await rowOf(world, job.id)).toMatchObject({ status: 'succeeded', result: '"theirs"' })
  })
})
