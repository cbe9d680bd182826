import { expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { handle, handleBatch } from '@queue/executor'
import { endedAttempts, eventually } from '@queue/test-database'
import { z } from 'zod'
import { createWorker } from '../src/index.ts'
import { drainJobs } from '../src/drain.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

const enqueue = async (count: number): Promise<string[]> => {
  const requests = Array.from({ length: count }, (_, n) => testJob.create({ n }))
  return (await world.database.queue.enqueueMany(requests)).map(({ job }) => job.id)
}

const numberOf = (payload: unknown): number => (payload as { n: number }).n

test('a thousand jobs go to one call, each is an attempt of its own and gets its own end', async () => {
  const ids = await enqueue(1_000)
  const sizes: number[] = []
  const batched = handleBatch(testJob, { size: 1_000, waitMs: 5_000 }, (jobs) => {
    sizes.push(jobs.length)
    return jobs.map(({ payload }) =>
      numberOf(payload) % 10 === 0 ? new Error('a tenth fails') : numberOf(payload),
    )
  })
  const settings = {
    queues: { default: { concurrency: 1_000 } },
    pollIntervalMs: 60_000,
    maxPollIntervalMs: 60_000,
  }
  const worker = world.create({ handlers: [batched] }, settings)
  await worker.start()
  await eventually(async () => {
    const states = await world.database.queue.states(ids)
    return states.filter(({ status }) => status === 'succeeded').length === 900
  })
  await worker.stop()
  expect(sizes[0]).toBe(1_000)
  const { rows } = await world.database.pool.query<{ outcome: string; count: number }>(
    `SELECT outcome, count(*)::int AS count FROM ${endedAttempts('queue')} AS x WHERE attempt = 1 GROUP BY outcome ORDER BY outcome`,
  )
  expect(rows).toEqual([
    { outcome: 'failed', count: 100 },
    { outcome: 'succeeded', count: 900 },
  ])
})

test('a job of a batch that is cancelled, times out or is lost is told by its own signal, and the others go on', async () => {
  const gate = Promise.withResolvers<void>()
  const reasons = new Map<string, unknown>()
  const begun = Promise.withResolvers<void>()
  const batched = handleBatch(testJob, { size: 4, waitMs: 5_000 }, async (jobs) => {
    for (const { id, ctx } of jobs)
      ctx.signal.addEventListener('abort', () =>
        reasons.set(id, (ctx.signal.reason as { reason: string }).reason),
      )
    begun.resolve()
    await gate.promise
    return jobs.map(({ payload }) => numberOf(payload))
  })
  const [plain = '', cancelled = '', lost = ''] = await enqueue(3)
  const slow = (await world.database.queue.enqueue(testJob, { n: 3 }, { timeoutMs: 2_000 })).job.id
  const worker = world.create({ handlers: [batched] }, { concurrency: 4, timeoutGraceMs: 60_000 })
  await worker.start()
  await begun.promise
  await world.database.queue.cancel(cancelled)
  await world.database.pool.query(
    `UPDATE queue.jobs SET locked_by = 'somebody else', lease_token = lease_token + 1 WHERE id = $1`,
    [lost],
  )
  await eventually(() => reasons.size === 3)
  gate.resolve()
  const ended = await world.reached(plain, 'succeeded')
  expect(ended.result).toBe(0)
  await world.reached(slow, 'succeeded')
  await worker.stop()
  expect(Object.fromEntries(reasons)).toEqual({
    [cancelled]: 'cancelled',
    [lost]: 'lease_lost',
    [slow]: 'timeout',
  })
  expect((await world.job(lost)).status).not.toBe('succeeded')
})

test('a drain runs a batch with all due jobs', async () => {
  await enqueue(7)
  const sizes: number[] = []
  const batched = handleBatch(testJob, { size: 5, waitMs: 1 }, (jobs) => {
    sizes.push(jobs.length)
    return jobs.map(() => null)
  })
  const drained = await drainJobs({ connectionString: world.database.url, handlers: [batched] })
  expect([drained.map(({ outcome }) => outcome), sizes]).toEqual([
    Array.from({ length: 7 }, () => 'succeeded'),
    [5, 2],
  ])
})

test('a batch that is larger than the slots of its queue is refused with the remedy', () => {
  const events = defineJob({ kind: 'event', payload: z.unknown(), queue: 'events' })
  const handlers = [handleBatch(events, { size: 100, waitMs: 10 }, () => []), handle(testJob, () => null)]
  const create = (queues?: Record<string, { concurrency?: number }>) => () =>
    createWorker({
      connectionString: 'postgres://nobody@127.0.0.1:1/nothing',
      handlers,
      ...(queues && { queues }),
    })
  expect(create()).toThrow('{ queues: { "events": { concurrency: 100 } } }')
  expect(create({ events: { concurrency: 99 } })).toThrow('99 slots')
  expect(create({ events: { concurrency: 100 }, default: {} })).not.toThrow()
})
