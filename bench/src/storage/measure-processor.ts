import { payloadOf, smallBytes, storedJob } from './job-sorts.ts'
import type { World } from './world.ts'

/** The sizes of claims and ends, each with its share of the jobs: a batch of one takes much longer for each job. */
export const batches = [
  { batch: 500, share: 1 },
  { batch: 20, share: 0.5 },
  { batch: 1, share: 0.1 },
] as const

const enqueuedAtOnce = 1_000

/**
 * The processor time of the server in microseconds for the claim and the end of a job, in claims and ends of `batch` jobs. The
 * system counts in ticks of ten milliseconds, so `count` jobs must take seconds.
 */
export async function measureProcessor(world: World, batch: number, count: number): Promise<number> {
  const { queue, claimer, counters, pool } = world
  for (let made = 0; made < count; made += enqueuedAtOnce) {
    const jobs = Array.from({ length: Math.min(enqueuedAtOnce, count - made) }, () =>
      storedJob.create(payloadOf(smallBytes)),
    )
    await queue.enqueueMany(jobs)
  }
  await pool.query('ANALYZE')
  let ended = 0
  await counters.measure(async () => {
    while (ended < count) {
      const { jobs } = await claimer.claim(batch)
      if (jobs.length === 0) throw new Error(`only ${ended} of ${count} jobs could be claimed`)
      await claimer.finish(jobs)
      ended += jobs.length
    }
  })
  return counters.costs().serverUs / ended
}
