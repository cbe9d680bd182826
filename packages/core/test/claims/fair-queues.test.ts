import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { claim, enqueueProbe, enqueueProbes, finishAll, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

const finish = (jobs: readonly ClaimedJob[]) => finishAll(world, jobs)

describe('fair', () => {
  const tenantsOf = (jobs: readonly ClaimedJob[], tenantId: string): number =>
    jobs.filter((job) => job.tenantId === tenantId).length

  test.each([
    ['tenant', 1],
    ['tenant', 10],
    ['key', 10],
    ['tenant, without keys', 1],
    ['tenant, without keys', 10],
  ] as const)(
    'by %s: whoever has one job is served soon, in claims of %i, however many others have',
    async (by, limit) => {
      const fairBy = by === 'key' ? by : 'tenant'
      const key = (name: string) => (by === 'tenant, without keys' ? {} : { key: name })
      await enqueueProbes(world, 150, { ...key('one'), tenantId: 'a' })
      await queue.limits.set({ queue: 'default', scope: 'queue', fairBy })
      if (by === 'tenant')
        for (let n = 0; n < 40; n += 1) await enqueueProbes(world, 3, { key: `k${n}`, tenantId: 'a' })
      const worker = await newWorker(world)
      const before = await claim(world, worker, { limit })
      expect(before).toHaveLength(limit)
      await enqueueProbe(world, { ...key('other'), tenantId: 'b' })
      let claimedBefore = 0
      for (let claims = 0; claims < 5; claims += 1) {
        const jobs = await claim(world, worker, { limit })
        if (tenantsOf(jobs, 'b') > 0) break
        claimedBefore += jobs.length
      }
      expect(claimedBefore).toBeLessThanOrEqual(2 * 2 * limit)
    },
  )

  test.each([
    ['tenant', 'tenant', 1],
    ['tenant', 'tenant', 50],
    ['key', 'key', 10],
    ['tenant, without keys', 'tenant', 1],
    ['tenant, without keys', 'tenant', 50],
  ] as const)('by %s: weights of a %s say its part, in claims of %i', async (by, scope, limit) => {
    const key = (name: string) => (by === 'tenant, without keys' ? {} : { key: name })
    const fairBy = by === 'key' ? by : 'tenant'
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy })
    await queue.limits.set({ queue: 'default', scope, name: 'b', weight: 3 })
    await enqueueProbes(world, 300, { ...key('a'), tenantId: 'a' })
    await enqueueProbes(world, 300, { ...key('b'), tenantId: 'b' })
    const worker = await newWorker(world)
    const jobs: ClaimedJob[] = []
    while (jobs.length < 200) jobs.push(...(await claim(world, worker, { limit })))
    expect(tenantsOf(jobs, 'b') / tenantsOf(jobs, 'a')).toBeGreaterThan(2.7)
    expect(tenantsOf(jobs, 'b') / tenantsOf(jobs, 'a')).toBeLessThan(3.3)
  })

  test('a claim takes no more of one tenant than its part while another claim holds the turns of the rest', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await queue.limits.set({ queue: 'default', scope: 'tenant', name: 'b', weight: 3 })
    await enqueueProbes(world, 30, { key: 'one', tenantId: 'a' })
    await enqueueProbes(world, 30, { key: 'one', tenantId: 'b' })
    const worker = await newWorker(world)
    await claim(world, worker, { limit: 4 })
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query(`SELECT FROM queue.lane_turns WHERE share = 'b' FOR NO KEY UPDATE`)
    const meanwhile = await claim(world, worker, { limit: 8 })
    await holder.query('ROLLBACK')
    expect(meanwhile.map(({ tenantId }) => tenantId)).toEqual(['a', 'a'])
    expect(tenantsOf(await claim(world, worker, { limit: 8 }), 'b')).toBe(6)
  })

  test('whoever has one job is served soon, however many others came before it, each by itself', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await enqueueProbes(world, 1_000, { key: 'one', tenantId: 'a' })
    await world.sql(`
      INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
      SELECT j.run_at, j.queue, j.kind, j.key, j.tenant_id, j.priority
        FROM queue.all_jobs AS j CROSS JOIN generate_series(1, 10)`)
    await enqueueProbe(world, { key: 'other', tenantId: 'b' })
    const worker = await newWorker(world)
    const jobs: ClaimedJob[] = []
    while (tenantsOf(jobs, 'b') === 0) jobs.push(...(await claim(world, worker, { limit: 5 })))
    expect(jobs.length - 1).toBeLessThanOrEqual(2 * 2 * 5)
  })

  test('lets all jobs start, also with limits, and when it is set and deleted meanwhile', async () => {
    const fair = { queue: 'default', scope: 'queue' } as const
    const worker = await newWorker(world)
    for (const tenantId of ['a', 'b', undefined]) {
      await enqueueProbes(world, 4, tenantId === undefined ? { key: 'k' } : { key: 'k', tenantId })
      await enqueueProbes(world, 4, tenantId === undefined ? {} : { tenantId })
    }
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
    const ids = new Set<string>()
    for (let claims = 0; claims < 40; claims += 1) {
      if (claims % 10 === 1) await queue.limits.set({ ...fair, fairBy: claims % 20 === 1 ? 'tenant' : 'key' })
      if (claims % 10 === 6) await queue.limits.delete(fair)
      const jobs = await claim(world, worker, { limit: 2 })
      for (const { id } of jobs) ids.add(id)
      await finish(jobs)
    }
    expect(ids.size).toBe(24)
  })
})
