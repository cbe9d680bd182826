import { describe, expect, test } from '@jest/globals'
import { defineJob } from '@queue/core'
import { handle } from '@queue/executor'
import { eventually, insertJob } from '@queue/test-database'
import { z } from 'zod'
import { aborted } from './support/aborted.ts'
import { type Settings, testJob, useWorld } from './support/world.ts'

const world = useWorld()

const impatient = defineJob({
  kind: 'impatient_job',
  payload: z.looseObject({}),
  timeoutMs: 40,
  retryPolicy: { type: 'fixed', baseMs: 1 },
})

/** The settings of a timeout. The first one that is set applies; the others are too long to take effect. */
const never = 3_600_000
const origins: readonly {
  readonly origin: string
  readonly definition: typeof testJob | typeof impatient
  readonly options: { readonly timeoutMs?: number }
  readonly settings: Settings
}[] = [
  { origin: 'job', definition: testJob, options: { timeoutMs: 40 }, settings: { jobTimeoutMs: never } },
  { origin: 'kind', definition: impatient, options: {}, settings: { jobTimeoutMs: never } },
  { origin: 'worker', definition: testJob, options: {}, settings: { jobTimeoutMs: 40 } },
]

describe('a timeout', () => {
  test.each(origins)('of the $origin aborts the attempt, and the job is retried', async (given) => {
    const reasons: string[] = []
    await world
      .create(
        {
          handlers: [
            handle(given.definition as typeof testJob, async (_job, ctx) => {
              if (ctx.attempt > 1) return
              const abort = await aborted(ctx.signal)
              reasons.push(abort.reason)
              throw abort
            }),
          ],
        },
        { timeoutGraceMs: never, ...given.settings },
      )
      .start()
    const { job } = await world.database.queue.enqueue(given.definition, {}, given.options)
    expect(await world.reached(job.id, 'succeeded')).toMatchObject({
      attempts: 2,
      lastError: expect.stringContaining('timeout'),
    })
    expect(reasons).toEqual(['timeout'])
    expect(await world.history(job.id)).toEqual(['failed', 'succeeded'])
  })

  test('of the job wins over that of its kind, and 0 at the worker is none', async () => {
    await world
      .create({ handlers: [handle(impatient, (_job, ctx) => ctx.signal.aborted)] }, { jobTimeoutMs: 0 })
      .start()
    const { job } = await world.database.queue.enqueue(impatient, {}, { timeoutMs: never })
    expect(await world.reached(job.id, 'succeeded')).toMatchObject({ result: false })
  })

  test('does not strike an attempt that ends in time, nor the next one in its slot', async () => {
    const timeoutMs = 200
    const seen: boolean[] = []
    await world.work(
      async (job, ctx) => {
        // It runs until long after the timeout of the first attempt, which ends before its timer.
        if (job.timeoutMs !== timeoutMs) await new Promise((resolve) => setTimeout(resolve, 2 * timeoutMs))
        seen.push(ctx.signal.aborted)
      },
      { concurrency: 1, jobTimeoutMs: never },
    )
    const ids = [await world.enqueue({ timeoutMs, priority: 0 }), await world.enqueue()]
    for (const id of ids) expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1 })
    expect(seen).toEqual([false, false])
  })

  test('does not undo the result of a handler that ends within the grace time', async () => {
    await world.work(
      async (_job, ctx) => {
        await aborted(ctx.signal)
        return 'late but done'
      },
      { timeoutGraceMs: never },
    )
    const id = await world.enqueue({ timeoutMs: 20 })
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'late but done', attempts: 1 })
  })
})

describe('a handler that goes on past its timeout and grace', () => {
  const settings = { concurrency: 2, timeoutGraceMs: 20 }

  test('fails its attempt, keeps its slot, and changes nothing when it settles at last', async () => {
    const zombie = Promise.withResolvers<string>()
    const both = Promise.withResolvers<void>()
    let together = 0
    let most = 0
    const worker = await world.work(async (job) => {
      if (job.priority === 0) return zombie.promise
      together += 1
      most = Math.max(most, together)
      if (together === settings.concurrency) both.resolve()
      await (job.priority === 1 ? both.promise : new Promise((resolve) => setTimeout(resolve, 5)))
      together -= 1
      return 'done'
    }, settings)
    const id = await world.enqueue({ priority: 0, timeoutMs: 20, maxAttempts: 1 })
    expect(await world.reached(id, 'failed_permanent')).toMatchObject({
      lastError: expect.stringContaining('timeout'),
    })
    await eventually(() => world.observer.reports('zombieHandlers').at(-1) === 1)
    expect(world.observer.reports('activeJobs').at(-1)).toBe(1)

    const others = await Promise.all(Array.from({ length: 5 }, () => world.enqueue()))
    for (const other of others) await world.reached(other, 'succeeded')
    expect(most).toBe(1)

    zombie.resolve('much too late')
    await eventually(() => world.observer.reports('zombieHandlers').at(-1) === 0)
    await eventually(() => world.observer.reports('activeJobs').at(-1) === 0)
    expect(await world.job(id)).toMatchObject({ status: 'failed_permanent', result: null })
    expect(await world.history(id)).toEqual(['failed'])
    expect(worker.running).toBe(0)

    // Both slots are free again, because two jobs that wait for each other end.
    const more = await Promise.all([1, 2].map(() => world.enqueue({ priority: 1 })))
    for (const other of more) await world.reached(other, 'succeeded')
    expect(most).toBe(2)
  })

  test('may reject when it settles, and nobody minds', async () => {
    const zombie = Promise.withResolvers<never>()
    await world.work(() => zombie.promise, settings)
    const id = await world.enqueue({ timeoutMs: 20, maxAttempts: 1 })
    await world.reached(id, 'failed_permanent')
    zombie.reject(new Error('far too late'))
    await eventually(() => world.observer.reports('zombieHandlers').at(-1) === 0)
    await eventually(() => world.observer.reports('jobCompleted').length > 0)
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual([
      'failed_permanent',
    ])
  })

  test('ends as cancelled when its cancel was asked for', async () => {
    const zombie = Promise.withResolvers<void>()
    await world.work(() => zombie.promise, settings)
    const id = await world.enqueue({ timeoutMs: 300 })
    await world.reached(id, 'running')
    await world.database.queue.cancel(id)
    await world.reached(id, 'cancelled')
    zombie.resolve()
  })

  test('counts as running for as long as it goes on: no second job that has crashed a worker begins beside it', async () => {
    const zombie = Promise.withResolvers<void>()
    let together = 0
    let most = 0
    const past = { status: 'retrying', attempts: 1, crashes: 1, maxAttempts: 9 } as const
    const ids = []
    for (const timeoutMs of [20, null]) {
      ids.push((await insertJob(world.database, { ...past, timeoutMs, priority: ids.length })).id)
    }
    await world.work(
      async (job, ctx) => {
        if (job.crashes === 0) return
        together += 1
        most = Math.max(most, together)
        if (ctx.attempt === 2 && job.timeoutMs !== null) await zombie.promise
        together -= 1
      },
      { concurrency: 4, timeoutGraceMs: 20 },
    )
    await eventually(() => world.observer.reports('zombieHandlers').at(-1) === 1)
    for (let n = 0; n < 5; n += 1) await world.reached(await world.enqueue(), 'succeeded')
    zombie.resolve()
    for (const id of ids) await world.reached(id, 'succeeded')
    expect(most).toBe(1)
  })

  test('in every slot ends the worker, because nothing can run there any more', async () => {
    const zombie = Promise.withResolvers<void>()
    const worker = await world.work(() => zombie.promise, settings)
    const ids = await Promise.all([0, 1].map(() => world.enqueue({ timeoutMs: 20, maxAttempts: 1 })))
    expect((await worker.failed).message).toContain('all 2 slots')
    for (const id of ids) expect((await world.job(id)).status).toBe('failed_permanent')
    const waiting = await world.enqueue()
    expect(await world.job(waiting)).toMatchObject({ status: 'queued', attempts: 0 })
    expect(worker.id).toBeUndefined()
    zombie.resolve()
  })
})
