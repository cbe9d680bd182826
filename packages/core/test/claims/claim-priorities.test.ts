import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { z } from 'zod'
import { ClaimMemory, type Eligible } from '../../src/claims/claim-memory.ts'
import { type JobOptions, defineJob } from '../../src/domain/job-definition.ts'
import type { LimitRule } from '../../src/flow/limit-rule.ts'
import { claim, finishAll, newWorker } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const queues = ['a', 'b', 'c']
const kinds = ['one', 'two']
const definitions = [
  defineJob({ kind: 'one', payload: z.unknown() }),
  defineJob({ kind: 'two', payload: z.unknown() }),
] as const

interface Backlog {
  readonly queue: string
  readonly priority: number
  readonly kind: number
  /** How many keys its jobs have; 0: they have none. */
  readonly keys: number
  readonly count: number
  /** Every nth of its jobs is on its last attempt, and may not be claimed ahead; 0: none is. */
  readonly lastAttempts?: number
}

const backlogs = ({ served, keysMax, lastAttemptsMax }: Bounds) =>
  fc.array(
    fc.record({
      queue: fc.constantFrom(...served),
      priority: fc.constantFrom(0, 4, 9),
      kind: fc.nat(kinds.length - 1),
      keys: fc.nat(keysMax),
      count: fc.integer({ min: 1, max: 40 }),
      lastAttempts: fc.nat(lastAttemptsMax),
    }),
    { minLength: 3, maxLength: 8 },
  )

const limitsWithRoom: readonly LimitRule[] = [
  { queue: 'a', scope: 'queue', maxRunning: 10_000, fairBy: 'key' },
  { queue: 'b', scope: 'each_key', maxRunning: 10_000 },
  { queue: 'b', scope: 'kind', name: 'one', maxRunning: 10_000 },
  { queue: 'c', scope: 'queue', rate: { count: 10_000, perMs: 1, burst: 1_000_000 } },
]

interface Bounds {
  /** The queues of the worker. */
  readonly served: readonly string[]
  readonly keysMax: number
  readonly lastAttemptsMax: number
}

/** The sizes of claims, which follow each other. */
const claimSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 })), {
  minLength: 1,
  maxLength: 5,
})

const jobsOf = ({ queue, priority, kind, keys, count, lastAttempts = 0 }: Backlog) =>
  Array.from({ length: count }, (_, n) =>
    definitions[kind]?.create(
      {},
      {
        queue,
        priority,
        ...(keys > 0 && { key: `k${n % keys}` }),
        ...(lastAttempts > 0 && n % lastAttempts === 0 && { maxAttempts: 1 }),
      },
    ),
  ).filter((job) => job !== undefined)

interface Claims {
  readonly served: readonly string[]
  readonly sizes: readonly number[]
  readonly sorts: readonly Eligible[]
}

/** Claims everything, one claim after the other, and returns the priorities in the order of the claims. */
async function claimAll(count: number, { served, sizes, sorts }: Claims): Promise<number[]> {
  const workerId = await newWorker(world, { queues: served, kinds })
  const memory = new ClaimMemory(served)
  const priorities: number[] = []
  for (let n = 0, empty = 0; priorities.length < count && empty < 10 * sorts.length; n += 1) {
    const jobs = await claim(world, workerId, {
      memory,
      kinds,
      eligible: sorts[n % sorts.length] ?? 'any',
      limit: sizes[n % sizes.length] ?? 1,
    })
    await finishAll(world, jobs)
    priorities.push(...jobs.map(({ priority }) => priority))
    empty = jobs.length === 0 ? empty + 1 : 0
  }
  return priorities
}

const mixedSorts: readonly Eligible[] = ['any', 'ahead', 'ahead']

describe('no job starts while one of a better priority could, however the queues share their claims', () => {
  test.each([
    ['without keys', ['any'], {}, []],
    ['without keys, claimed ahead', ['ahead'], {}, []],
    ['with keys and without', ['any'], { keysMax: 6 }, []],
    ['under limits that have room', ['any'], { keysMax: 6 }, limitsWithRoom],
    ['of which some may not be claimed ahead', mixedSorts, { lastAttemptsMax: 3 }, []],
    ['of one queue, of which some may not be', mixedSorts, { served: ['a'], lastAttemptsMax: 3 }, []],
  ] as const)('jobs %s', async (...[name, sorts, given, limitsOfQueues]) => {
    const bounds: Bounds = { served: queues, keysMax: 0, lastAttemptsMax: 0, ...given }
    await fc.assert(
      fc.asyncProperty(backlogs(bounds), claimSizes, async (load, sizes) => {
        await world.reset()
        for (const limit of limitsOfQueues) await world.queue.limits.set(limit)
        const jobs = load.flatMap(jobsOf)
        await world.queue.enqueueMany(jobs)
        const priorities = await claimAll(jobs.length, { served: bounds.served, sizes, sorts })
        expect(priorities).toEqual(jobs.map(({ priority }) => priority).toSorted((a, b) => a - b))
      }),
      { ...seeded(`priorities ${name}`), numRuns: 15 },
    )
  })
})

test('a queue that has had more than its share starts before jobs of a worse priority, if the others have run empty', async () => {
  const backlog = (queue: string, priority: number, count: number): Backlog => {
    return { queue, priority, count, kind: 0, keys: 0 }
  }
  const load = [
    backlog('c', 4, 1),
    backlog('a', 4, 9),
    backlog('b', 4, 8),
    backlog('a', 9, 1),
    backlog('a', 0, 3),
  ]
  const jobs = load.flatMap(jobsOf)
  await world.queue.enqueueMany(jobs)
  const priorities = await claimAll(jobs.length, { served: queues, sizes: [1, 9], sorts: mixedSorts })
  expect(priorities).toEqual(jobs.map(({ priority }) => priority).toSorted((a, b) => a - b))
})

test.each([
  ['a paused kind', { scope: 'kind', name: 'two', paused: true }],
  ['no worker', undefined],
] as const)(
  'a key that can start does so before jobs of a worse priority, however many ordered keys before it wait for %s',
  async (_reason, pause) => {
    await world.queue.limits.set({ queue: 'a', scope: 'each_key', ordered: {} })
    if (pause !== undefined) await world.queue.limits.set({ queue: 'a', ...pause })
    const runnable = pause === undefined ? ['one'] : kinds
    const blocked = { queue: 'a', keys: 100, count: 100 }
    await world.queue.enqueueMany(jobsOf({ ...blocked, priority: 0, kind: 1 }))
    await world.queue.enqueueMany(jobsOf({ ...blocked, priority: 1, kind: 0 }))
    const [last] = await world.queue.enqueueMany([
      definitions[0].create({}, { queue: 'a', priority: 1, key: 'last' }),
    ])
    await world.queue.enqueueMany(jobsOf({ queue: 'b', priority: 9, kind: 0, keys: 0, count: 60 }))
    const workerId = await newWorker(world, { queues, kinds: runnable })
    const memory = new ClaimMemory(queues)
    for (;;) {
      const claimed = await claim(world, workerId, { memory, kinds: runnable, limit: 4 })
      const best = claimed.filter(({ priority }) => priority < 9)
      expect(claimed).toEqual(best)
      if (best.length > 0) {
        expect(best.map(({ id }) => id)).toEqual([last?.job.id])
        return
      }
    }
  },
)

test.each([
  ['its counter', { scope: 'queue', maxRunning: 100 }, {}, 'limit_counters'],
  ['the counter of its kind', { scope: 'kind', name: 'one', maxRunning: 100 }, {}, 'limit_counters'],
  ['the turns of its tenants', { scope: 'queue', fairBy: 'tenant' }, { tenantId: 't' }, 'lane_turns'],
  ['the turns of its keys', { scope: 'queue', fairBy: 'key' }, { key: 'k' }, 'lane_turns'],
  ['its lanes', { scope: 'each_key', maxRunning: 100 }, { key: 'k' }, 'lanes'],
  ['the counter of its key', { scope: 'each_key', maxRunning: 100 }, { key: 'k' }, 'limit_counters'],
] as const)(
  'no job starts before those of a better priority while another claim holds %s',
  async (...[, limit, options, table]) => {
    await world.queue.limits.set({ queue: 'a', ...limit })
    const create = (count: number, of: JobOptions) =>
      Array.from({ length: count }, () => definitions[0].create({}, of))
    await world.queue.enqueueMany(create(9, { queue: 'a', priority: 0, ...options }))
    const workerId = await newWorker(world, { queues, kinds })
    const memory = new ClaimMemory(queues)
    for (let n = 0; n < 3; n += 1) await claim(world, workerId, { memory, kinds, limit: 1 })
    await world.queue.enqueueMany(create(9, { queue: 'b', priority: 5 }))
    const holder = await world.session()
    await holder.query(`BEGIN; SELECT FROM queue.${table} FOR UPDATE`)
    await expect(claim(world, workerId, { memory, kinds, limit: 4 })).resolves.toEqual([])
    await holder.query('COMMIT')
    const next = await claim(world, workerId, { memory, kinds, limit: 4 })
    expect(next.map(({ priority }) => priority)).not.toContain(5)
    expect(next).not.toEqual([])
  },
)
