import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { queueKeyCountMax, queueKeysMax, queueKeysReadMax } from '../../src/domain/limits.ts'
import { type QueueKey, queueKeys } from '../../src/flow/queue-keys.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { tenantDatabase } from '../../src/tenants/tenant-queues.ts'
import { claim, enqueueProbes, newWorker } from '../support/builders.ts'
import { rowsRead } from '../support/plans.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const countsOf = (keys: readonly QueueKey[]) =>
  keys.map(({ key, waiting, running }) => [key, waiting, running])

/** Inserts `count` waiting jobs by SQL, with keys from an expression of `n`. */
async function insertWaiting(count: number, key: string): Promise<void> {
  await world.sql(
    `INSERT INTO queue.jobs (id, queue, kind, payload, key, run_at)
     SELECT gen_random_uuid(), 'default', 'probe', to_jsonb(repeat('x', 400)), ${key}, now() - n * interval '1 second'
       FROM generate_series(1, $1::int) AS n`,
    [count],
  )
}

describe('the keys of a queue', () => {
  test('are listed with the most waiting jobs first, and with their running jobs', async () => {
    await enqueueProbes(world, 2, { key: 'some' })
    await enqueueProbes(world, 5, { key: 'many' })
    await claim(world, await newWorker(world), { limit: 3 })
    await enqueueProbes(world, 3, { key: 'none-runs' })
    await enqueueProbes(world, 4)
    await enqueueProbes(world, 9, { key: 'many', queue: 'another' })
    const { keys, isComplete } = await queue.queueKeys('default')
    expect(isComplete).toBe(true)
    expect(keys.reduce((sum, { waiting }) => sum + waiting, 0)).toBe(7)
    expect(keys.reduce((sum, { running }) => sum + running, 0)).toBe(3)
    const waiting = keys.map((key) => key.waiting)
    expect(waiting).toEqual(waiting.toSorted((a, b) => b - a))
    expect(keys.map(({ key }) => key).toSorted()).toEqual(['many', 'none-runs', 'some'])
  })

  test('have the age of their oldest due job', async () => {
    await enqueueProbes(world, 2, { key: 'due' })
    await enqueueProbes(world, 1, { key: 'later', delayMs: 60_000 })
    await world.sql(
      `UPDATE queue.jobs SET run_at = now() + CASE WHEN payload = '{"n": 0}' THEN -60 ELSE 60 END * interval '1 second'
        WHERE key = 'due'`,
    )
    const { keys } = await queue.queueKeys('default')
    const oldest = Object.fromEntries(keys.map((key) => [key.key, key.oldestReadySeconds]))
    expect(oldest['due']).toBeGreaterThanOrEqual(55)
    expect(oldest['due']).toBeLessThan(600)
    expect(oldest['later']).toBeNull()
  })

  test('of two tenants are two keys, even with the same text', async () => {
    await enqueueProbes(world, 2, { key: 'k', tenantId: 'acme' })
    await enqueueProbes(world, 1, { key: 'k', tenantId: 'other' })
    await enqueueProbes(world, 3, { key: 'k' })
    const { keys } = await queue.queueKeys('default')
    expect(keys.map(({ tenantId, waiting }) => [tenantId, waiting])).toEqual([
      [null, 3],
      ['acme', 2],
      ['other', 1],
    ])
  })

  test.each(['never used', 'no\u0000text', '\ud800'])('are empty for the queue %j', async (name) => {
    await expect(queue.queueKeys(name)).resolves.toEqual({ keys: [], isComplete: true })
  })

  test('are as many as requested', async () => {
    for (const key of ['a', 'b', 'c']) await enqueueProbes(world, 1, { key })
    expect(countsOf((await queue.queueKeys('default', { limit: 2 })).keys)).toEqual([
      ['a', 1, 0],
      ['b', 1, 0],
    ])
    for (const limit of [0, queueKeysMax + 1, 1.5]) {
      await expect(queue.queueKeys('default', { limit })).rejects.toMatchObject({ code: 'invalid_options' })
    }
  })
})

describe('a key shows of its limits', () => {
  const stateOf = async (name: string): Promise<QueueKey | undefined> =>
    (await queue.queueKeys('default')).keys.find((key) => key.key === name)

  test('that they let its jobs start', async () => {
    await enqueueProbes(world, 1, { key: 'a' })
    expect(await stateOf('a')).toMatchObject({
      state: 'open',
      pausedAt: null,
      maxRunning: null,
      rateOpensAt: null,
      isOrdered: false,
      hasLimit: false,
    })
  })

  test('that its own limit pauses it, whatever the limit of each key', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', paused: true })
    await enqueueProbes(world, 1, { key: 'a' })
    await enqueueProbes(world, 1, { key: 'b' })
    expect(await stateOf('a')).toMatchObject({ state: 'paused', maxRunning: 2, hasLimit: true })
    expect((await stateOf('a'))?.pausedAt?.getTime()).toBeLessThanOrEqual(Date.now() + 1_000)
    expect(await stateOf('b')).toMatchObject({ state: 'open', maxRunning: 2, hasLimit: false })
  })

  test('that as many jobs run as allowed', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await enqueueProbes(world, 5, { key: 'a' })
    await claim(world, await newWorker(world))
    expect(await stateOf('a')).toMatchObject({ state: 'full', waiting: 3, running: 2, maxRunning: 2 })
  })

  test('that its rate is spent, and until when', async () => {
    await queue.limits.set({
      queue: 'default',
      scope: 'key',
      name: 'a',
      rate: { count: 1, perMs: 3_600_000, burst: 1 },
    })
    await enqueueProbes(world, 2, { key: 'a' })
    await claim(world, await newWorker(world))
    const a = await stateOf('a')
    expect(a).toMatchObject({ state: 'rate_spent', waiting: 1, running: 1 })
    expect(a?.rateOpensAt?.getTime()).toBeGreaterThan(Date.now() + 60_000)
  })

  test('that its jobs start one after the other', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', ordered: {} })
    await enqueueProbes(world, 2, { key: 'a' })
    await claim(world, await newWorker(world))
    expect(await stateOf('a')).toMatchObject({ state: 'full', maxRunning: 1, running: 1, isOrdered: true })
  })
})

describe('with more waiting jobs than are counted', () => {
  const noisyCount = 6_000

  test('the key with the most jobs comes first, with an estimated count', async () => {
    await insertWaiting(
      queueKeysReadMax + noisyCount,
      `CASE WHEN n <= ${noisyCount} THEN 'zz-noisy' ELSE 'k' || n END`,
    )
    const { keys, isComplete } = await queue.queueKeys('default', { limit: 5 })
    expect(isComplete).toBe(false)
    expect(keys).toHaveLength(5)
    expect(keys[0]).toMatchObject({ key: 'zz-noisy', waiting: queueKeyCountMax, waitingIsLeast: true })
    const estimate = keys[0]?.waitingEstimate ?? 0
    expect(estimate).toBeGreaterThan(noisyCount / 2)
    expect(estimate).toBeLessThan(noisyCount * 2)
    expect(keys[1]).toMatchObject({ waiting: 1, waitingIsLeast: false, waitingEstimate: null })
  })

  test('a key with running jobs is listed even if the sample has none of its jobs', async () => {
    await enqueueProbes(world, 2, { key: 'zz-runs' })
    await claim(world, await newWorker(world))
    await insertWaiting(queueKeysReadMax + 1, `'k' || n % 3`)
    expect(countsOf((await queue.queueKeys('default')).keys)).toContainEqual(['zz-runs', 0, 2])
  })

  test('a tenant behind its views gets the counts among its first jobs', async () => {
    await insertWaiting(queueKeysReadMax + 1, `'k' || n % 3`)
    await world.sql(`UPDATE queue.jobs SET tenant_id = 'acme'`)
    await enqueueProbes(world, 1, { key: 'foreign', tenantId: 'other' })
    const behindViews = tenantDatabase(
      world.database,
      { tenantId: 'acme' },
      { checkRole: async () => undefined },
    )
    const { keys, isComplete } = await queueKeys(behindViews, 'default')
    expect(isComplete).toBe(false)
    expect(keys.map(({ key }) => key).toSorted()).toEqual(['k0', 'k1', 'k2'])
    expect(keys[0]).toMatchObject({ waiting: queueKeyCountMax, waitingIsLeast: true, waitingEstimate: null })
  })

  test('the number of rows read does not grow with the number of jobs', async () => {
    await insertWaiting(60_000, `CASE WHEN n % 2 = 0 THEN 'noisy' ELSE 'k' || n END`)
    await world.sql('VACUUM ANALYZE queue.jobs')
    const client = await world.session()
    const first = { key: 'k1', tenant_id: '', waiting: 1, limited: null, has_more: true }
    const read = await rowsRead(client, world.database, (database) =>
      queueKeys(
        { ...database, run: async (statement) => [...(await database.run(statement)), first] as never },
        'default',
      ),
    )
    expect(read).toBeLessThan(45_000)
  })
})

test('a caller with bounds sees only the keys of its own jobs', async () => {
  await enqueueProbes(world, 2, { key: 'own', tenantId: 'acme' })
  await enqueueProbes(world, 3, { key: 'foreign', tenantId: 'other' })
  await enqueueProbes(world, 1, { key: 'foreign', queue: 'another', tenantId: 'acme' })
  const scoped = (scope: Parameters<typeof scopeQueue>[1]) => scopeQueue(queue, scope).queueKeys('default')
  expect(countsOf((await scoped({ tenantId: 'acme' })).keys)).toEqual([['own', 2, 0]])
  expect(countsOf((await scoped({ queues: ['another'] })).keys)).toEqual([])
  expect(countsOf((await scoped({ kinds: ['probe'] })).keys)).toEqual([
    ['foreign', 3, 0],
    ['own', 2, 0],
  ])
})
