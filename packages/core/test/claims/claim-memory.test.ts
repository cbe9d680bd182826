import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { leastOfTries, seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { ClaimMemory, type Eligible } from '../../src/claims/claim-memory.ts'
import { claimJobs } from '../../src/transitions/claim-jobs.ts'
import { enqueueProbe, enqueueProbes, newWorker, patient } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world
/** How far positions stay behind now: a transaction may commit that much later than it began. */
const slackMs = 2_000
const everyPriority = 10
/** The index of priority 4 among the slots of one queue. */
const defaultSlot = 4

/** The positions from which the next claim scans, by slot. */
function positionsOf(memory: ClaimMemory, eligible: Eligible = 'any'): number[] {
  const { order, positions } = memory.plan(eligible, 1)
  const texts = positions.slice(1, -1).split(',')
  return order.map((_, slot) => Number(texts[order.indexOf(slot)]))
}

async function claimWith(memory: ClaimMemory, limit = 100, eligible: Eligible = 'any') {
  return claimJobs(database, {
    workerId: await newWorker(world),
    kinds: ['probe'],
    limit,
    memory,
    eligible,
    ...patient,
  })
}

const steadyJob = { attempt: 1, maxAttempts: 3, crashes: 0, expiresAt: null } as const

describe('positions', () => {
  test('never come nearer to now than the slack, and never go back', () => {
    const scans = fc.array(
      fc.record({
        nowMs: fc.integer({ min: 0, max: 100_000 }),
        limit: fc.integer({ min: 1, max: 5 }),
        claimed: fc.array(
          fc.record({ priority: fc.integer({ min: 0, max: 9 }), ageMs: fc.nat({ max: 50_000 }) }),
          { maxLength: 5 },
        ),
        open: fc.boolean(),
      }),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(scans, (steps) => {
        const memory = new ClaimMemory(['default'])
        let before = positionsOf(memory)
        let nowMs = 0
        for (const step of steps) {
          nowMs += step.nowMs
          const now = nowMs
          const claimed = step.claimed.slice(0, step.limit).map(({ priority, ageMs }) => ({
            ...steadyJob,
            priority,
            queue: 'default',
            runAt: new Date(now - ageMs),
          }))
          const openQueues = step.open ? ['default'] : []
          memory.learn(memory.plan('any', step.limit), { claimed, openQueues, nowMs })
          const after = positionsOf(memory)
          for (const [slot, positionMs] of after.entries()) {
            const previousMs = before[slot] ?? Number.NaN
            expect(positionMs).toBeGreaterThanOrEqual(previousMs)
            expect(positionMs).toBeLessThanOrEqual(Math.max(previousMs, nowMs - slackMs))
          }
          before = after
        }
      }),
      seeded('positions'),
    )
  })

  const scanned = { claimed: [], openQueues: ['a', 'a.b'], nowMs: 1e12 } as const
  const noPosition = Number.NEGATIVE_INFINITY

  test('of one queue can be forgotten without those of another queue', () => {
    const memory = new ClaimMemory(['a', 'a.b'])
    memory.learn(memory.plan('any', 1), scanned)
    memory.rescan('a')
    const positions = positionsOf(memory)
    expect(positions).toHaveLength(2 * everyPriority)
    for (const [slot, positionMs] of positions.entries())
      expect(positionMs).toBe(slot % 2 === 0 ? noPosition : 1e12 - slackMs)
  })

  test.each(['a', undefined])(
    'that are forgotten while a claim is under way (%s) stay forgotten: it may have scanned before the jobs came',
    (queue) => {
      const memory = new ClaimMemory(['a'])
      const underWay = memory.plan('any', 1)
      memory.rescan(queue)
      memory.learn(underWay, { ...scanned, openQueues: ['a'] })
      expect(positionsOf(memory)).toEqual(Array.from({ length: everyPriority }, () => noPosition))
    },
  )

  test('of one kind of claim do not apply to another', () => {
    const memory = new ClaimMemory(['a'])
    memory.learn(memory.plan('ahead', 1), { ...scanned, openQueues: ['a'] })
    expect(positionsOf(memory, 'ahead')[0]).toBe(1e12 - slackMs)
    expect(positionsOf(memory, 'any')[0]).toBe(noPosition)
    memory.rescanFor('ahead')
    expect(positionsOf(memory, 'ahead')[0]).toBe(noPosition)
  })
})

describe('a claim from a scan position', () => {
  test('sees everything that was enqueued since, and does not scan below', async () => {
    const memory = new ClaimMemory(['default'])
    await enqueueProbe(world)
    expect((await claimWith(memory)).jobs).toHaveLength(1)
    expect(positionsOf(memory)[defaultSlot]).toBeGreaterThan(0)
    const old = await enqueueProbe(world)
    await world.sql(`UPDATE queue.jobs SET run_at = now() - interval '1 hour' WHERE id = $1`, [old.id])
    const newJob = await enqueueProbe(world)
    expect((await claimWith(memory)).jobs.map((job) => job.id)).toEqual([newJob.id])
    memory.rescan('default')
    expect((await claimWith(memory)).jobs.map((job) => job.id)).toEqual([old.id])
  })

  test('that reached its limit continues at its last job, and misses none after it', async () => {
    const jobs = await enqueueProbes(world, 30)
    await world.sql(
      `UPDATE queue.jobs SET run_at = now() - interval '1 hour' + (random() * 10) * interval '1 second'`,
    )
    const seen: string[] = []
    const memory = new ClaimMemory(['default'])
    for (let round = 0; round < 10; round += 1) {
      seen.push(...(await claimWith(memory, 7)).jobs.map((job) => job.id))
    }
    expect(new Set(seen)).toEqual(new Set(jobs.map((job) => job.id)))
    expect(seen).toHaveLength(jobs.length)
  })

  test('of a paused queue does not move its position', async () => {
    await world.queue.pause('default')
    const memory = new ClaimMemory(['default'])
    await claimWith(memory)
    expect(positionsOf(memory)[defaultSlot]).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('a claim reports whether there may be more jobs', () => {
  test('when it reached its limit or the share of a queue, and not when it came to the end of every queue', async () => {
    const memory = new ClaimMemory(['a', 'b', 'c', 'd'])
    await newWorker(world, { queues: ['a', 'b', 'c', 'd'] })
    await enqueueProbes(world, 30, { queue: 'b' })
    expect(await claimWith(memory, 20)).toMatchObject({ jobs: { length: 5 }, more: true })
    expect(await claimWith(memory, 20)).toMatchObject({ jobs: { length: 20 }, more: true })
    expect(await claimWith(memory, 20)).toMatchObject({ jobs: { length: 5 }, more: false })
    await enqueueProbe(world, { queue: 'c' })
    expect(await claimWith(memory, 20)).toMatchObject({ jobs: { length: 1 }, more: false })
  })

  test('it reports nothing about a queue that was paused meanwhile', async () => {
    const memory = new ClaimMemory(['a', 'b'])
    await newWorker(world, { queues: ['a', 'b'] })
    await enqueueProbes(world, 30, { queue: 'a' })
    expect(await claimWith(memory, 10)).toMatchObject({ more: true })
    await world.queue.pause('a')
    expect(await claimWith(memory, 10)).toMatchObject({ jobs: [], more: false })
    await world.queue.resume('a')
    expect((await claimWith(memory, 100)).jobs.length).toBeGreaterThan(0)
  })
})

test('the time to process a claim grows linearly with the number of queues', async () => {
  const msFor = (count: number): number => {
    const queues = Array.from({ length: count }, (_, index) => `queue-${index}`)
    const memory = new ClaimMemory(queues)
    const claimed = queues.map((queue) => ({ ...steadyJob, priority: 4, queue, runAt: new Date(0) }))
    // Measured over all rounds: the processor's clock is too coarse for one.
    const before = process.cpuUsage()
    for (let round = 0; round < 20; round += 1) {
      memory.learn(memory.plan('any', 2 * count), { claimed, openQueues: queues, nowMs: 1e12 })
    }
    return process.cpuUsage(before).user / 1_000
  }
  msFor(1_000)
  // Linear growth would be 10 times as much, and quadratic growth 100 times.
  expect(await leastOfTries(40, () => msFor(10_000) / msFor(1_000))).toBeLessThan(40)
})

describe('a job that is claimed ahead, or beside one that has crashed a worker,', () => {
  test('is not on its last attempt and has never crashed a worker; a claim for a free slot takes any job', async () => {
    const [calmOne] = await enqueueProbes(world, 1)
    const [last] = await enqueueProbes(world, 1, { maxAttempts: 1 })
    const [crashed] = await enqueueProbes(world, 1)
    await world.sql('UPDATE queue.jobs SET crashes = 1 WHERE id = $1', [crashed?.id])
    const idsFor = async (eligible: Eligible): Promise<Set<string>> => {
      const { jobs } = await claimWith(new ClaimMemory(['default']), 100, eligible)
      await world.sql(
        `UPDATE queue.jobs SET status = 'queued', attempts = 0, locked_by = NULL, locked_at = NULL WHERE status = 'running'`,
      )
      return new Set(jobs.map((job) => job.id))
    }
    expect(await idsFor('ahead')).toEqual(new Set([calmOne?.id]))
    expect(await idsFor('steady')).toEqual(new Set([calmOne?.id, last?.id]))
    expect(await idsFor('any')).toEqual(new Set([calmOne?.id, last?.id, crashed?.id]))
  })
})
