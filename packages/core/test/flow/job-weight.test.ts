import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { z } from 'zod'
import { ClaimMemory } from '../../src/claims/claim-memory.ts'
import { type JobOptions, defineJob } from '../../src/domain/job-definition.ts'
import type { ClaimedJob, Job } from '../../src/domain/job.ts'
import { claimJobs } from '../../src/transitions/claim-jobs.ts'
import { claim, finishAll, newWorker, patient, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

const finish = (jobs: readonly ClaimedJob[]) => finishAll(world, jobs)

describe('the weight of a job', () => {
  const hour = 3_600_000
  const rateOf = (burst: number) => ({ count: 1, perMs: hour, burst })
  const limitsOf = [
    ['a queue', { scope: 'queue' }, {}],
    ['a kind', { scope: 'kind', name: 'probe' }, {}],
    ['a kind, with keys', { scope: 'kind', name: 'probe' }, { key: 'a' }],
    ['each key', { scope: 'each_key' }, { key: 'a' }],
    ['a key', { scope: 'key', name: 'a' }, { key: 'a' }],
  ] as const
  const weightsOf = (jobs: readonly Job[], claimed: readonly ClaimedJob[]): readonly number[] =>
    jobs.filter(({ id }) => claimed.some((job) => job.id === id)).map(({ weight }) => weight)
  /** Lets hours pass for the token buckets. */
  const passHours = async (hours: number) => {
    await world.sql(`UPDATE queue.limit_counters SET spent_until = spent_until - $1 * interval '1 hour'`, [
      hours,
    ])
    await world.sql(`UPDATE queue.lane_events SET due_at = due_at - $1 * interval '1 hour'`, [hours])
  }
  const enqueueWeights = async (weights: readonly number[], options: JobOptions): Promise<Job[]> => {
    const requests = weights.map((weight) => probe.create({}, { ...options, weight }))
    return (await queue.enqueueMany(requests)).map(({ job }) => job)
  }

  test.each(limitsOf)(
    'is its cost in the rate of %s: what comes behind it waits with it, and starts in order',
    async (...[, target, options]) => {
      await queue.limits.set({ queue: 'default', ...target, rate: rateOf(6) })
      const jobs = await enqueueWeights([2, 3, 5, 1, 1, 4], options)
      const worker = await newWorker(world)
      const started: number[][] = []
      for (let hours = 0; hours < 14; hours += 1) {
        started.push([...weightsOf(jobs, await claim(world, worker))])
        await passHours(1)
      }
      expect(started).toEqual([[2, 3], [], [], [], [5], [1], [1], [], [], [], [4], [], [], []])
    },
  )

  test.each(limitsOf)('costs no more than the burst of %s', async (...[, target, options]) => {
    await queue.limits.set({ queue: 'default', ...target, rate: rateOf(3) })
    const jobs = await enqueueWeights([1, 1_000_000, 1], options)
    const worker = await newWorker(world)
    expect(weightsOf(jobs, await claim(world, worker))).toEqual([1])
    await passHours(1)
    expect(weightsOf(jobs, await claim(world, worker))).toEqual([1_000_000])
    expect(await claim(world, worker)).toEqual([])
    await passHours(1)
    expect(weightsOf(jobs, await claim(world, worker))).toEqual([1])
  })

  test.each(limitsOf)('the claim says when %s has the tokens for it', async (...[, target, options]) => {
    await queue.limits.set({ queue: 'default', ...target, rate: rateOf(5) })
    const [first, second] = (await enqueueWeights([3, 4], options)) as [Job, Job]
    const workerId = await newWorker(world)
    const claimOptions = {
      workerId,
      memory: new ClaimMemory(['default']),
      kinds: ['probe'],
      limit: 10,
      eligible: 'any',
      ...patient,
    } as const
    const { jobs } = await claimJobs(world.database, claimOptions)
    expect(jobs.map(({ id }) => id)).toEqual([first.id])
    // If the first job was claimed directly from its event, this claim makes a lane for the second.
    const { retryInMs } = await claimJobs(world.database, {
      ...claimOptions,
      memory: new ClaimMemory(['default']),
    })
    expect(retryInMs ?? 0).toBeGreaterThan(1.9 * hour)
    expect(retryInMs ?? 0).toBeLessThanOrEqual(2 * hour)
    expect((await queue.why(second.id))?.reasons).toMatchObject([{ code: 'rate_spent' }])
  })

  /**
   * The most that the starts of any time window cost beyond what the rate refills in it. `starts` are in the order of
   * their hours.
   */
  const excessOf = (starts: readonly { readonly at: number; readonly cost: number }[], perHour: number) =>
    Math.max(
      ...starts.map((first, begin) => {
        let cost = 0
        return Math.max(
          ...starts.slice(begin).map((start) => {
            cost += start.cost
            return cost - (start.at - first.at) * perHour
          }),
        )
      }),
    )

  test('lets no more start in any time than the burst and the rate, and uses nearly all of it', async () => {
    const queueRate = { count: 1, perMs: hour, burst: 40 }
    const keyRate = { count: 1, perMs: 2 * hour, burst: 25 }
    const lane = fc.constantFrom(undefined, undefined, 'a', 'b', 'c')
    const property = fc.asyncProperty(
      fc.array(fc.record({ key: lane, weight: fc.integer({ min: 1, max: 20 }) }), {
        minLength: 300,
        maxLength: 300,
      }),
      fc.array(fc.record({ hours: fc.integer({ min: 5, max: 15 }), limit: fc.integer({ min: 1, max: 6 }) }), {
        minLength: 80,
        maxLength: 80,
      }),
      async (specs, steps) => {
        await world.reset()
        await queue.limits.set({ queue: 'default', scope: 'queue', rate: queueRate })
        await queue.limits.set({ queue: 'default', scope: 'each_key', rate: keyRate })
        const requests = specs.map(({ key, weight }) => probe.create({}, { weight, ...(key && { key }) }))
        const jobs = (await queue.enqueueMany(requests)).map(({ job }) => job)
        const worker = await newWorker(world)
        const starts = new Map<string, number>()
        let at = 0
        for (const { hours, limit } of steps) {
          for (let startedBefore = -1; startedBefore !== starts.size; ) {
            startedBefore = starts.size
            for (const { id } of await claim(world, worker, { limit })) starts.set(id, at)
            for (const key of [null, 'a', 'b', 'c']) {
              const line = jobs.filter((job) => job.key === key).map(({ id }) => starts.has(id))
              expect(line.lastIndexOf(true)).toBeLessThan(line.includes(false) ? line.indexOf(false) : 300)
            }
          }
          at += hours
          await passHours(hours)
        }
        const started = jobs
          .flatMap(({ id, key, weight }) => {
            const start = starts.get(id)
            return start === undefined ? [] : [{ key, at: start, cost: weight }]
          })
          .toSorted((a, b) => a.at - b.at)
        expect(excessOf(started, 1)).toBeLessThanOrEqual(queueRate.burst)
        for (const key of ['a', 'b', 'c']) {
          const ofKey = started.filter((start) => start.key === key)
          expect(excessOf(ofKey, 0.5)).toBeLessThanOrEqual(keyRate.burst)
        }
        const last = started.at(-1)?.at ?? 0
        expect(started.reduce((sum, { cost }) => sum + cost, 0)).toBeGreaterThan(
          0.97 * (queueRate.burst + last),
        )
      },
    )
    await fc.assert(property, seeded('weights of jobs', { numRuns: 1, endOnFailure: true }))
  })

  test('holds in the order of a key, and for all kinds of a key in a fair queue', async () => {
    const other = defineJob({ kind: 'other', payload: z.unknown(), weight: 4 })
    await queue.limits.set({ queue: 'default', scope: 'each_key', ordered: {}, rate: rateOf(5) })
    const ordered = await enqueueWeights([3, 5, 1], { key: 'a' })
    const worker = await newWorker(world)
    const order: number[][] = []
    for (let hours = 0; hours < 7; hours += 1) {
      const jobs = await claim(world, worker)
      order.push([...weightsOf(ordered, jobs)])
      await finish(jobs)
      await passHours(1)
    }
    expect(order).toEqual([[3], [], [], [5], [1], [], []])
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await queue.limits.set({ queue: 'default', scope: 'each_key', rate: rateOf(5) })
    await passHours(10)
    await queue.enqueueMany([other.create({}, { key: 'b' })])
    await enqueueWeights([2, 2], { key: 'b' })
    const cost = (jobs: readonly ClaimedJob[]): number =>
      jobs.reduce((sum, { kind }) => sum + (kind === 'other' ? 4 : 2), 0)
    const kinds = ['probe', 'other']
    const first = cost(await claim(world, worker, { kinds }))
    expect(first).toBe(4)
    for (let hours = 0; hours < 4; hours += 1) {
      await passHours(1)
      await claim(world, worker, { kinds })
    }
    expect((await queue.list({ status: 'running' })).jobs).toHaveLength(3)
  })

  test('keeps the turn of a tenant whose job waits for its tokens', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant', rate: rateOf(8) })
    const heavy = await enqueueWeights([8], { tenantId: 'm' })
    for (const tenantId of ['a', 'b', 'y', 'z']) await enqueueWeights(Array(20).fill(1), { tenantId })
    const worker = await newWorker(world)
    let hours = 0
    while ((await claim(world, worker)).every(({ id }) => id !== heavy[0]?.id)) {
      hours += 1
      expect(hours).toBeLessThan(20)
      await passHours(1)
    }
  })
})
