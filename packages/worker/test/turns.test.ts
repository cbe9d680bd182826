import { setTimeout as wait } from 'node:timers/promises'
import { afterEach, expect, test } from '@jest/globals'
import type { JobOptions, LimitRule } from '@queue/core'
import { eventually } from '@queue/test-database'
import { testJob, useWorld, type Settings } from './support/world.ts'

const world = useWorld()
const concurrency = 4

/** What the jobs of the queue `other` carry: the options of the nth job, and a limit of the queue. */
interface Load {
  readonly options?: ((n: number) => JobOptions) | undefined
  readonly limit?: Omit<LimitRule, 'queue'> | undefined
}

const highRate = { count: 1_000_000, perMs: 1_000, burst: 1_000_000 }

const loads: Readonly<Record<string, Load>> = {
  'shared keys': { options: (n) => ({ key: `k${n % 20}` }) },
  'keys of their own': { options: (n) => ({ key: `k${n}` }) },
  'ordered keys': {
    options: (n) => ({ key: `k${n % 40}` }),
    limit: { scope: 'each_key', ordered: {} },
  },
  'a limit': { limit: { scope: 'queue', maxRunning: 1_000 } },
  'a limit of their kind': { limit: { scope: 'kind', name: testJob.kind, maxRunning: 1_000 } },
  'a rate': { limit: { scope: 'queue', rate: highRate } },
  'a weight': { options: () => ({ weight: 2 }), limit: { scope: 'queue', rate: highRate } },
  'fair turns': { options: (n) => ({ tenantId: `t${n % 10}` }), limit: { scope: 'queue', fairBy: 'tenant' } },
  'an expiry': { options: () => ({ expiresInMs: 3_600_000 }) },
  'a last attempt': { options: () => ({ maxAttempts: 1 }) },
}

const prefetches = [0, 'auto', 300] as const
const product = Object.keys(loads).flatMap((load) => prefetches.map((prefetch) => ({ load, prefetch })))

afterEach(async () => {
  await world.database.pool.query(`TRUNCATE queue.limits, queue.limit_counters, queue.lanes, queue.lane_turns, queue.lane_events;
     UPDATE queue.queues SET limited = false`)
})

async function setLimit({ limit }: Load): Promise<void> {
  if (limit !== undefined) await world.database.queue.limits.set({ ...limit, queue: 'other' })
}

interface Batch {
  /** What a start of one of these jobs is recorded as. */
  readonly name: string
  readonly queue: 'plain' | 'other'
  readonly count: number
  readonly options?: ((n: number) => JobOptions) | undefined
  readonly priority?: number
}

async function enqueue({ name, queue, count, options, priority = 4 }: Batch): Promise<void> {
  const requests = Array.from({ length: count }, (_, n) =>
    testJob.create({ name }, { queue, priority, maxAttempts: 3, ...options?.(n) }),
  )
  await world.database.queue.enqueueMany(requests)
}

interface Run {
  readonly workers?: number
  readonly onStart?: (starts: readonly string[]) => Promise<void>
}

/** Runs jobs of a millisecond until `isEnough`. Returns the names of the started jobs, in the order of their starts. */
async function startsUntil(
  isEnough: (starts: readonly string[]) => boolean,
  settings: Settings,
  { workers = 1, onStart = async () => undefined }: Run = {},
): Promise<string[]> {
  const starts: string[] = []
  const work = () =>
    world.work(
      async ({ payload }) => {
        starts.push(String(payload['name']))
        await onStart(starts)
        await wait(1)
      },
      { queues: ['plain', 'other'], concurrency, ...settings },
    )
  const started = await Promise.all(Array.from({ length: workers }, work))
  await eventually(() => isEnough(starts))
  await Promise.all(started.map((worker) => worker.stop()))
  return starts
}

function countOf(starts: readonly string[], name: string): number {
  return starts.filter((each) => each === name).length
}

/** How many jobs of this name start before the last one of another name. */
function countBefore(starts: readonly string[], name: string, last: string): number {
  return countOf(starts.slice(0, starts.lastIndexOf(last)), name)
}

/** The smallest share of one of two names relative to the other in any window of starts. */
function worstShare(starts: readonly string[], [a, b]: readonly [string, string]): number {
  const windowStarts = 80
  const edges = 2
  const shares = Array.from({ length: starts.length - windowStarts + 1 }, (_, from) => {
    const window = starts.slice(from, from + windowStarts)
    const counts = [countOf(window, a), countOf(window, b)]
    return (Math.min(...counts) + edges) / Math.max(...counts)
  })
  return Math.min(...shares)
}

/** The last claim of one worker may be under way when the other finds nothing left. */
const lastClaims = 2 * concurrency

/** A claim of ordered keys may miss some that could start. */
const firstClaim = concurrency

test.each(product)(
  'jobs with $load start in the order of priorities and share with plain jobs, with prefetch $prefetch',
  async ({ load: name, prefetch }) => {
    const { options, limit } = loads[name] as Load
    await setLimit({ limit })
    await enqueue({ name: 'late', queue: 'plain', count: 60, priority: 9 })
    await enqueue({ name: 'plain', queue: 'plain', count: 80 })
    await enqueue({ name: 'other', queue: 'other', count: 80, options })
    await enqueue({ name: 'urgent', queue: 'other', count: 40, options, priority: 0 })
    const starts = await startsUntil(({ length }) => length >= 220, { prefetch })
    expect(starts.lastIndexOf('urgent')).toBeLessThan(40 + firstClaim)
    expect(worstShare(starts.slice(40 + firstClaim, 180), ['plain', 'other'])).toBeGreaterThanOrEqual(0.9)
    expect(starts.slice(0, 200 - concurrency).filter((each) => each === 'late').length).toBeLessThanOrEqual(
      firstClaim,
    )
  },
)

test.each(
  ['a limit', 'a limit of their kind', 'a rate', 'fair turns'].flatMap((load) =>
    ([0, 'auto'] as const).map((prefetch) => ({ load, prefetch })),
  ),
)(
  'jobs with $load start before those of a worse priority at two workers, with prefetch $prefetch',
  async ({ load: name, prefetch }) => {
    const { options, limit } = loads[name] as Load
    await setLimit({ limit })
    await enqueue({ name: 'late', queue: 'plain', count: 300, priority: 9 })
    await enqueue({ name: 'urgent', queue: 'other', count: 300, options, priority: 0 })
    const isStarted = (each: readonly string[]) => countOf(each, 'urgent') === 300
    const starts = await startsUntil(isStarted, { prefetch }, { workers: 2 })
    expect(countBefore(starts, 'late', 'urgent')).toBeLessThanOrEqual(lastClaims)
  },
)

test.each(prefetches)(
  'jobs of which some may not wait in memory start before those of a worse priority, with prefetch %s',
  async (prefetch) => {
    const options = (n: number) => ({ maxAttempts: n % 3 === 0 ? 1 : 3 })
    await enqueue({ name: 'late', queue: 'plain', count: 300, priority: 9 })
    await enqueue({ name: 'urgent', queue: 'plain', count: 150, options, priority: 0 })
    const starts = await startsUntil((each) => countOf(each, 'urgent') === 150, {
      prefetch,
      queues: ['plain'],
    })
    expect(countBefore(starts, 'late', 'urgent')).toBe(0)
  },
)

test.each(prefetches)(
  'plain jobs of a better priority start before jobs with a key, with prefetch %s',
  async (prefetch) => {
    const options = (n: number) => ({ key: `k${n}` })
    await enqueue({ name: 'late', queue: 'other', count: 60, options, priority: 9 })
    await enqueue({ name: 'urgent', queue: 'plain', count: 60, priority: 0 })
    const starts = await startsUntil((each) => countOf(each, 'urgent') === 60, { prefetch })
    expect(countBefore(starts, 'late', 'urgent')).toBe(0)
  },
)

test.each(['shared keys', 'a limit', 'an expiry'])(
  'urgent jobs with %s that come while jobs are prefetched do not wait for the backlog',
  async (name) => {
    const { options, limit } = loads[name] as Load
    await setLimit({ limit })
    await enqueue({ name: 'late', queue: 'plain', count: 1_000, priority: 9 })
    let enqueuedAt = 0
    const isStarted = (each: readonly string[]) => countOf(each, 'urgent') === 40
    const onStart = async (each: readonly string[]) => {
      if (each.length !== 100) return
      await enqueue({ name: 'urgent', queue: 'other', count: 40, options, priority: 0 })
      enqueuedAt = each.length
    }
    const starts = await startsUntil(isStarted, { prefetch: 'auto' }, { onStart })
    // Up to 200 jobs wait in memory when the urgent ones come.
    expect(countBefore(starts.slice(enqueuedAt), 'late', 'urgent')).toBeLessThanOrEqual(400)
  },
)

test.each(prefetches)(
  'jobs with and without a key of one queue and priority start in turns, with prefetch %s',
  async (prefetch) => {
    await enqueue({ name: 'plain', queue: 'plain', count: 120 })
    await enqueue({ name: 'keyed', queue: 'plain', count: 120, options: (n) => ({ key: `k${n % 20}` }) })
    const starts = await startsUntil(({ length }) => length >= 160, { prefetch })
    // A claim of one job takes either, at random; one of two jobs takes one of each.
    expect(worstShare(starts.slice(0, 160), ['plain', 'keyed'])).toBeGreaterThanOrEqual(0.5)
  },
)
