import { expect, test } from '@jest/globals'
import { insertJob, insertWorker } from '@queue/testing'
import { createClaimer } from '../src/claimer.ts'
import { workerSettingsSchema } from '../src/options.ts'
import { createTracer } from '../src/tracing.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

test('a job whose transaction committed later than the slack is passed over until the first claim after 8 s, and so waits at most 10 s', async () => {
  let nowMs = 0
  const claimer = createClaimer({
    database: world.database.queue.database,
    logger: world.logger,
    observer: world.observer,
    tracer: createTracer(undefined, world.logger),
    queues: ['default'],
    kinds: ['test_job'],
    nowMs: () => nowMs,
    queryTimeoutMs: 10_000,
    onLeaseLost: () => undefined,
  })
  const workerId = await insertWorker(world.database)
  const claimAt = async (atMs: number): Promise<string[]> => {
    nowMs = atMs
    const jobs = await claimer.claim({ workerId, limit: 10, eligible: 'any' })
    return (jobs ?? []).map((job) => job.id)
  }
  expect(await claimAt(0)).toEqual([])
  // It was enqueued before that scan, in a transaction that was open for long after: its run_at is the instant of then.
  const { id } = await insertJob(world.database, { runAt: { msFromNow: -60_000 } })
  expect(await claimAt(7_999)).toEqual([])
  expect(await claimAt(8_000)).toEqual([id])
  expect(workerSettingsSchema.parse({}).maxPollIntervalMs).toBeLessThanOrEqual(10_000 - 8_000)
})
