import { describe, expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { handle } from '@queue/executor'
import { eventually, insertJob, insertWorker } from '@queue/test-database'
import { z } from 'zod'
import { aborted } from './support/aborted.ts'
import { holdTable } from './support/hold-claims.ts'
import { type Settings, testJob, type TestHandler, useWorld } from './support/world.ts'

const world = useWorld()

const create = (handler: TestHandler, settings: Settings = {}) =>
  world.create({ handlers: [handle(testJob, handler)] }, settings)

async function statesOfWorkers(): Promise<string[]> {
  const { rows } = await world.database.pool.query('SELECT state FROM queue.workers')
  return rows.map((row) => row.state)
}

describe('a worker that runs until it is empty', () => {
  test('runs all due jobs and those that they enqueue, and stops', async () => {
    for (let n = 0; n < 25; n += 1) await world.enqueue()
    let more = 10
    const worker = create(async () => {
      if (more > 0) {
        more -= 1
        await world.enqueue()
      }
    })
    const { ended, attempts } = await worker.runUntilEmpty({ maxMs: 60_000 })
    expect([ended, attempts.succeeded]).toEqual(['empty', 35])
    expect(await statesOfWorkers()).toEqual(['stopped'])
    await expect(worker.start()).rejects.toThrow('was stopped')
  })

  test('ends at once without jobs', async () => {
    const { ended, attempts } = await create(() => undefined).runUntilEmpty()
    expect(ended).toBe('empty')
    expect(Object.values(attempts)).toEqual(Array.from({ length: 8 }, () => 0))
  })

  test('leaves jobs that are due later, and counts failures', async () => {
    const job = defineJob({
      kind: 'test_job',
      payload: z.looseObject({}),
      retryPolicy: { type: 'fixed', baseMs: 3_600_000 },
    })
    const later = await world.enqueue({ delayMs: 3_600_000 })
    const { job: failing } = await world.database.queue.enqueue(job, {})
    const worker = create(() => {
      throw new Error('no')
    })
    const { ended, attempts } = await worker.runUntilEmpty({ maxMs: 60_000 })
    expect([ended, attempts.retrying]).toEqual(['empty', 1])
    expect((await world.job(later)).attempts).toBe(0)
    expect((await world.job(failing.id)).status).toBe('retrying')
  })

  test('serves each of its groups of slots, also jobs that have crashed a worker', async () => {
    for (const queue of ['default', 'mail']) {
      await world.enqueue({ queue })
      await insertJob(world.database, { kind: 'test_job', queue, crashes: 1 })
    }
    const worker = create(() => undefined, { queues: { default: {}, mail: { concurrency: 2 } } })
    expect(await worker.runUntilEmpty({ maxMs: 60_000 })).toMatchObject({
      ended: 'empty',
      attempts: { succeeded: 4 },
    })
  })

  test('takes over the jobs of a lost worker first', async () => {
    const lost = await insertWorker(world.database, { leaseMs: -1 })
    await insertJob(world.database, { kind: 'test_job', status: 'running', lockedBy: lost, attempts: 1 })
    const worker = create(() => undefined)
    await worker.runUntilEmpty({ maxMs: 60_000 })
    const { rows } = await world.database.pool.query('SELECT status FROM queue.all_jobs')
    expect(rows).not.toContainEqual({ status: 'running' })
  })

  test('fires the schedules that are due, and runs their jobs', async () => {
    await world.database.queue.schedules.create({
      name: 'due',
      everyMs: 3_600_000,
      missed: 'once',
      definition: testJob,
      payload: {},
    })
    await world.database.pool.query(
      `UPDATE queue.schedules SET next_run_at = next_run_at - interval '1 hour', due_at = due_at - interval '1 hour'`,
    )
    const { ended, attempts } = await create(() => undefined).runUntilEmpty({ maxMs: 60_000 })
    expect([ended, attempts.succeeded]).toEqual(['empty', 1])
  })

  test('waits for a rate limit that delays its jobs', async () => {
    await world.database.queue.limits.set({
      queue: 'default',
      scope: 'queue',
      rate: { count: 1, perMs: 1_000, burst: 1 },
    })
    for (let n = 0; n < 3; n += 1) await world.enqueue()
    try {
      const { ended, attempts } = await create(() => undefined).runUntilEmpty({ maxMs: 60_000 })
      expect([ended, attempts.succeeded]).toEqual(['empty', 3])
    } finally {
      await world.database.queue.limits.delete({ queue: 'default', scope: 'queue' })
    }
  })

  test('ends after its time, and lets running jobs end within the grace', async () => {
    const gate = Promise.withResolvers<void>()
    await world.enqueue()
    const worker = create(() => gate.promise, { shutdownGraceMs: 60_000, concurrency: 1 })
    const next = await world.enqueue()
    const running = worker.runUntilEmpty({ maxMs: 5_000 })
    await eventually(() => worker.running === 1)
    setTimeout(gate.resolve, 5_500)
    const { ended, attempts } = await running
    expect([ended, attempts.succeeded]).toEqual(['time', 1])
    expect((await world.job(next)).status).toBe('queued')
  })

  test('is aborted by a stop, which releases what still runs after the grace', async () => {
    const id = await world.enqueue()
    const worker = create(
      async (_job, ctx) => {
        throw await aborted(ctx.signal)
      },
      { shutdownGraceMs: 10 },
    )
    const running = worker.runUntilEmpty()
    await eventually(() => worker.running === 1)
    await worker.stop()
    expect(await running).toMatchObject({ ended: 'aborted', attempts: { released: 1 } })
    expect((await world.job(id)).attempts).toBe(0)
  })

  test('goes on while a job runs that a claim has brought since it looked whether it held any', async () => {
    const [begun, mayEnd] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
    const worker = create(async ({ payload }) => {
      if (payload['last'] === true) return
      begun.resolve()
      await mayEnd.promise
      await world.database.queue.enqueue(testJob, { last: true })
    })
    // It looks for jobs that it holds, and then for schedules that are due.
    const schedules = await holdTable(world.database, 'schedules')
    const running = worker.runUntilEmpty({ maxMs: 60_000 })
    // Its schedules are asked for by the loop that fires them too.
    await schedules.waiting(2)
    await world.enqueue()
    await begun.promise
    await schedules.release()
    const claims = (): number => world.observer.reports('claimFinished').length
    const before = claims()
    // Had it called itself empty, it would claim no more.
    await eventually(() => claims() > before + 10, { what: 'that it still claims' })
    mayEnd.resolve()
    expect(await running).toMatchObject({ ended: 'empty', attempts: { succeeded: 2 } })
  })

  test('refuses a second call, which would end at the end of the first as if it had been stopped', async () => {
    await world.enqueue()
    const worker = create(() => undefined)
    const running = worker.runUntilEmpty({ maxMs: 60_000 })
    await expect(worker.runUntilEmpty({ maxMs: 60_000 })).rejects.toMatchObject({
      code: 'invalid_options',
      message: expect.stringContaining('create another one'),
    })
    expect(await running).toMatchObject({ ended: 'empty', attempts: { succeeded: 1 } })
  })

  test.each([0, -1, Number.NaN, 2 ** 31])('refuses a limit of %p ms', async (maxMs) => {
    await expect(create(() => undefined).runUntilEmpty({ maxMs })).rejects.toMatchObject({
      code: 'invalid_options',
    })
  })
})
