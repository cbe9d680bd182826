import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { expireLease, makeDue } from '@queue/dev-postgres'
import { liveWorkerText } from '../../src/database/live-worker.ts'
import type { QueueStats } from '../../src/flow/queue-stats.ts'
import { unservedJobs } from '../../src/insight/unserved-jobs.ts'
import { countKindWorkers } from '../../src/kinds/list-kinds.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { listWorkers } from '../../src/workers/list-workers.ts'
import { pruneWorkers } from '../../src/workers/prune-workers.ts'
import { renewWorkerLease } from '../../src/workers/renew-worker-lease.ts'
import { stopWorker } from '../../src/workers/stop-worker.ts'
import { claim, enqueueProbe, newWorker, probe, rowOf, runningJob } from '../support/builders.ts'
import { committedStatements } from '../support/committed-statements.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database, queue } = world

async function renew(id: string, leaseMs = 30_000): Promise<number> {
  const { text, values } = renewWorkerLease(database, { id, leaseMs })
  const { rowCount } = await database.pool.query(text, values)
  return rowCount ?? -1
}

async function leaseLeftMs(id: string): Promise<number> {
  const [row] = await world.sql<{ left_ms: number }>(
    `SELECT extract(epoch FROM lease_expires_at - now())::float8 * 1000 AS left_ms FROM queue.workers WHERE id = $1`,
    [id],
  )
  return row?.left_ms ?? Number.NaN
}

test('a killed worker counts for nobody once its lease has ended, though nobody has marked it lost', async () => {
  const { job } = await queue.enqueue(probe, {}, { tenantId: 'acme' })
  const id = await newWorker(world, { queues: ['default'] })
  await world.sql(`UPDATE queue.jobs SET run_at = run_at - interval '20 minutes'`)
  const acme = scopeQueue(world.queue, { tenantId: 'acme' })
  const seen = async () => ({
    queues: (await queue.queues()).map(({ workers }) => workers),
    page: (await queue.listQueues()).queues.map(({ workers }) => workers),
    own: (await acme.listQueues()).queues.map(({ workers }) => workers),
    kinds: [...(await countKindWorkers(database, 'probe', [1])).values()],
    attention: (await queue.attention()).map(({ condition }) => condition),
    start: (await queue.expectedStart(job.id))?.unknown,
    why: (await queue.why(job.id))?.reasons.map(({ code }) => code),
    unserved: (await unservedJobs(database)).length,
    states: (await listWorkers(database)).map(({ state }) => state),
  })
  expect(await seen()).toEqual({
    queues: [1],
    page: [1],
    own: [1],
    kinds: [1],
    attention: ['queue_backlog_old'],
    start: 'no_rate',
    why: [],
    unserved: 0,
    states: ['active'],
  })
  await expireLease(world, id)
  expect(await seen()).toEqual({
    queues: [0],
    page: [0],
    own: [0],
    kinds: [0],
    attention: ['queue_unserved', 'workers_lost'],
    start: 'no_worker',
    why: ['no_worker'],
    unserved: 1,
    states: ['lost'],
  })
})

test('every statement that asks whether a worker lives asks for its lease too', () => {
  const ofState = committedStatements().filter(({ text }) =>
    text
      .replaceAll(/\s+/g, ' ')
      .replaceAll(liveWorkerText, '')
      .replaceAll(/CASE WHEN w\.state = 'active' AND NOT \(\)/g, '')
      .includes("= 'active'"),
  )
  const names = ofState.map(({ name }) => name).toSorted()
  // A claim reads the lease beside the state, and the others change the state of the row.
  expect(names.filter((name) => !name.startsWith('claim-jobs.'))).toEqual([
    'recover-jobs',
    'register-worker.withdrawn',
    'renew-worker-lease',
    'stop-worker',
  ])
})

describe('a registration', () => {
  test("gives a lease by the database's clock, and registers new queues", async () => {
    await queue.pause('default')
    const id = await newWorker(world, { queues: ['mail', 'default', 'archive'], leaseMs: 10_000 })
    expect(await leaseLeftMs(id)).toBeGreaterThan(0)
    expect(await leaseLeftMs(id)).toBeLessThanOrEqual(10_000)
    const queues = await queue.queues()
    expect(queues.map(({ name, pausedAt }) => [name, pausedAt === null])).toEqual([
      ['archive', true],
      ['default', false],
      ['mail', true],
    ])
  })

  test('under a used name is refused: a lost worker returns under another', async () => {
    const id = await newWorker(world)
    await expect(newWorker(world, { id })).rejects.toMatchObject({ code: '23505' })
  })

  test('of many workers at once with the same queues in any order never deadlocks', async () => {
    const queues = Array.from({ length: 20 }, (_, n) => `queue-${n}`)
    await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        newWorker(world, { queues: n % 2 ? queues : queues.toReversed() }),
      ),
    )
    expect(await queue.queues()).toHaveLength(21)
  })
})

describe('a renewal', () => {
  test('prolongs the lease of a worker that holds one', async () => {
    const id = await newWorker(world, { leaseMs: 1_000 })
    expect(await renew(id, 60_000)).toBe(1)
    expect(await leaseLeftMs(id)).toBeGreaterThan(50_000)
  })

  test('of a worker whose lease has expired, but that is not marked lost, succeeds', async () => {
    const id = await newWorker(world)
    await expireLease(world, id)
    expect(await renew(id)).toBe(1)
    expect((await recoverJobs(database)).lostWorkers).toEqual([])
  })

  test('is refused for ever once the worker was marked lost, has stopped, or never existed', async () => {
    const lostId = await newWorker(world)
    await expireLease(world, lostId)
    await recoverJobs(database)
    const stopped = await newWorker(world)
    await stopWorker(database, stopped)
    for (const id of [lostId, stopped, 'nobody']) expect(await renew(id)).toBe(0)
    const states = await world.sql('SELECT state FROM queue.workers ORDER BY state')
    expect(states).toEqual([{ state: 'lost' }, { state: 'stopped' }])
  })

  test('in flight keeps a recovery from marking its worker', async () => {
    const id = await newWorker(world)
    await expireLease(world, id)
    const session = await world.session()
    await session.query('BEGIN')
    const { text, values } = renewWorkerLease(database, { id, leaseMs: 30_000 })
    await session.query(text, values)
    expect((await recoverJobs(database)).lostWorkers).toEqual([])
    await session.query('COMMIT')
    expect((await recoverJobs(database)).lostWorkers).toEqual([])
  })
})

test('a worker that was marked lost stays lost when it stops afterwards', async () => {
  const id = await newWorker(world)
  await expireLease(world, id)
  await recoverJobs(database)
  await stopWorker(database, id)
  expect(await world.sql('SELECT state FROM queue.workers')).toEqual([{ state: 'lost' }])
})

describe('the registry', () => {
  test('removes workers that have been gone for long, and no other', async () => {
    const live = await newWorker(world)
    const longGone = await newWorker(world)
    const justGone = await newWorker(world)
    for (const id of [longGone, justGone]) await stopWorker(database, id)
    await world.sql(
      `UPDATE queue.workers SET lease_expires_at = now() - interval '2 days' WHERE id IN ($1, $2)`,
      [longGone, live],
    )
    expect(await pruneWorkers(database)).toBe(1)
    const remaining = await world.sql<{ id: string }>('SELECT id FROM queue.workers')
    expect(new Set(remaining.map((row) => row.id))).toEqual(new Set([live, justGone]))
  })

  test('keeps a worker while a job names it', async () => {
    const job = await runningJob(world)
    const owner = (await rowOf(world, job.id)).locked_by as string
    await stopWorker(database, owner)
    await world.sql(`UPDATE queue.workers SET lease_expires_at = now() - interval '2 days'`)
    expect(await pruneWorkers(database)).toBe(0)
    await recoverJobs(database)
    expect(await pruneWorkers(database)).toBe(1)
  })

  test('shows each worker with its running jobs', async () => {
    const busy = await newWorker(world)
    const idle = await newWorker(world)
    await enqueueProbe(world)
    await claim(world, busy)
    const workers = await queue.workers()
    expect(new Map(workers.map(({ id, running: count }) => [id, count]))).toEqual(
      new Map([
        [busy, 1],
        [idle, 0],
      ]),
    )
    expect(workers[0]).toMatchObject({
      state: 'active',
      queues: ['default'],
      kinds: ['probe'],
      concurrency: 4,
    })
  })
})

test('the queues are shown with their live jobs, and without ended ones', async () => {
  await newWorker(world, { queues: ['mail'] })
  await enqueueProbe(world, { queue: 'mail' })
  await enqueueProbe(world, { queue: 'mail', delayMs: 60_000 })
  await enqueueProbe(world, { queue: 'nobody' })
  const ended = await enqueueProbe(world, { queue: 'mail' })
  await queue.cancel(ended.id)
  await runningJob(world)
  expect(await queue.queues()).toMatchObject([
    { name: 'default', queued: 0, retrying: 0, running: 1, ready: 0, oldestReadySeconds: null, workers: 1 },
    {
      name: 'mail',
      queued: 2,
      running: 0,
      ready: 1,
      newlyReady: 1,
      oldestReadySeconds: expect.any(Number),
      workers: 1,
    },
    { name: 'nobody', queued: 1, running: 0, ready: 1, workers: 0 },
  ])
  await makeDue(world)
  await world.sql(`UPDATE queue.jobs SET run_at = now() - interval '1 hour' WHERE queue = 'nobody'`)
  const [, mail, unserved] = await queue.queues()
  expect(mail).toMatchObject({ ready: 2, newlyReady: 2 })
  expect(mail?.oldestReadySeconds).toBeGreaterThanOrEqual(1)
  expect(unserved).toMatchObject({ ready: 1, newlyReady: 0 })
})

test('pages of queues have every queue, each once, by name', async () => {
  await newWorker(world, { queues: ['worked-1', 'worked-2'] })
  for (let n = 0; n < 23; n += 1) await enqueueProbe(world, { queue: `stranger-${n}` })
  await enqueueProbe(world, { queue: 'worked-2' })
  await runningJob(world)
  const all = await queue.queues()
  expect(all).toHaveLength(26)
  const paged = []
  let cursor: string | undefined
  do {
    const page = await queue.listQueues({ limit: 5, ...(cursor !== undefined && { cursor }) })
    expect(page.queues.length).toBeLessThanOrEqual(5)
    paged.push(...page.queues)
    cursor = page.nextCursor ?? undefined
  } while (cursor !== undefined)
  const withoutAge = (stats: readonly QueueStats[]) =>
    stats.map(({ oldestReadySeconds, ...rest }) => ({ ...rest, isReady: oldestReadySeconds !== null }))
  expect(withoutAge(paged)).toEqual(withoutAge(all))
  expect(all.filter(({ registered: isRegistered }) => isRegistered).map(({ name }) => name)).toEqual([
    'default',
    'worked-1',
    'worked-2',
  ])
  expect((await queue.listQueues({ limit: 26 })).nextCursor).toBeNull()
})

test.each(['', 'AA', '=', 'YQ==', 'é'])('%j is not a cursor of a list of queues', async (cursor) => {
  await expect(queue.listQueues({ cursor })).rejects.toMatchObject({ code: 'invalid_cursor' })
})
