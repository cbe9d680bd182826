import { expect, test } from '@jest/globals'
import { finishJobs, type Lease, databaseOf } from '@queue/core/internal'
import { insertJob } from '@queue/test-database'
import { Reconciler } from '../src/reconcile.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

test('an attempt that ends between the read and the check is neither returned nor reported', async () => {
  const database = databaseOf(world.database.queue)
  const ended = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const unknown = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const atTheCheck: string[] = []
  const reconciler = new Reconciler({
    database,
    logger: world.logger,
    nowMs: () => performance.now(),
    settings: { queryTimeoutMs: 10_000 },
    workerId: () => 'me',
    heldLeases: () => [],
    // Right after the check.
    claimEnded: async () => {
      atTheCheck.push((await world.job(ended.id)).status)
      await finishJobs(database, [{ lease: { jobId: ended.id, token: 1 }, resultText: null, note: null }])
    },
  })
  await reconciler.reconcileLast()
  expect(atTheCheck).toEqual(['running'])
  expect(await world.job(ended.id)).toMatchObject({ status: 'succeeded', attempts: 1 })
  expect(await world.job(unknown.id)).toMatchObject({ status: 'queued', attempts: 0 })
  expect(world.logger.lines.map((line) => line.fields)).toEqual([{ jobs: 1 }])
})

test('the jobs of a claim in flight are returned only if its answer does not arrive', async () => {
  const database = databaseOf(world.database.queue)
  const arrives = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const never = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  const heldLeases: Lease[] = []
  const reconciler = new Reconciler({
    database,
    logger: world.logger,
    nowMs: () => performance.now(),
    settings: { queryTimeoutMs: 10_000 },
    workerId: () => 'me',
    heldLeases: () => heldLeases,
    claimEnded: async () => void heldLeases.push({ jobId: arrives.id, token: 1 }),
  })
  reconciler.suspect()
  await reconciler.reconcile()
  expect(await world.job(arrives.id)).toMatchObject({ status: 'running', attempts: 1 })
  expect(await world.job(never.id)).toMatchObject({ status: 'queued', attempts: 0 })
})

test.each([
  ['a day old', '1 day'],
  ['older than the worker itself', '1 year'],
])(
  'a job that names this worker and that it does not hold is found by the check of each minute, be it %s',
  async (_, age) => {
    const { reconciler, pass } = idle()
    pass(60_000)
    await reconciler.reconcile()
    const { id } = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
    await world.database.pool.query('UPDATE queue.jobs SET locked_at = now() - $1::interval', [age])
    pass(59_999)
    await reconciler.reconcile()
    expect(await world.job(id)).toMatchObject({ status: 'running' })
    pass(1)
    await reconciler.reconcile()
    expect(await world.job(id)).toMatchObject({ status: 'queued', attempts: 0 })
  },
)

test('a worker without failures sends one check a minute', async () => {
  const { reconciler, pass, checks } = idle()
  for (let n = 0; n < 60; n += 1) {
    pass(5_000)
    await reconciler.reconcile()
  }
  expect(checks()).toBe(5)
})

test('after a failed claim, every tick checks as long as the claim may still commit', async () => {
  const { reconciler, pass, checks } = idle()
  reconciler.suspect()
  for (let n = 0; n < 60; n += 1) {
    pass(5_000)
    await reconciler.reconcile()
  }
  expect(checks()).toBe(17 + 4)
})

test('a check that takes two seconds is followed by a pause of 40 seconds, and by smaller checks', async () => {
  const { reconciler, pass, checks } = idle({ tookMs: 2_000 })
  for (let n = 0; n < 120; n += 1) {
    pass(5_000)
    await reconciler.reconcile()
  }
  expect(checks()).toBeGreaterThan(10)
  expect(checks()).toBeLessThanOrEqual(1 + 540 / 40)
})

test('a failed check is repeated', async () => {
  const fault = { error: new Error('no answer') as Error | undefined }
  const { reconciler, pass } = idle(fault)
  const { id } = await insertJob(world.database, { status: 'running', lockedBy: 'me' })
  pass(60_000)
  await expect(reconciler.reconcile()).rejects.toThrow('no answer')
  fault.error = undefined
  await reconciler.reconcile()
  expect(await world.job(id)).toMatchObject({ status: 'queued', attempts: 0 })
})

/**
 * A reconciler of a worker without jobs, with a clock that the test moves. `tookMs` and `error` are the duration and the error of
 * each check.
 */
function idle(each: { readonly tookMs?: number; readonly error?: Error | undefined } = {}) {
  const database = databaseOf(world.database.queue)
  let now = 0
  let checks = 0
  const reconciler = new Reconciler({
    database: {
      ...database,
      run: async <Row>(...[statement, frequency]: Parameters<typeof database.run<Row>>) => {
        const rows = await database.run(statement, frequency)
        const answer = rows.find((row) => typeof row === 'object' && row !== null && 'tookMs' in row)
        if (answer === undefined) return rows
        checks += 1
        if (each.error !== undefined) throw each.error
        return each.tookMs === undefined ? rows : [{ ...answer, tookMs: each.tookMs }]
      },
    },
    logger: world.logger,
    nowMs: () => now,
    settings: { queryTimeoutMs: 10_000 },
    workerId: () => 'me',
    heldLeases: () => [],
    claimEnded: async () => undefined,
  })
  return { reconciler, pass: (ms: number) => void (now += ms), checks: () => checks }
}
