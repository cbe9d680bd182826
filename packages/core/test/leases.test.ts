import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { commitIdleMsMax } from '../src/domain/limits.ts'
import { checkLeases, type LeaseState, type PlacedLease } from '../src/reads/check-leases.ts'
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

const statesOf = async (leases: readonly PlacedLease[]): Promise<LeaseState[]> =>
  (await checkLeases(database, leases)).map(({ state }) => state)

async function placeOf(id: string): Promise<string | undefined> {
  const [row] = await world.sql<{ place: string }>(
    'SELECT ctid::text AS place FROM queue.jobs WHERE id = $1',
    [id],
  )
  return row?.place
}

describe('a look at leases', () => {
  test('tells each: held, asked to cancel, or lost, in the order asked', async () => {
    const [held, asked, released] = await runningJobs(world, 3)
    if (held === undefined || asked === undefined || released === undefined) throw new Error('three jobs')
    await queue.cancel(asked.id)
    await releaseJobs(database, [released.lease])
    const stale = { ...held, lease: { jobId: held.id, token: held.lease.token + 1 } }
    expect(await statesOf([released, held, stale, asked])).toEqual([
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
    const job = await running(world)
    await runningJobs(world, 3)
    await world.sql('DELETE FROM queue.jobs WHERE id < $1', [job.id])
    await world.sql(move)
    const [moved] = await checkLeases(database, [job])
    expect(moved).toMatchObject({ state: 'held' })
    expect(moved?.place).not.toBe(job.place)
    expect(await placeOf(job.id)).toBe(moved?.place)
    await queue.cancel(job.id)
    expect(await statesOf([{ lease: job.lease, place: moved?.place ?? '' }])).toEqual(['cancel_requested'])
  })

  test('is not led astray by another row in the place of its own', async () => {
    const [first, second] = await runningJobs(world, 2)
    if (first === undefined || second === undefined) throw new Error('two jobs')
    await releaseJobs(database, [second.lease])
    expect(
      await statesOf([
        { lease: first.lease, place: second.place },
        { lease: second.lease, place: first.place },
      ]),
    ).toEqual(['held', 'lost'])
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
