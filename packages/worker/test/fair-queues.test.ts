import { setTimeout as wait } from 'node:timers/promises'
import { expect, test } from '@jest/globals'
import { eventually } from '@queue/test-database'
import { testJob, useWorld, type Settings } from './support/world.ts'

const world = useWorld()

/** The number of starts per queue in which the queues must be served equally. It is a fraction of a second on any machine. */
const windowStarts = 80
/** The tolerance, because a window may begin and end in the middle of a turn. */
const edges = 2

async function enqueue(queue: string, count: number, maxAttempts: number): Promise<void> {
  const requests = Array.from({ length: count }, () => testJob.create({}, { queue, maxAttempts }))
  await world.database.queue.enqueueMany(requests)
}

/** The queue of each job in the order of the starts, until the first queue is nearly empty. */
async function startsOf(queues: readonly string[], count: number, settings: Settings): Promise<string[]> {
  const starts: string[] = []
  const worker = await world.work(
    async (job) => {
      starts.push(job.queue)
      await wait(1)
    },
    { queues: [...queues], concurrency: 4, ...settings },
  )
  await eventually(() => starts.length >= 0.8 * count * queues.length)
  await worker.stop()
  return starts.slice(0, Math.floor(0.8 * count * queues.length))
}

/** The smallest share of a queue relative to another one in any window of starts. */
function worstShare(starts: readonly string[], queues: readonly string[]): number {
  const size = windowStarts * queues.length
  const shares = Array.from({ length: starts.length - size + 1 }, (_, from) => {
    const window = starts.slice(from, from + size)
    const counts = queues.map((queue) => window.filter((each) => each === queue).length)
    return (Math.min(...counts) + edges) / Math.max(...counts)
  })
  return Math.min(...shares)
}

const cases = [2, 3, 4, 7].flatMap((count) => [
  { count, maxAttempts: 1, prefetch: 'auto' as const },
  { count, maxAttempts: 3, prefetch: 'auto' as const },
])

test.each([...cases, { count: 2, maxAttempts: 3, prefetch: 0 }, { count: 7, maxAttempts: 3, prefetch: 300 }])(
  '$count queues of equal priority are served alike with $maxAttempts attempts and prefetch $prefetch',
  async ({ count, maxAttempts, prefetch }) => {
    const queues = Array.from({ length: count }, (_, index) => `q${index}`)
    const jobs = 200
    for (const queue of queues) await enqueue(queue, jobs, maxAttempts)
    const starts = await startsOf(queues, jobs, { prefetch })
    expect(worstShare(starts, queues)).toBeGreaterThanOrEqual(0.9)
  },
)

test('a queue of last attempts and one whose jobs may wait in memory are served alike', async () => {
  const jobs = 300
  await enqueue('last', jobs, 1)
  await enqueue('others', jobs, 3)
  const starts = await startsOf(['last', 'others'], jobs, {})
  expect(worstShare(starts, ['last', 'others'])).toBeGreaterThanOrEqual(0.9)
})

test('queues with jobs that have crashed a worker, which run one at a time, are served alike', async () => {
  const queues = ['q0', 'q1']
  const jobs = 200
  for (const queue of queues) await enqueue(queue, jobs, 3)
  await world.database.pool.query(
    `UPDATE queue.jobs AS j SET crashes = 1
       FROM (SELECT id, row_number() OVER (PARTITION BY queue ORDER BY id) AS n FROM queue.all_jobs) AS numbered
      WHERE numbered.id = j.id AND numbered.n % 5 = 0`,
  )
  const starts = await startsOf(queues, jobs, {})
  expect(worstShare(starts, queues)).toBeGreaterThanOrEqual(0.9)
})
