import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { seeded } from '@queue/dev-postgres'
import { ClaimMemory, type Eligible } from '../src/claims/claim-memory.ts'

const priority = 4
const plenty = Number.POSITIVE_INFINITY

/** How many jobs of a queue wait that a claim of this sort may take. */
type Supply = (queue: string, eligible: Eligible) => number

interface Job {
  readonly priority: number
  readonly queue: string
  readonly runAt: Date
  readonly attempt: number
  readonly maxAttempts: number
  readonly crashes: number
  readonly expiresAt: null
}

interface Played {
  /** How many jobs each queue has had claimed. */
  readonly served: Map<string, number>
  /** Claims once, as PostgreSQL would, and gives the jobs. */
  claim(eligible: Eligible, limit: number): readonly Job[]
  readonly memory: ClaimMemory
}

function play(queues: readonly string[], supply: Supply, mayWait = (): boolean => true): Played {
  const memory = new ClaimMemory(queues)
  const served = new Map(queues.map((queue) => [queue, 0]))
  const placeOf = (slot: number): number => slot % queues.length
  return {
    memory,
    served,
    claim: (eligible, limit) => {
      const plan = memory.plan(eligible, limit)
      const claimed: Job[] = []
      for (const [index, slot] of plan.order.entries()) {
        const queue = queues[placeOf(slot)] as string
        if (Math.floor(slot / queues.length) !== priority) continue
        const jobs = Math.min(plan.shares[index] ?? 0, limit - claimed.length, supply(queue, eligible))
        const job = {
          priority,
          queue,
          runAt: new Date(0),
          attempt: 1,
          maxAttempts: mayWait() ? 3 : 1,
          crashes: 0,
          expiresAt: null,
        }
        claimed.push(...Array.from({ length: jobs }, () => job))
        served.set(queue, (served.get(queue) ?? 0) + jobs)
      }
      memory.learn(plan, { claimed, openQueues: queues, nowMs: 1e12 })
      return claimed
    },
  }
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `q${index}`)

/** By how many jobs the queue that got most is ahead of the one that got fewest. */
function gapOf(served: ReadonlyMap<string, number>, since?: ReadonlyMap<string, number>): number {
  const counts = [...served].map(([queue, count]) => count - (since?.get(queue) ?? 0))
  return Math.max(...counts) - Math.min(...counts)
}

const claims = fc.array(
  fc.record({
    eligible: fc.constantFrom<Eligible>('any', 'steady', 'ahead'),
    limit: fc.oneof(fc.integer({ min: 1, max: 8 }), fc.integer({ min: 1, max: 1_000 })),
  }),
  { minLength: 1, maxLength: 60 },
)

describe('queues with a backlog', () => {
  test.each([2, 3, 4, 7, 30])(
    '%i of them are served alike, to the job, however claims of all sorts and sizes follow one another',
    (count) => {
      fc.assert(
        fc.property(claims, (sequence) => {
          const { claim, served } = play(names(count), () => plenty)
          // Until each is known to have a backlog, and has caught up with the first.
          for (const eligible of ['any', 'steady', 'ahead'] as const) claim(eligible, 1_000)
          claim('any', 1_000)
          const since = new Map(served)
          for (const { eligible, limit } of sequence) {
            expect(claim(eligible, limit)).toHaveLength(limit)
            expect(gapOf(served, since)).toBeLessThanOrEqual(2)
          }
        }),
        seeded(`turns of ${count}`),
      )
    },
  )

  test.each([2, 3, 4, 7])('%i that come at once share the first claim already', (count) => {
    const { claim, served } = play(names(count), () => plenty)
    expect(claim('any', 1_000)).toHaveLength(1_000)
    expect(gapOf(served)).toBeLessThanOrEqual(count)
  })

  test('by claims of one job take turns', () => {
    const { claim } = play(names(3), () => plenty)
    const queues = Array.from({ length: 9 }, () => claim('any', 1)[0]?.queue)
    expect(queues).toEqual(['q0', 'q1', 'q2', 'q0', 'q1', 'q2', 'q0', 'q1', 'q2'])
  })

  test('leave no part of a claim unused when one of them has come to its end', () => {
    const left = new Map([
      ['q0', plenty],
      ['q1', 100],
      ['q2', plenty],
    ])
    const { claim, served } = play(names(3), (queue) => (left.get(queue) ?? 0) - (served.get(queue) ?? 0))
    for (let round = 0; round < 10; round += 1) expect(claim('any', 90)).toHaveLength(90)
    expect(served.get('q1')).toBe(100)
    expect(Math.abs((served.get('q0') ?? 0) - (served.get('q2') ?? 0))).toBeLessThanOrEqual(60)
  })

  test('get nothing made up for the time in which they had none', () => {
    let secondHas = 0
    const { claim, served } = play(names(2), (queue) => (queue === 'q0' ? plenty : secondHas))
    for (let round = 0; round < 20; round += 1) claim('any', 500)
    expect(served.get('q0')).toBeGreaterThan(9_000)
    secondHas = plenty
    const since = new Map(served)
    for (let round = 0; round < 20; round += 1) {
      claim('any', 10)
      expect(gapOf(served, since)).toBeLessThanOrEqual(10)
    }
    expect((served.get('q1') ?? 0) - (since.get('q1') ?? 0)).toBe(100)
  })

  test('that come and go in every claim keep nobody from its share', () => {
    const queues = names(5)
    const { claim, served } = play(queues, (queue) => (queue === 'q0' ? plenty : 3))
    for (let round = 0; round < 100; round += 1) claim('any', 10)
    expect(served.get('q0')).toBeGreaterThanOrEqual(200)
    for (const queue of queues.slice(1)) expect(served.get(queue)).toBeGreaterThanOrEqual(150)
  })

  test('have those of their jobs counted that were begun: what goes back was none', () => {
    const { claim, memory, served } = play(names(2), () => plenty)
    claim('any', 100)
    claim('any', 100)
    const since = new Map(served)
    for (let round = 0; round < 10; round += 1) {
      // Of the second queue's jobs half are never begun.
      for (const job of claim('any', 100).filter(({ queue }, index) => queue === 'q1' && index % 2 === 0)) {
        memory.noteReturned(job)
        served.set('q1', (served.get('q1') ?? 0) - 1)
      }
    }
    claim('any', 100)
    expect(gapOf(served, since)).toBeLessThanOrEqual(2)
  })
})

describe('a queue whose jobs may not wait in memory', () => {
  const lastAttempts: Supply = (queue, eligible) => (queue === 'q0' && eligible === 'ahead' ? 0 : plenty)

  test('holds up the claims ahead, which would serve it less than the others', () => {
    const { claim, memory, served } = play(names(2), lastAttempts, () => false)
    expect(memory.isHeldUp).toBe(false)
    claim('any', 4)
    claim('ahead', 100)
    expect(memory.isHeldUp).toBe(true)
    // It catches up by claims for slots, which are all that is left.
    for (let round = 0; round < 100; round += 1) claim('any', 4)
    expect(memory.isHeldUp).toBe(true)
    expect(gapOf(served)).toBeLessThanOrEqual(1)
  })

  test('does so no longer once it has jobs that may wait, or none at all', () => {
    let mayWait = false
    let first = plenty
    const queues = names(2)
    const held = () => {
      const played = play(
        queues,
        (queue, eligible) => (queue === 'q1' ? plenty : eligible === 'ahead' ? 0 : first),
        () => mayWait,
      )
      played.claim('any', 4)
      played.claim('ahead', 4)
      return played
    }
    const drained = held()
    expect(drained.memory.isHeldUp).toBe(true)
    first = 0
    drained.claim('any', 4)
    expect(drained.memory.isHeldUp).toBe(false)

    first = plenty
    const mixed = held()
    expect(mixed.memory.isHeldUp).toBe(true)
    mayWait = true
    mixed.claim('any', 4)
    expect(mixed.memory.isHeldUp).toBe(false)
  })

  test('does not, when it is only that nobody has looked, or that all of them were taken', () => {
    let waiting = plenty
    const { claim, memory } = play(['q0'], () => waiting)
    claim('any', 4)
    expect(memory.isHeldUp).toBe(false)
    waiting = 0
    claim('ahead', 4)
    expect(memory.isHeldUp).toBe(false)
  })
})

test('nothing is kept of queues without a backlog', () => {
  let waiting = 5
  const { claim, memory } = play(names(4), () => waiting)
  const idle = memory.plan('any', 10).order
  claim('any', 10)
  expect(memory.plan('any', 10).order).not.toEqual(idle)
  waiting = 0
  claim('any', 10)
  expect(memory.plan('any', 10).order).toBe(idle)
})
