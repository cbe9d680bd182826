import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { claimJobs } from '../src/transitions/claim-jobs.ts'
import {
  type ClaimMarks,
  forgetQueue,
  markOf,
  marksAfter,
  noMarks,
  slotsOf,
} from '../src/transitions/claim-marks.ts'
import { enqueueProbe, enqueueProbes, patient, registered } from './support/builders.ts'
import { seeded } from './support/seed.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { database } = world
const slot = { priority: 4, queue: 'default', key: '4:default' }
/** No mark may be nearer to now than this: a transaction may commit that much later than its enqueue. */
const slackMs = 2_000

async function claimFrom(marks: ClaimMarks, limit = 100, eligible: 'any' | 'steady' | 'ahead' = 'any') {
  return claimJobs(database, {
    workerId: await registered(world),
    queues: ['default'],
    kinds: ['probe'],
    limit,
    marks,
    eligible,
    ...patient,
  })
}

describe('marks', () => {
  test('never come nearer to now than the slack, and never go back', () => {
    const scans = fc.array(
      fc.record({
        nowMs: fc.integer({ min: 0, max: 100_000 }),
        limit: fc.integer({ min: 1, max: 5 }),
        claimed: fc.array(
          fc.record({ priority: fc.integer({ min: 0, max: 9 }), ageMs: fc.nat({ max: 50_000 }) }),
          {
            maxLength: 5,
          },
        ),
        open: fc.boolean(),
      }),
      { maxLength: 10 },
    )
    fc.assert(
      fc.property(scans, (steps) => {
        const slots = slotsOf(['default'])
        let marks = noMarks
        let nowMs = 0
        for (const step of steps) {
          nowMs += step.nowMs
          const now = nowMs
          const claimed = step.claimed
            .slice(0, step.limit)
            .map(({ priority, ageMs }) => ({ priority, queue: 'default', runAt: new Date(now - ageMs) }))
          const openQueues = step.open ? ['default'] : []
          const next = marksAfter(marks, { slots, limit: step.limit, claimed, openQueues, nowMs })
          for (const each of slots.all) {
            expect(markOf(next, each)).toBeGreaterThanOrEqual(markOf(marks, each))
            expect(markOf(next, each)).toBeLessThanOrEqual(Math.max(markOf(marks, each), nowMs - slackMs))
          }
          marks = next
        }
      }),
      seeded('marks'),
    )
  })

  test('of one queue can be forgotten without those of another', () => {
    const slots = slotsOf(['a', 'a.b'])
    const marks = marksAfter(noMarks, { slots, limit: 1, claimed: [], openQueues: ['a', 'a.b'], nowMs: 1e12 })
    const left = forgetQueue(marks, 'a')
    for (const each of slotsOf(['a']).all) expect(markOf(left, each)).toBe(Number.NEGATIVE_INFINITY)
    for (const each of slotsOf(['a.b']).all) expect(markOf(left, each)).toBe(1e12 - slackMs)
  })
})

describe('a claim from a mark', () => {
  test('sees everything that was enqueued since, and does not look below', async () => {
    await enqueueProbe(world)
    const first = await claimFrom(noMarks)
    expect(first.jobs).toHaveLength(1)
    expect(markOf(first.marks, slot)).toBeGreaterThan(0)
    const old = await enqueueProbe(world)
    await world.sql(`UPDATE queue.jobs SET run_at = now() - interval '1 hour' WHERE id = $1`, [old.id])
    const fresh = await enqueueProbe(world)
    const second = await claimFrom(first.marks)
    expect(second.jobs.map((job) => job.id)).toEqual([fresh.id])
    expect((await claimFrom(noMarks)).jobs.map((job) => job.id)).toEqual([old.id])
  })

  test('that reached its limit begins again at its last job, and misses none behind it', async () => {
    const jobs = await enqueueProbes(world, 30)
    await world.sql(
      `UPDATE queue.jobs SET run_at = now() - interval '1 hour' + (random() * 10) * interval '1 second'`,
    )
    const seen: string[] = []
    let marks = noMarks
    for (let round = 0; round < 10; round += 1) {
      const claim = await claimFrom(marks, 7)
      seen.push(...claim.jobs.map((job) => job.id))
      marks = claim.marks
    }
    expect(new Set(seen)).toEqual(new Set(jobs.map((job) => job.id)))
    expect(seen).toHaveLength(jobs.length)
  })

  test('of a paused queue moves no mark', async () => {
    await world.queue.pause('default')
    const { marks } = await claimFrom(noMarks)
    expect(markOf(marks, slot)).toBe(Number.NEGATIVE_INFINITY)
  })
})

describe('what may be claimed ahead, or beside a job that has crashed a worker,', () => {
  test('is neither on its last attempt nor has it crashed one; what waits for a free slot may be anything', async () => {
    const [calm] = await enqueueProbes(world, 1)
    const [last] = await enqueueProbes(world, 1, { maxAttempts: 1 })
    const [crashed] = await enqueueProbes(world, 1)
    await world.sql('UPDATE queue.jobs SET crashes = 1 WHERE id = $1', [crashed?.id])
    const idsFor = async (eligible: 'any' | 'steady' | 'ahead'): Promise<Set<string>> => {
      const { jobs } = await claimFrom(noMarks, 100, eligible)
      await world.sql(
        `UPDATE queue.jobs SET status = 'queued', attempts = 0, locked_by = NULL, locked_at = NULL WHERE status = 'running'`,
      )
      return new Set(jobs.map((job) => job.id))
    }
    expect(await idsFor('ahead')).toEqual(new Set([calm?.id]))
    expect(await idsFor('steady')).toEqual(new Set([calm?.id, last?.id]))
    expect(await idsFor('any')).toEqual(new Set([calm?.id, last?.id, crashed?.id]))
  })
})
