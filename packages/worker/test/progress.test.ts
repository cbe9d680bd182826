import { describe, expect, test } from '@jest/globals'
import { eventually } from '@queue/testing'
import { aborted } from './support/aborted.ts'
import { countStatements } from './support/counting-pool.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

describe('the progress of a job', () => {
  test('can be read while it runs', async () => {
    const gate = Promise.withResolvers<void>()
    await world.work(async (_job, ctx) => {
      ctx.progress(25, 'a quarter')
      await gate.promise
    })
    const id = await world.enqueue()
    await eventually(async () => (await world.job(id)).progress === 25)
    expect(await world.job(id)).toMatchObject({ status: 'running', progressMessage: 'a quarter' })
    gate.resolve()
  })

  test.each([
    { reported: -5, stored: 0 },
    { reported: 33.4, stored: 33 },
    { reported: 99.5, stored: 100 },
    { reported: 1e9, stored: 100 },
    { reported: Number.NaN, stored: 0 },
    { reported: Number.POSITIVE_INFINITY, stored: 100 },
    { reported: Number.NEGATIVE_INFINITY, stored: 0 },
  ])('of $reported is stored as $stored', async ({ reported, stored }) => {
    const gate = Promise.withResolvers<void>()
    await world.work(async (_job, ctx) => {
      ctx.progress(reported)
      await gate.promise
    })
    const id = await world.enqueue()
    await eventually(async () => (await world.job(id)).progress !== null)
    expect(await world.job(id)).toMatchObject({ progress: stored, progressMessage: null })
    gate.resolve()
  })

  test.each([
    { what: 'U+0000 and lone surrogates', message: 'a\u0000b\uD800c', stored: 'a\uFFFDb\uFFFDc' },
    { what: 'too much text', message: 'x'.repeat(5_000), stored: `${'x'.repeat(999)}…` },
    { what: 'a number, from untyped code', message: 7, stored: '7' },
    { what: 'null, from untyped code', message: null, stored: null },
    { what: 'a symbol, from untyped code', message: Symbol('s'), stored: 'Symbol(s)' },
  ])('never throws and never fails: $what', async ({ message, stored }) => {
    const gate = Promise.withResolvers<void>()
    await world.work(async (_job, ctx) => {
      ctx.progress(50, message as string)
      await gate.promise
    })
    const id = await world.enqueue()
    await eventually(async () => (await world.job(id)).progress === 50)
    expect((await world.job(id)).progressMessage).toBe(stored)
    gate.resolve()
    await world.reached(id, 'succeeded')
  })

  test('is written far less often than it is reported, and the last word counts', async () => {
    const { pool, sent } = countStatements(world.database.url)
    try {
      const gate = Promise.withResolvers<void>()
      const reports = 10_000
      const worker = await world.onPool(
        pool,
        async (_job, ctx) => {
          for (let n = 1; n <= reports; n += 1) {
            ctx.progress((n / reports) * 80, `step ${n}`)
            if (n % 1_000 === 0) await new Promise((resolve) => setTimeout(resolve, 1))
          }
          await gate.promise
        },
        { notifications: false, watchIntervalMs: 20 },
      )
      const id = await world.enqueue()
      await eventually(async () => (await world.job(id)).progressMessage === `step ${reports}`)
      expect(sent('progress_message = h.message').length).toBeLessThan(reports / 100)
      gate.resolve()
      await worker.stop()
    } finally {
      await pool.end()
    }
  })

  test('that could not be written is written later, and holds up no cancel', async () => {
    const { pool } = world.database
    const signal = Promise.withResolvers<AbortSignal>()
    await pool.query('ALTER TABLE queue.jobs ADD CONSTRAINT refuse CHECK (progress IS NULL) NOT VALID')
    const settings = { notifications: false }
    await world.work(async (job, ctx) => {
      if (job.priority === 0) {
        const abort = await aborted(ctx.signal)
        throw abort
      }
      ctx.progress(42)
      signal.resolve(ctx.signal)
      await aborted(ctx.signal)
    }, settings)
    try {
      const id = await world.enqueue()
      await signal.promise
      const other = await world.enqueue({ priority: 0 })
      await world.reached(other, 'running')
      await world.database.queue.cancel(other)
      await world.reached(other, 'cancelled')
      await pool.query('ALTER TABLE queue.jobs DROP CONSTRAINT refuse')
      await eventually(async () => (await world.job(id)).progress === 42)
      await world.database.queue.cancel(id)
      await world.reached(id, 'succeeded')
    } finally {
      await pool.query('ALTER TABLE queue.jobs DROP CONSTRAINT IF EXISTS refuse')
    }
  })

  test('begins anew with every attempt', async () => {
    const first = Promise.withResolvers<void>()
    const second = Promise.withResolvers<void>()
    await world.work(async (_job, ctx) => {
      if (ctx.attempt === 2) return second.promise
      ctx.progress(70)
      await first.promise
      throw new Error('again')
    })
    const id = await world.enqueue()
    await eventually(async () => (await world.job(id)).progress === 70)
    first.resolve()
    await eventually(async () => (await world.job(id)).attempts === 2)
    expect((await world.job(id)).progress).toBeNull()
    second.resolve()
  })

  test('of a job that was taken over changes nothing', async () => {
    const gate = Promise.withResolvers<void>()
    await world.work(
      async (_job, ctx) => {
        await gate.promise
        ctx.progress(99)
        await new Promise((resolve) => ctx.signal.addEventListener('abort', resolve))
      },
      { watchIntervalMs: 50 },
    )
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.pool.query('UPDATE queue.jobs SET lease_token = lease_token + 1 WHERE id = $1', [id])
    gate.resolve()
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    expect((await world.job(id)).progress).toBeNull()
  })
})
