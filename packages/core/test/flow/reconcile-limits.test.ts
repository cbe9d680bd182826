import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { ClaimedJob } from '../../src/domain/job.ts'
import {
  limitsBeginning,
  reconcileCounters,
  reconcileLanes,
  reconcileTurns,
} from '../../src/flow/reconcile-limits.ts'
import { claim, enqueueProbes, finishAll, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

const finish = (jobs: readonly ClaimedJob[]) => finishAll(world, jobs)

const keysOf = (jobs: readonly ClaimedJob[]): string =>
  jobs
    .map(({ key }) => key ?? '-')
    .toSorted()
    .join('')

describe('a reconciliation', () => {
  const reconcile = async (): Promise<readonly [number, number]> => [
    await reconcileCounters(world.database),
    (await reconcileLanes(world.database, limitsBeginning)).repaired,
  ]
  const longAgo = `now() - interval '2 minutes'`

  test('repairs counters that are wrong, and lets start what they held back', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 3 })
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await enqueueProbes(world, 4, { key: 'a' })
    const worker = await newWorker(world)
    const running = await claim(world, worker)
    expect(running).toHaveLength(2)
    expect(await reconcile()).toEqual([0, 0])
    await world.sql(`UPDATE queue.limit_counters SET running = running + 7`)
    await finish(running)
    expect(await claim(world, worker)).toEqual([])
    expect(await reconcile()).toEqual([2, 0])
    expect(await claim(world, worker)).toHaveLength(2)
    await world.sql(`DELETE FROM queue.limit_counters WHERE scope = 'key'`)
    expect(await reconcile()).toEqual([1, 0])
    expect(await reconcile()).toEqual([0, 0])
  })

  test('finds jobs without a lane or event, and lanes that are wrongly marked full', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
    await enqueueProbes(world, 2, { key: 'lost' })
    await enqueueProbes(world, 2, { key: 'stuck' })
    await world.sql(
      `UPDATE queue.jobs SET run_at = ${longAgo}; UPDATE queue.lane_events SET due_at = ${longAgo}`,
    )
    const worker = await newWorker(world)
    const running = await claim(world, worker)
    expect(keysOf(running)).toBe('loststuck')
    await finish(running)
    await world.sql(`DELETE FROM queue.lane_events; UPDATE queue.limit_counters SET running = 0;
      DELETE FROM queue.lanes WHERE key = 'lost'; UPDATE queue.lanes SET turn_at = ${longAgo}`)
    expect(await claim(world, worker)).toEqual([])
    expect(await reconcile()).toEqual([0, 2])
    expect(keysOf(await claim(world, worker))).toBe('loststuck')
    expect(await reconcile()).toEqual([0, 0])
  })

  test('begins missing turns of a fair queue', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await enqueueProbes(world, 2, { tenantId: 'acme' })
    await enqueueProbes(world, 2, { tenantId: 'acme', key: 'a' })
    const worker = await newWorker(world)
    expect(await claim(world, worker, { limit: 1 })).toHaveLength(1)
    expect(await reconcileTurns(world.database)).toBe(0)
    await world.sql('DELETE FROM queue.lane_turns')
    expect(await claim(world, worker)).toEqual([])
    // Ten turns of the jobs without a key, one for each priority, and the turn of the tenant that still has a lane.
    expect(await reconcileTurns(world.database)).toBe(11)
    expect(await reconcileTurns(world.database)).toBe(0)
    expect(await claim(world, worker)).toHaveLength(3)
  })

  test('visits every lane, page by page', async () => {
    await enqueueProbes(world, 1, { key: 'a' })
    await world.sql(`INSERT INTO queue.jobs (id, queue, kind, payload, key, run_at)
      SELECT gen_random_uuid(), 'default', 'probe', '{}', 'k' || n, ${longAgo} FROM generate_series(1, 1500) AS n`)
    const first = await reconcileLanes(world.database, limitsBeginning)
    expect(first).toMatchObject({ repaired: 999, next: { waiting: { kind: 'probe' }, full: null } })
    expect(await reconcileLanes(world.database, first.next)).toEqual({ repaired: 501, next: limitsBeginning })
  })
})
