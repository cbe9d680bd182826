import { describe, expect, test } from '@jest/globals'
import type { UnbegunJob } from '@queue/core/internal'
import type { Claimed, Claimer } from '../src/claimer.ts'
import { Fetcher } from '../src/fetcher.ts'

type Claim = Parameters<Claimer['claim']>[0]

interface SentClaim extends Claim {
  /** The answer of the database; undefined if there is none. */
  answer(claimed: Claimed | undefined): Promise<void>
}

function job(id: string): UnbegunJob {
  return {
    id,
    lease: { jobId: id, token: 1 },
    crashes: 0,
    attempt: 1,
    maxAttempts: 3,
    expiresAt: null,
  } as UnbegunJob
}

function jobs(...ids: readonly string[]): UnbegunJob[] {
  return ids.map(job)
}

/** Runs the callbacks of resolved promises and of `setImmediate`. */
function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
}

/** A fetcher that polls once an hour, and whose claims the test answers. */
function create({ slots = 1, ahead = 0, unwritten = { isHigh: false } } = {}) {
  const sent: SentClaim[] = []
  const begun: string[] = []
  const returned: string[] = []
  /** The returned jobs that are noted as returned turns. */
  const counted: string[] = []
  const state = { workerId: 'me' as string | undefined, free: slots, heldUp: false, nowMs: 0 }
  const claim = (request: Claim): Promise<Claimed | undefined> => {
    const { promise, resolve } = Promise.withResolvers<Claimed | undefined>()
    const answer = async (claimed: Claimed | undefined): Promise<void> => {
      resolve(claimed)
      await nextTurn()
    }
    sent.push({ ...request, answer })
    return promise
  }
  const fetcher = new Fetcher({
    claimer: {
      claim,
      get isHeldUp() {
        return state.heldUp
      },
      holdsUp: () => state.heldUp,
      noteAnnounced: () => undefined,
      noteReturned: (unstarted) => void counted.push(...unstarted.map(({ id }) => id)),
      rescan: () => undefined,
    },
    prefetch: {
      target: () => ahead,
      observe: () => undefined,
      observePayloads: () => undefined,
      holdOff: () => undefined,
    },
    runner: {
      permits: {
        get free() {
          return state.free
        },
        take: (count) => void (state.free -= count),
        putBack: (count) => void (state.free += count),
      },
      begin: ({ id }) => void begun.push(id),
      unrecorded: () => 0,
    },
    crashedJobs: { mayBeClaimed: () => true, claimEnded: () => undefined },
    refusedEnds: { isFull: false },
    unwritten,
    settings: { pollIntervalMs: 3_600_000, maxPollIntervalMs: 3_600_000 },
    nowMs: () => state.nowMs,
    workerId: () => state.workerId,
    returnUnstarted: (unstarted) => void returned.push(...unstarted.map(({ id }) => id)),
  })
  const endOne = async (): Promise<void> => {
    state.free += 1
    fetcher.onRoom()
    await nextTurn()
  }
  fetcher.start()
  return { fetcher, sent, begun, returned, counted, state, endOne }
}

const more = (...ids: readonly string[]): Claimed => ({
  jobs: jobs(...ids),
  payloadLength: 0,
  more: true,
  retryInMs: null,
  nextForSlots: 'later',
})
const all = (...ids: readonly string[]): Claimed => ({
  jobs: jobs(...ids),
  payloadLength: 0,
  more: false,
  retryInMs: null,
  nextForSlots: 'later',
})

test('a claim is for the free slots, and the next claim is sent when a slot is free again', async () => {
  const { fetcher, sent, begun, endOne } = create({ slots: 2 })
  expect(sent).toMatchObject([{ limit: 2, eligible: 'any' }])
  await sent[0]?.answer(more('a', 'b'))
  expect({ begun, claims: sent.length }).toEqual({ begun: ['a', 'b'], claims: 1 })
  await endOne()
  expect(sent[1]).toMatchObject({ limit: 1 })
  await Promise.all([fetcher.stop(), sent[1]?.answer(all())])
})

test('only jobs that are announced during a claim cause another one right after it', async () => {
  const { fetcher, sent } = create()
  fetcher.wake()
  await sent[0]?.answer(all())
  expect(sent).toHaveLength(2)
  await sent[1]?.answer(all())
  expect(sent).toHaveLength(2)
  fetcher.wake()
  await nextTurn()
  expect(sent).toHaveLength(3)
  await Promise.all([fetcher.stop(), sent[2]?.answer(all())])
})

test('a claim without an answer releases its permits, and is not repeated before the poll interval has passed', async () => {
  const { fetcher, sent, state } = create()
  await sent[0]?.answer(undefined)
  expect({ free: state.free, claims: sent.length }).toEqual({ free: 1, claims: 1 })
  await fetcher.stop()
})

test('without a lease nothing is claimed, whatever is announced', async () => {
  const { fetcher, sent, state } = create()
  await sent[0]?.answer(all())
  state.workerId = undefined
  fetcher.wake()
  await nextTurn()
  expect({ free: state.free, claims: sent.length }).toEqual({ free: 1, claims: 1 })
  await fetcher.stop()
})

test('jobs that were claimed under a lease that was lost meanwhile are returned and do not start', async () => {
  const { fetcher, sent, begun, returned, state } = create()
  state.workerId = 'me again'
  await sent[0]?.answer(all('a'))
  expect({ begun, returned, free: state.free }).toEqual({ begun: [], returned: ['a'], free: 1 })
  await fetcher.stop()
})

test('while too much waits to be written, nothing is claimed, and no prefetched job starts', async () => {
  const unwritten = { isHigh: false }
  const { fetcher, sent, begun, returned, endOne } = create({ ahead: 2, unwritten })
  await sent[0]?.answer(more('a'))
  await sent[1]?.answer(more('b', 'c'))
  unwritten.isHigh = true
  await endOne()
  expect({ begun, claims: sent.length }).toEqual({ begun: ['a'], claims: 2 })
  unwritten.isHigh = false
  fetcher.onRoom()
  await nextTurn()
  expect(begun).toEqual(['a', 'b'])
  await Promise.all([fetcher.stop(), sent[2]?.answer(all())])
  expect(returned).toEqual(['c'])
})

test('prefetched jobs start when slots become free, and are leased to this worker until then', async () => {
  const { fetcher, sent, begun, endOne } = create({ ahead: 2 })
  await sent[0]?.answer(more('a'))
  expect(sent[1]).toMatchObject({ limit: 2, eligible: 'ahead' })
  await sent[1]?.answer(more('b', 'c'))
  expect({ begun, waiting: fetcher.leases() }).toEqual({
    begun: ['a'],
    waiting: jobs('b', 'c').map(({ lease }) => lease),
  })
  await endOne()
  expect(begun).toEqual(['a', 'b'])
  await Promise.all([fetcher.stop(), sent[2]?.answer(all())])
})

test('a stop returns the jobs that wait in memory at once, and those of the last claim when it is answered', async () => {
  const { fetcher, sent, begun, returned } = create({ ahead: 4 })
  await sent[0]?.answer(more('a'))
  await sent[1]?.answer(more('b'))
  expect(sent).toHaveLength(3)
  const stopped = fetcher.stop()
  expect(returned).toEqual(['b'])
  await sent[2]?.answer(more('c'))
  await stopped
  expect({ begun, returned, claims: sent.length }).toEqual({ begun: ['a'], returned: ['b', 'c'], claims: 3 })
})

describe('while it is the turn of jobs that may not wait in memory', () => {
  /** A fetcher with two jobs in memory, that has just learnt that others may not wait. */
  async function heldUp() {
    const created = create({ ahead: 2 })
    const { sent, state } = created
    await sent[0]?.answer(more('a'))
    await sent[1]?.answer(more('b', 'c'))
    state.heldUp = true
    return created
  }

  test('prefetched jobs leave the slots to claims, and begin when that turn is over', async () => {
    const { fetcher, sent, begun, returned, state, endOne } = await heldUp()
    await endOne()
    expect({ begun, last: sent.at(-1) }).toMatchObject({ begun: ['a'], last: { limit: 1, eligible: 'any' } })
    state.heldUp = false
    await sent.at(-1)?.answer(more())
    expect({ begun, returned }).toEqual({ begun: ['a', 'b'], returned: [] })
    await Promise.all([fetcher.stop(), sent.at(-1)?.answer(all())])
  })

  test('prefetched jobs are returned if it lasts, and do not count as returned turns', async () => {
    const { fetcher, sent, begun, returned, counted, state, endOne } = await heldUp()
    await endOne()
    await sent.at(-1)?.answer(more('d'))
    state.nowMs = 25
    await endOne()
    await sent.at(-1)?.answer(more('e'))
    expect({ begun, returned, counted }).toEqual({
      begun: ['a', 'd', 'e'],
      returned: ['b', 'c'],
      counted: [],
    })
    await Promise.all([fetcher.stop(), sent.at(-1)?.answer(all())])
  })
})

test('a claim ahead that finds jobs in lanes is followed by a claim for the next free slot', async () => {
  const { fetcher, sent, begun, endOne } = create({ ahead: 4 })
  await sent[0]?.answer(more('a'))
  await sent[1]?.answer(more('b'))
  await sent[2]?.answer({ ...more(), nextForSlots: 'now' })
  await endOne()
  expect({ begun, last: sent.at(-1) }).toMatchObject({ begun: ['a'], last: { limit: 1, eligible: 'any' } })
  await Promise.all([fetcher.stop(), sent.at(-1)?.answer(all())])
})
