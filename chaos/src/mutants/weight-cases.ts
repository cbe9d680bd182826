import type { LimitRule } from '@queue/core'
import type { ClaimedJob } from '@queue/core/runtime'
import type { Case } from './cases.ts'
import type { Harness } from './harness.ts'

const burst = 6
const dayMs = 86_400_000

/** What jobs of some weight do under the rate of a queue, and of a key. */
export const weightCases: Readonly<Record<string, Case>> = {
  'jobs of some weight wait for the tokens of a queue': (harness) => under(harness, 'queue', waitForTokens),
  'jobs of some weight wait for the tokens of their key': (harness) =>
    under(harness, 'each_key', waitForTokens),
  'a job weighs more than the burst of its queue': (harness) => under(harness, 'queue', exceedBurst),
  'a job weighs more than the burst of its key': (harness) => under(harness, 'each_key', exceedBurst),
  'lighter jobs come while one waits for the tokens of a queue': (harness) =>
    under(harness, 'queue', comeBetween),
  'lighter jobs come while one waits for the tokens of its key': (harness) =>
    under(harness, 'each_key', comeBetween),
}

interface Weighed {
  enqueue(weights: readonly number[], priority?: number): Promise<void>
  /** Claims and finishes; gives how many jobs. */
  start(): Promise<number>
  /** Lets time pass for the buckets: each day brings a token. */
  passDays(days: number): Promise<void>
  expect(what: string, started: number, isRight: boolean): void
}

/** In order, and each when the bucket has what it weighs. */
async function waitForTokens({ enqueue, start, passDays, expect }: Weighed): Promise<void> {
  await enqueue([2, 3, 5, 1])
  const first = await start()
  expect('more started than the weights of the jobs allow', first, first === 2)
  const meanwhile = await start()
  expect('a job started before there were tokens for the one before it', meanwhile, meanwhile === 0)
  await passDays(4)
  const second = await start()
  expect('a start was not charged what its job weighs', second, second === 1)
  await passDays(1)
  const third = await start()
  expect('a job did not start when its tokens were there', third, third === 1)
}

async function exceedBurst({ enqueue, start, passDays, expect }: Weighed): Promise<void> {
  await enqueue([1_000_000])
  const first = await start()
  expect('a job that weighs more than the burst did not start when the bucket was full', first, first === 1)
  await enqueue([2])
  await passDays(1)
  const second = await start()
  expect('a job that weighs more than the burst has not used all of it', second, second === 0)
  await passDays(1)
  const third = await start()
  expect('a job that weighs more than the burst has used more than it', third, third === 1)
}

/** They have a better priority, and tokens enough; but those are saved up. */
async function comeBetween({ enqueue, start, passDays, expect }: Weighed): Promise<void> {
  await enqueue([4, 5])
  const first = await start()
  expect('a job that no rate held back did not start', first, first === 1)
  await enqueue([2], 0)
  const between = await start()
  expect('a lighter job used the tokens that are saved up for a heavy one', between, between === 0)
  await passDays(3)
  const rest = await start()
  expect('nothing started when what was waited for had been saved up', rest, rest === 1)
}

/** A queue of its own with a rate of a token a day, for all of its jobs or for a key that all of them have. */
async function under(
  harness: Harness,
  scope: Extract<LimitRule['scope'], 'queue' | 'each_key'>,
  act: (weighed: Weighed) => Promise<void>,
): Promise<void> {
  const queue = harness.openQueue()
  await harness.queue.limits.set({ queue, scope, rate: { count: 1, perMs: dayMs, burst } })
  const worker = await harness.hire(queue)
  const whose = scope === 'queue' ? 'a queue' : 'a key'
  try {
    await act({
      enqueue: async (weights, priority = 4) => {
        for (const weight of weights) {
          const options = { weight, priority, ...(scope === 'each_key' && { key: 'key' }) }
          await harness.enqueue(queue, { plan: 'succeed', count: 1, options })
        }
      },
      start: async () => {
        const jobs: readonly ClaimedJob[] = await harness.claim(worker, queue)
        await harness.finish(jobs)
        return jobs.length
      },
      passDays: async (days) => {
        for (const table of [
          'limit_counters SET spent_until = spent_until',
          'lane_events SET due_at = due_at',
        ])
          await harness.plain.pool.query(`UPDATE queue.${table} - $1 * interval '1 day' WHERE queue = $2`, [
            days,
            queue,
          ])
      },
      expect: (what, started, isRight) =>
        harness.expectAnswer(`by the rate of ${whose}, ${what}: ${started} started`, isRight),
    })
  } finally {
    await harness.queue.limits.delete({ queue, scope })
  }
}
