import { describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import fc from 'fast-check'
import { ClaimMemory, type Eligible } from '../../src/claims/claim-memory.ts'

const priority = 4
const unlimited = Number.POSITIVE_INFINITY

/** How many waiting jobs of a queue a claim of this kind may take. */
type ClaimableCount = (queue: string, eligible: Eligible) => number

interface Job {
  readonly priority: number
  readonly queue: string
  readonly runAt: Date
  readonly attempt: number
  readonly maxAttempts: number
  readonly crashes: number
  readonly expiresAt: null
}

interface Simulation {
  /** How many jobs of each queue have been claimed. */
  readonly claimedByQueue: Map<string, number>
  /** Claims once, as PostgreSQL would, and returns the jobs. */
  claim(eligible: Eligible, limit: number): readonly Job[]
  readonly memory: ClaimMemory
}

function simulate(
  queues: readonly string[],
  claimableCount: ClaimableCount,
  mayWait = (): boolean => true,
): Simulation {
  const memory = new ClaimMemory(queues)
  const claimedByQueue = new Map(queues.map((queue) => [queue, 0]))
  const queueIndexOf = (slot: number): number => slot % queues.length
  return {
    memory,
    claimedByQueue: claimedByQueue,
    claim: (eligible, limit) => {
      const plan = memory.plan(eligible, limit)
      const claimed: Job[] = []
      for (const [index, slot] of plan.order.entries()) {
        const queue = queues[queueIndexOf(slot)] as string
        if (Math.floor(slot / queues.length) !== priority) continue
        const jobs = Math.min(
          plan.shares[index] ?? 0,
          limit - claimed.length,
          claimableCount(queue, eligible),
        )
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
        claimedByQueue.set(queue, (claimedByQueue.get(queue) ?? 0) + jobs)
      }
      memory.learn(plan, { claimed, openQueues: queues, nowMs: 1e12 })
      return claimed
    },
  }
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `q${index}`)

/** The difference between the queue with the most claimed jobs and the one with the fewest, after `since`. */
function claimGap(claimedByQueue: ReadonlyMap<string, number>, since?: ReadonlyMap<string, number>): number {
  const counts = [...claimedByQueue].map(([queue, count]) => count - (since?.get(queue) ?? 0))
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
          const { claim, claimedByQueue } = simulate(names(count), () => unlimited)
          // Warms up until the memory knows a backlog of each queue and all have caught up with the first.
          for (const eligible of ['any', 'steady', 'ahead'] as const) claim(eligible, 1_000)
          claim('any', 1_000)
          const since = new Map(claimedByQueue)
          for (const { eligible, limit } of sequence) {
            expect(claim(eligible, limit)).toHaveLength(limit)
            expect(claimGap(claimedByQueue, since)).toBeLessThanOrEqual(2)
          }
        }),
        seeded(`turns of ${count}`),
      )
    },
  )

  test.each([2, 3, 4, 7])('%i that appear at once share the first claim equally', (count) => {
    const { claim, claimedByQueue } = simulate(names(count), () => unlimited)
    expect(claim('any', 1_000)).toHaveLength(1_000)
    expect(claimGap(claimedByQueue)).toBeLessThanOrEqual(count)
  })

  test('take turns in claims of one job', () => {
    const { claim } = simulate(names(3), () => unlimited)
    const queues = Array.from({ length: 9 }, () => claim('any', 1)[0]?.queue)
    expect(queues).toEqual(['q0', 'q1', 'q2', 'q0', 'q1', 'q2', 'q0', 'q1', 'q2'])
  })

  test('leave no part of a claim unused when one of them runs empty', () => {
    const jobsLeft = new Map([
      ['q0', unlimited],
      ['q1', 100],
      ['q2', unlimited],
    ])
    const { claim, claimedByQueue } = simulate(
      names(3),
      (queue) => (jobsLeft.get(queue) ?? 0) - (claimedByQueue.get(queue) ?? 0),
    )
    for (let round = 0; round < 10; round += 1) expect(claim('any', 90)).toHaveLength(90)
    expect(claimedByQueue.get('q1')).toBe(100)
    expect(Math.abs((claimedByQueue.get('q0') ?? 0) - (claimedByQueue.get('q2') ?? 0))).toBeLessThanOrEqual(
      60,
    )
  })

  test('get no compensation for a time in which they were empty', () => {
    let secondHas = 0
    const { claim, claimedByQueue } = simulate(names(2), (queue) => (queue === 'q0' ? unlimited : secondHas))
    for (let round = 0; round < 20; round += 1) claim('any', 500)
    expect(claimedByQueue.get('q0')).toBeGreaterThan(9_000)
    secondHas = unlimited
    const since = new Map(claimedByQueue)
    for (let round = 0; round < 20; round += 1) {
      claim('any', 10)
      expect(claimGap(claimedByQueue, since)).toBeLessThanOrEqual(10)
    }
    expect((claimedByQueue.get('q1') ?? 0) - (since.get('q1') ?? 0)).toBe(100)
  })

  test('that appear and empty in every claim do not reduce the share of another', () => {
    const queues = names(5)
    const { claim, claimedByQueue } = simulate(queues, (queue) => (queue === 'q0' ? unlimited : 3))
    for (let round = 0; round < 100; round += 1) claim('any', 10)
    expect(claimedByQueue.get('q0')).toBeGreaterThanOrEqual(200)
    for (const queue of queues.slice(1)) expect(claimedByQueue.get(queue)).toBeGreaterThanOrEqual(150)
  })

  test('are charged only for started jobs: a returned job does not count', () => {
    const { claim, memory, claimedByQueue } = simulate(names(2), () => unlimited)
    claim('any', 100)
    claim('any', 100)
    const since = new Map(claimedByQueue)
    for (let round = 0; round < 10; round += 1) {
      // Half of the second queue's jobs are returned unstarted.
      for (const job of claim('any', 100).filter(({ queue }, index) => queue === 'q1' && index % 2 === 0)) {
        memory.noteReturned(job)
        claimedByQueue.set('q1', (claimedByQueue.get('q1') ?? 0) - 1)
      }
    }
    claim('any', 100)
    expect(claimGap(claimedByQueue, since)).toBeLessThanOrEqual(2)
  })
})

describe('a queue whose jobs must not be claimed ahead', () => {
  const lastAttempts: ClaimableCount = (queue, eligible) =>
    queue === 'q0' && eligible === 'ahead' ? 0 : unlimited

  test('stops claims ahead, which would serve it less than the other queues', () => {
    const { claim, memory, claimedByQueue } = simulate(names(2), lastAttempts, () => false)
    expect(memory.isHeldUp).toBe(false)
    claim('any', 4)
    claim('ahead', 100)
    expect(memory.isHeldUp).toBe(true)
    // The queue catches up through claims for free slots, the only ones that are left.
    for (let round = 0; round < 100; round += 1) claim('any', 4)
    expect(memory.isHeldUp).toBe(true)
    expect(claimGap(claimedByQueue)).toBeLessThanOrEqual(1)
  })

  test('allows them again once it has jobs that may be claimed ahead, or none at all', () => {
    let mayWait = false
    let first = unlimited
    const queues = names(2)
    const claimedByFirst = () => {
      const played = simulate(
        queues,
        (queue, eligible) => (queue === 'q1' ? unlimited : eligible === 'ahead' ? 0 : first),
        () => mayWait,
      )
      played.claim('any', 4)
      played.claim('ahead', 4)
      return played
    }
    const drained = claimedByFirst()
    expect(drained.memory.isHeldUp).toBe(true)
    first = 0
    drained.claim('any', 4)
    expect(drained.memory.isHeldUp).toBe(false)

    first = unlimited
    const mixed = claimedByFirst()
    expect(mixed.memory.isHeldUp).toBe(true)
    mayWait = true
    mixed.claim('any', 4)
    expect(mixed.memory.isHeldUp).toBe(false)
  })

  test('does not stop them if no claim ahead has checked, or all its jobs were claimed', () => {
    let waiting = unlimited
    const { claim, memory } = simulate(['q0'], () => waiting)
    claim('any', 4)
    expect(memory.isHeldUp).toBe(false)
    waiting = 0
    claim('ahead', 4)
    expect(memory.isHeldUp).toBe(false)
  })

  test('keeps jobs of worse priorities from them until a claim for slots has found it empty', () => {
    let waiting = unlimited
    const { claim, memory } = simulate(['q0'], () => waiting)
    const isAskedFor = (at: number) => (memory.plan('ahead', 4).shares[at] ?? 0) > 0
    claim('any', 4)
    waiting = 0
    claim('ahead', 4)
    expect([isAskedFor(priority), isAskedFor(priority + 1)]).toEqual([true, false])
    claim('any', 4)
    expect([isAskedFor(priority), isAskedFor(priority + 1)]).toEqual([true, true])
  })
})

describe('jobs in lanes that can start', () => {
  const queues = ['q0', 'q1']
  const openQueues = queues

  /** A memory that has seen lanes of the queue `q0` at the priority `lanesAt`, beside a backlog of plain jobs of `q1`. */
  function withLanes(lanesAt: number): ClaimMemory {
    const memory = new ClaimMemory(queues)
    const plan = memory.plan('any', 4)
    const placeOf = (queue: number, at: number): number => plan.order.indexOf(2 * at + queue) + 1
    const claimed = {
      priority,
      queue: 'q1',
      runAt: new Date(0),
      attempt: 1,
      maxAttempts: 3,
      crashes: 0,
      expiresAt: null,
    }
    const left = { leftLanes: [placeOf(0, lanesAt)], leftLines: [placeOf(1, priority)], unreadLines: [] }
    expect(memory.learnOfSlots(plan, { claimed: [claimed, claimed], openQueues, ...left })).toBe(true)
    return memory
  }
  const jobAt = (at: number): Job => ({
    priority: at,
    queue: 'q1',
    runAt: new Date(0),
    attempt: 1,
    maxAttempts: 3,
    crashes: 0,
    expiresAt: null,
  })

  test.each([
    ['a better', priority - 1, true],
    ['the same', priority, true],
    ['a worse', priority + 1, false],
  ])('at %s priority than a backlog decide whether it is claimed ahead', (_priority, lanesAt, isHeldUp) => {
    const memory = withLanes(lanesAt)
    expect(memory.isHeldUp).toBe(isHeldUp)
    expect(memory.holdsUp(jobAt(priority))).toBe(isHeldUp)
    const { order, shares } = memory.plan('ahead', 100)
    const slots = order.filter((_slot, index) => (shares[index] ?? 0) > 0)
    expect(slots.every((slot) => Math.floor(slot / 2) < lanesAt)).toBe(true)
  })

  test('are behind the plain jobs that have started, and hold nothing up once they are gone', () => {
    const memory = withLanes(priority)
    const plan = memory.plan('any', 4)
    const shareOf = (queue: number): number => plan.shares[plan.order.indexOf(2 * priority + queue)] ?? 0
    expect(plan.order.indexOf(2 * priority)).toBeLessThan(plan.order.indexOf(2 * priority + 1))
    expect(shareOf(0)).toBe(3)
    const nothingLeft = { leftLanes: [], leftLines: [], unreadLines: [] }
    expect(memory.learnOfSlots(plan, { claimed: [], openQueues, ...nothingLeft })).toBe(false)
    expect(memory.isHeldUp).toBe(false)
  })

  test('keep their turn through a claim ahead, which passes over queues with limits', () => {
    const memory = withLanes(priority + 1)
    memory.learn(memory.plan('ahead', 100), { claimed: [], openQueues: ['q1'], nowMs: 1e12 })
    expect(memory.holdsUp(jobAt(priority + 1))).toBe(true)
  })
})

test('no state is kept for queues without a backlog', () => {
  let waiting = 5
  const { claim, memory } = simulate(names(4), () => waiting)
  const idle = memory.plan('any', 10).order
  claim('any', 10)
  expect(memory.plan('any', 10).order).not.toEqual(idle)
  waiting = 0
  claim('any', 10)
  expect(memory.plan('any', 10).order).toBe(idle)
})
