import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { z } from 'zod'
import { ClaimMemory, type Eligible } from '../src/claims/claim-memory.ts'
import { defineJob } from '../src/domain/job-definition.ts'
import type { LimitRule } from '../src/limits/limit-rule.ts'
import { claim, finishAll, newWorker } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const queues = ['a', 'b', 'c']
const kinds = ['one', 'two']
const definitions = kinds.map((kind) => defineJob({ kind, payload: z.unknown() }))

interface Backlog {
  readonly queue: string
  readonly priority: number
  readonly kind: number
  /** How many keys its jobs have; 0: they have none. */
  readonly keys: number
  readonly count: number
}

const backlogs = (keysMax: number) =>
  fc.array(
    fc.record({
      queue: fc.constantFrom(...queues),
      priority: fc.constantFrom(0, 4, 9),
      kind: fc.nat(kinds.length - 1),
      keys: fc.nat(keysMax),
      count: fc.integer({ min: 1, max: 40 }),
    }),
    { minLength: 3, maxLength: 8 },
  )

const limitsWithRoom: readonly LimitRule[] = [
  { queue: 'a', scope: 'queue', maxRunning: 10_000, fairBy: 'key' },
  { queue: 'b', scope: 'each_key', maxRunning: 10_000 },
  { queue: 'b', scope: 'kind', name: 'one', maxRunning: 10_000 },
  { queue: 'c', scope: 'queue', rate: { count: 10_000, perMs: 1, burst: 1_000_000 } },
]

/** The sizes of claims, which follow each other. */
const claimSizes = fc.array(fc.oneof(fc.integer({ min: 1, max: 12 }), fc.integer({ min: 1, max: 100 })), {
  minLength: 1,
  maxLength: 5,
})

const jobsOf = ({ queue, priority, kind, keys, count }: Backlog) =>
  Array.from({ length: count }, (_, n) =>
    definitions[kind]?.create({}, { queue, priority, ...(keys > 0 && { key: `k${n % keys}` }) }),
  ).filter((job) => job !== undefined)

/** Claims everything, one claim after the other, and returns the priorities in the order of the claims. */
async function claimAll(count: number, sizes: readonly number[], eligible: Eligible): Promise<number[]> {
  const workerId = await newWorker(world, { queues, kinds })
  const memory = new ClaimMemory(queues)
  const priorities: number[] = []
  for (let n = 0, empty = 0; priorities.length < count && empty < 10; n += 1) {
    const jobs = await claim(world, workerId, {
      memory,
      kinds,
      eligible,
      limit: sizes[n % sizes.length] ?? 1,
    })
    await finishAll(world, jobs)
    priorities.push(...jobs.map(({ priority }) => priority))
    empty = jobs.length === 0 ? empty + 1 : 0
  }
  return priorities
}

describe('no job starts while one of a better priority could, however the queues share their claims', () => {
  test.each([
    ['without keys', 'any', 0, []],
    ['without keys, claimed ahead', 'ahead', 0, []],
    ['with keys and without', 'any', 6, []],
    ['under limits that have room', 'any', 6, limitsWithRoom],
  ] as const)('jobs %s', async (...[, eligible, keysMax, limitsOfQueues]) => {
    await fc.assert(
      fc.asyncProperty(backlogs(keysMax), claimSizes, async (load, sizes) => {
        await world.reset()
        for (const limit of limitsOfQueues) await world.queue.limits.set(limit)
        const jobs = load.flatMap(jobsOf)
        await world.queue.enqueueMany(jobs)
        const priorities = await claimAll(jobs.length, sizes, eligible)
        expect(priorities).toEqual(jobs.map(({ priority }) => priority).toSorted((a, b) => a - b))
      }),
      { ...seeded(`priorities ${eligible} ${keysMax}`), numRuns: 15 },
    )
  })
})
