import { describe, expect, test } from '@jest/globals'
import { eventually, leastOfTries, skippedBehindPooler } from '@queue/test-database'
import { aborted } from './support/aborted.ts'
import { countStatements } from './support/counting-pool.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

describe('the cancel of a running job', () => {
  const byNotification = {
    how: 'by a notification',
    settings: { notifications: true, watchIntervalMs: 3_600_000 },
  }
  test.each([
    ...(skippedBehindPooler('LISTEN belongs to a session') ? [] : [byNotification]),
    { how: 'by asking at the default interval', settings: { notifications: false, watchIntervalMs: 500 } },
  ])('reaches its signal within a second $how', async ({ settings }) => {
    let notifiedAtMs = Promise.withResolvers<number>()
    await world.work(async (_job, ctx) => {
      const abort = await aborted(ctx.signal)
      notifiedAtMs.resolve(performance.now())
      throw abort
    }, settings)
    if (settings.notifications) {
      await eventually(() => world.observer.reports('listenerHealthy').includes('healthy'))
    }
    const tookMs = await leastOfTries(1_000, async () => {
      notifiedAtMs = Promise.withResolvers()
      const id = await world.enqueue()
      await world.reached(id, 'running')
      const requestedMs = performance.now()
      expect((await world.database.queue.cancel(id)).outcome).toBe('requested')
      const notificationMs = await notifiedAtMs.promise
      expect(await world.reached(id, 'cancelled')).toMatchObject({ attempts: 1, result: null })
      expect(await world.history(id)).toEqual(['cancelled'])
      return notificationMs - requestedMs
    })
    expect(tookMs).toBeLessThan(1_000)
  })

  test('has its reason, and ends the job although the handler throws another error', async () => {
    const reason = Promise.withResolvers<string>()
    await world.work(async (_job, ctx) => {
      reason.resolve((await aborted(ctx.signal)).reason)
      throw new Error('the cleaning up failed')
    })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.queue.cancel(id)
    expect(await reason.promise).toBe('cancelled')
    expect(await world.reached(id, 'cancelled')).toMatchObject({ cancelRequested: true })
  })

  test('can come from an operation, which counts waiting jobs', async () => {
    const { queue } = world.database
    const signalled = Promise.withResolvers<string>()
    const worker = await world.work(async (_job, ctx) => {
      const abort = await aborted(ctx.signal)
      signalled.resolve(abort.reason)
      throw abort
    })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    const waiting = await Promise.all([1, 2].map(() => world.enqueue({ delayMs: 3_600_000 })))
    expect(await queue.many.cancel({ kind: testJob.kind }, { rate: 1_000 })).toMatchObject({
      outcome: 'operation',
    })
    for (const jobId of [id, ...waiting]) await world.reached(jobId, 'cancelled')
    expect(await signalled.promise).toBe('cancelled')
    expect((await queue.operations.list()).operations).toMatchObject([{ state: 'succeeded', changed: 3 }])
    await worker.stop()
    expect((await queue.stats()).total).toMatchObject({ enqueued: 3, started: 1, cancelled: 3 })
  })

  test('does not undo what the handler achieved in spite of it', async () => {
    await world.work(async (_job, ctx) => {
      await aborted(ctx.signal)
      return 'done all the same'
    })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.queue.cancel(id)
    expect(await world.reached(id, 'succeeded')).toMatchObject({
      result: 'done all the same',
      cancelRequested: true,
    })
  })

  test('reaches only the cancelled one of several running jobs', async () => {
    const gate = Promise.withResolvers<void>()
    const signals = new Map<string, AbortSignal>()
    await world.work(
      async (job, ctx) => {
        signals.set(job.id, ctx.signal)
        await Promise.race([gate.promise, aborted(ctx.signal)])
        ctx.signal.throwIfAborted()
      },
      { concurrency: 5 },
    )
    const ids = await Promise.all(Array.from({ length: 5 }, () => world.enqueue()))
    await eventually(() => signals.size === 5)
    const [targetId = '', ...otherIds] = ids
    await world.database.queue.cancel(targetId)
    await world.reached(targetId, 'cancelled')
    expect(otherIds.filter((id) => signals.get(id)?.aborted)).toEqual([])
    gate.resolve()
    for (const id of otherIds) await world.reached(id, 'succeeded')
  })

  test('is checked with one statement for all running jobs, and not at all while none runs', async () => {
    const { pool, sent } = countStatements(world.database.urlAs('worker'))
    const checks = (): number => sent('cancel_requested').filter((text) => /^\s*SELECT\b/.test(text)).length
    try {
      const gate = Promise.withResolvers<void>()
      const settings = { concurrency: 10, notifications: false, watchIntervalMs: 50 }
      const worker = await world.onPool(pool, () => gate.promise, settings)
      await eventually(() => sent('').length > 20)
      expect(checks()).toBe(0)
      await world.database.queue.enqueueMany(Array.from({ length: 10 }, () => testJob.create({})))
      await eventually(() => worker.running === 10)
      const [before, startedAtMs] = [checks(), performance.now()]
      await eventually(() => checks() >= before + 4)
      expect(checks() - before).toBeLessThanOrEqual((performance.now() - startedAtMs) / 50 + 1)
      gate.resolve()
      await worker.stop()
    } finally {
      await pool.end()
    }
  })
})

describe('the cancel of a waiting job', () => {
  test('ends it at once, and it never runs', async () => {
    const runs: string[] = []
    const id = await world.enqueue({ delayMs: 3_600_000 })
    expect((await world.database.queue.cancel(id)).outcome).toBe('cancelled')
    await world.makeDue(id)
    await world.work((job) => void runs.push(job.id))
    const next = await world.enqueue()
    await world.reached(next, 'succeeded')
    expect(runs).toEqual([next])
  })
})
