import type { LimitRule } from '@queue/core'
import type { ClaimedJob } from '@queue/core/internal'
import type { Case, Harness } from './harness.ts'

const burst = 6
const dayMs = 86_400_000

/** Cases of jobs with a weight under the rate limit of a queue or of a key. */
export const weightCases: Readonly<Record<string, Case>> = {
  'jobs of some weight wait for the tokens of a queue': (harness) =>
    withRate(harness, 'queue', waitForTokens),
  'jobs of some weight wait for the tokens of their key': (harness) =>
    withRate(harness, 'each_key', waitForTokens),
  'a job weighs more than the burst of its queue': (harness) => withRate(harness, 'queue', exceedBurst),
  'a job weighs more than the burst of its key': (harness) => withRate(harness, 'each_key', exceedBurst),
  'lighter jobs come while one waits for the tokens of a queue': (harness) =>
    withRate(harness, 'queue', enqueueLighterJob),
  'lighter jobs come while one waits for the tokens of its key': (harness) =>
    withRate(harness, 'each_key', enqueueLighterJob),
}

interface WeightedQueue {
  enqueue(weights: readonly number[], priority?: number): Promise<void>
  /** Claims and finishes jobs, and resolves with their number. */
  start(): Promise<number>
  /** Lets days pass for the token buckets; each day adds one token. */
  passDays(days: number): Promise<void>
  expect(problem: string, started: number, isCorrect: boolean): void
}

/** Jobs start in order, each when the bucket has as many tokens as the job weighs. */
async function waitForTokens({ enqueue, start, passDays, expect }: WeightedQueue): Promise<void> {
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

async function exceedBurst({ enqueue, start, passDays, expect }: WeightedQueue): Promise<void> {
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

/** Lighter jobs with a better priority must not use the tokens that are saved up for a heavy job. */
async function enqueueLighterJob({ enqueue, start, passDays, expect }: WeightedQueue): Promise<void> {
  await enqueue([4, 5])
  const first = await start()
  expect('a job that no rate held back did not start', first, first === 1)
  await enqueue([2], 0)
  const between = await start()
  expect('a lighter job used the tokens that are saved up for a heavy one', between, between === 0)
  await passDays(3)
  const last = await start()
  expect('nothing started when what was waited for had been saved up', last, last === 1)
}

/** Runs `act` with a new queue and a rate of one token a day, for all its jobs or for the key that all of them have. */
async function withRate(
  harness: Harness,
  scope: Extract<LimitRule['scope'], 'queue' | 'each_key'>,
  act: (queueUnderRate: WeightedQueue) => Promise<void>,
): Promise<void> {
  const queue = harness.openQueue()
  await harness.queue.limits.set({ queue, scope, rate: { count: 1, perMs: dayMs, burst } })
  const worker = await harness.addWorker(queue)
  const owner = scope === 'queue' ? 'a queue' : 'a key'
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
          await harness.unmutated.pool.query(
            `UPDATE queue.${table} - $1 * interval '1 day' WHERE queue = $2`,
            [days, queue],
          )
      },
      expect: (problem, started, isCorrect) =>
        harness.expectAnswer(`by the rate of ${owner}, ${problem}: ${started} started`, isCorrect),
    })
  } finally {
    await harness.queue.limits.delete({ queue, scope })
  }
}
