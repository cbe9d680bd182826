import { setTimeout as sleep } from 'node:timers/promises'
import { describe, expect, test } from '@jest/globals'
import { type Job, limits } from '@queue/core'
import { eventually } from '@queue/test-database'
import { aborted } from './support/aborted.ts'
import { countStatements } from './support/counting-pool.ts'
import { holdTable } from './support/hold-claims.ts'
import { type TestHandler, testJob, useWorld } from './support/world.ts'

const world = useWorld()

interface Report {
  readonly percent: number
  readonly message?: unknown
}

/** Runs a job for each report. Resolves with the stored values in order. */
async function storedFor(reports: readonly Report[]): Promise<Job[]> {
  const gate = Promise.withResolvers<void>()
  await world.work(
    async (job, ctx) => {
      const { percent = 0, message } = reports[job.payload['index'] as number] ?? {}
      ctx.progress(percent, message as string | undefined)
      await gate.promise
    },
    { concurrency: reports.length },
  )
  const { queue } = world.database
  const enqueued = await queue.enqueueMany(reports.map((_report, index) => testJob.create({ index })))
  const ids = enqueued.map(({ job }) => job.id)
  const stored = await eventually(async () => {
    const jobs = await Promise.all(ids.map((id) => world.job(id)))
    return jobs.every((job) => job.progress !== null) && jobs
  })
  gate.resolve()
  for (const id of ids) await world.reached(id, 'succeeded')
  return stored
}

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

  test('is a whole number from 0 to 100, whatever was reported', async () => {
    const reported = [-5, 33.4, 99.5, 1e9, Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY]
    const stored = await storedFor(reported.map((percent) => ({ percent })))
    expect(stored.map((job) => job.progress)).toEqual([0, 33, 100, 100, 0, 100, 0])
    expect(stored.map((job) => job.progressMessage)).toEqual(reported.map(() => null))
  })

  test('never throws and never fails the job, whatever is reported, even by untyped code', async () => {
    const messages: unknown[] = ['a\u0000b\uD800c', 'x'.repeat(5_000), 7, null, Symbol('s'), { a: 1 }]
    const stored = await storedFor(messages.map((message) => ({ percent: 50, message })))
    expect(stored.map((job) => job.progressMessage)).toEqual([
      'a\uFFFDb\uFFFDc',
      `${'x'.repeat(999)}…`,
      '7',
      null,
      'Symbol(s)',
      '{"a":1}',
    ])
  })

  test('is written much less often than it is reported, and the last report is kept', async () => {
    const { pool, sent } = countStatements(world.database.urlAs('worker'))
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

  test('is stored with the last report even if the attempt ends before the next check', async () => {
    await world.work(
      async (job, ctx) => {
        ctx.progress(10, 'begun')
        ctx.progress(90, 'nearly')
        if (job.priority === 0) throw new Error('not quite')
        if (job.priority === 1) await ctx.transaction(async () => undefined)
      },
      { watchIntervalMs: 3_600_000 },
    )
    const done = await world.enqueue()
    const inTransaction = await world.enqueue({ priority: 1 })
    const failed = await world.enqueue({ priority: 0, maxAttempts: 1 })
    const last = { progress: 90, progressMessage: 'nearly' }
    expect(await world.reached(done, 'succeeded')).toMatchObject(last)
    expect(await world.reached(inTransaction, 'succeeded')).toMatchObject(last)
    expect(await world.reached(failed, 'failed_permanent')).toMatchObject(last)
  })

  test('needs no statement if none is reported', async () => {
    const { pool, sent } = countStatements(world.database.urlAs('worker'))
    try {
      const worker = await world.onPool(pool, () => undefined, { notifications: false })
      for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
      await worker.stop()
      expect(sent('progress_message = h.message')).toEqual([])
    } finally {
      await pool.end()
    }
  })

  test('that cannot be stored at the end does not affect the job', async () => {
    const { pool } = world.database
    await pool.query('ALTER TABLE queue.jobs ADD CONSTRAINT refuse CHECK (progress IS NULL) NOT VALID')
    try {
      await world.work((_job, ctx) => ctx.progress(50), { watchIntervalMs: 3_600_000 })
      expect(await world.reached(await world.enqueue(), 'succeeded')).toMatchObject({ attempts: 1 })
    } finally {
      await pool.query('ALTER TABLE queue.jobs DROP CONSTRAINT refuse')
    }
  })

  test('is stored while the handler locks its job by a foreign key in a separate transaction', async () => {
    const { pool } = world.database
    await pool.query('CREATE TABLE notes (job_id uuid REFERENCES queue.jobs (id) ON DELETE CASCADE)')
    const client = await pool.connect()
    try {
      await world.work(async (job, ctx) => {
        await client.query('BEGIN')
        await client.query('INSERT INTO notes VALUES ($1)', [job.id])
        ctx.progress(30)
        await eventually(async () => (await world.job(job.id)).progress === 30)
        await client.query('COMMIT')
      })
      await world.reached(await world.enqueue(), 'succeeded')
    } finally {
      client.release()
      await pool.query('DROP TABLE notes')
    }
  })

  describe('while ctx.transaction is open', () => {
    /** Reports progress, and resolves after the next check of the running jobs. */
    async function reportAndPass(ctx: Parameters<TestHandler>[1], percent: number): Promise<void> {
      ctx.progress(percent)
      const id = await world.enqueue({ priority: 0 })
      await eventually(async () => (await world.job(id)).progress === 7)
      await world.database.queue.cancel(id)
    }

    async function reportUntilSeen(ctx: Parameters<TestHandler>[1]): Promise<never> {
      ctx.progress(7)
      throw await aborted(ctx.signal)
    }

    test('waits, and is stored by its end', async () => {
      const before = Promise.withResolvers<number | null>()
      await world.work((job, ctx) => {
        if (job.priority === 0) return reportUntilSeen(ctx)
        return ctx.transaction(async () => {
          await reportAndPass(ctx, 30)
          before.resolve((await world.job(job.id)).progress)
        })
      })
      expect(await world.reached(await world.enqueue(), 'succeeded')).toMatchObject({ progress: 30 })
      expect(await before.promise).toBeNull()
    })

    test('waits, and is stored once it has failed', async () => {
      const gate = Promise.withResolvers<void>()
      await world.work(async (job, ctx) => {
        if (job.priority === 0) return reportUntilSeen(ctx)
        await ctx
          .transaction(async () => {
            await reportAndPass(ctx, 30)
            throw new Error('not this time')
          })
          .catch(() => undefined)
        await gate.promise
      })
      const id = await world.enqueue()
      await eventually(async () => (await world.job(id)).progress === 30)
      gate.resolve()
      await world.reached(id, 'succeeded')
    })

    test.each(['REPEATABLE READ', 'SERIALIZABLE'])('does not make one of %s fail', async (isolation) => {
      await world.work(async (job, ctx) => {
        if (job.priority === 0) return reportUntilSeen(ctx)
        await reportAndPass(ctx, 10)
        return ctx.transaction(async (tx) => {
          await tx.query(`SET TRANSACTION ISOLATION LEVEL ${isolation}`)
          await tx.query('SELECT FROM queue.all_jobs')
          await reportAndPass(ctx, 50)
        })
      })
      const id = await world.enqueue({ maxAttempts: 1 })
      expect(await world.reached(id, 'succeeded', 'failed_permanent')).toMatchObject({
        status: 'succeeded',
        progress: 50,
      })
    })

    test('is stored before the transaction begins if it was in flight', async () => {
      const started = Promise.withResolvers<void>()
      const gate = Promise.withResolvers<void>()
      const { pool } = world.database
      await world.work(async (_job, ctx) => {
        started.resolve()
        await gate.promise
        ctx.progress(10)
        await eventually(async () => {
          const { rowCount } = await pool.query(
            `SELECT FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE '%progress_message = h.message%'`,
          )
          return rowCount === 1
        })
        const ending = ctx.transaction(async (tx) => {
          await tx.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ')
          await tx.query('SELECT FROM queue.all_jobs')
        })
        await blocker.query('COMMIT')
        await ending
      })
      const id = await world.enqueue({ maxAttempts: 1 })
      await started.promise
      const blocker = await pool.connect()
      try {
        await blocker.query('BEGIN')
        await blocker.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [id])
        gate.resolve()
        expect(await world.reached(id, 'succeeded', 'failed_permanent')).toMatchObject({
          status: 'succeeded',
          progress: 10,
        })
      } finally {
        blocker.release()
      }
    })
  })

  test('that could not be written is written later, and delays no cancellation', async () => {
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

  test('starts again with every attempt', async () => {
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

  test('of a job that was recovered changes nothing', async () => {
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

describe('the log of a job', () => {
  const lines = async (id: string, level?: 'warn') => {
    const texts: string[] = []
    for (let cursor: string | undefined; ; ) {
      const page = await world.database.queue.logs(id, { limit: 200, level, cursor })
      texts.push(...(page?.lines.map(({ message }) => message) ?? []))
      if (page === undefined || page.nextCursor === null) return texts
      cursor = page.nextCursor
    }
  }

  test('can be read while it runs, and is whole when the job has ended, by a transaction too', async () => {
    const gate = Promise.withResolvers<void>()
    await world.work(async (job, ctx) => {
      const { log } = ctx
      log('info', 'began', { job: job.id, cause: new Error('inside'), big: 1n })
      await gate.promise
      if (job.priority === 0) await ctx.transaction(async () => log('warn', 'in the transaction'))
      log('error', 'last')
    })
    const [plain, own] = [await world.enqueue(), await world.enqueue({ priority: 0 })]
    await eventually(async () => (await lines(plain)).length === 1 && (await lines(own)).length === 1)
    gate.resolve()
    await world.reached(plain, 'succeeded')
    expect(await lines(plain)).toEqual(['began', 'last'])
    await world.reached(own, 'succeeded')
    expect((await lines(own)).slice(0, 2)).toEqual(['began', 'in the transaction'])
    const page = await world.database.queue.logs(plain)
    expect(page?.lines[0]).toMatchObject({
      attempt: 1,
      line: 1,
      level: 'info',
      fields: { job: plain, cause: expect.stringContaining('Error: inside'), big: '1' },
    })
    expect(await lines(plain, 'warn')).toEqual(['last'])
  })

  test('has the lines of each attempt in their order, 1 000 of them, and says how many were dropped', async () => {
    await world.work(async (job, ctx) => {
      const count = job.attempt === 1 ? 1_234 : 40
      const text = job.attempt === 1 ? '' : 'x'.repeat(9_000)
      for (let n = 1; n <= count; n += 1) ctx.log('info', `${job.attempt} ${n} ${text}`)
      if (job.attempt === 1) throw new Error('again')
    })
    const id = await world.enqueue()
    await world.reached(id, 'retrying', 'running', 'succeeded')
    await world.makeDue(id)
    await world.reached(id, 'succeeded')
    const logged = (await lines(id)).map((line) => line.replace(/ x+…$/, ' '))
    const first = Array.from({ length: 1_000 }, (_, index) => `1 ${index + 1} `)
    // Of the second attempt 256 KiB are kept: messages of 8 192 characters, the last of which has three bytes.
    const second = Array.from({ length: 31 }, (_, index) => `2 ${index + 1} `)
    const dropped = (count: number) =>
      `${count} further lines were dropped: an attempt keeps 1000 lines and 262144 bytes`
    expect(logged).toEqual([...first, dropped(234), ...second, dropped(9)])
    expect(world.observer.reports('logLinesDropped')).toEqual([234, 9])
  })

  test('of 24 handlers that log a thousand lines a second has those of each in their order, within its bounds', async () => {
    const handlers = 24
    /** `QUEUE_TEST_SCALE=40` exceeds the limits. */
    const count = 30 * Number(process.env['QUEUE_TEST_SCALE'] ?? 1)
    await world.work(
      async (_job, ctx) => {
        for (let n = 1; n <= count; n += 1) {
          ctx.log('info', String(n))
          await sleep(handlers)
        }
      },
      { concurrency: handlers },
    )
    const ids = await Promise.all(Array.from({ length: handlers }, () => world.enqueue()))
    const kept = Array.from({ length: Math.min(count, 1_000) }, (_, index) => String(index + 1))
    const dropped = count - kept.length
    for (const id of ids) {
      await world.reached(id, 'succeeded')
      const logged = await lines(id)
      expect(logged.slice(0, kept.length)).toEqual(kept)
      expect(logged).toHaveLength(kept.length + (dropped > 0 ? 1 : 0))
    }
    expect(world.observer.reports('logLinesDropped')).toEqual(dropped > 0 ? ids.map(() => dropped) : [])
  })

  test('keeps jobs from starting while much of it waits to be stored, although slots are free', async () => {
    const concurrency = 4
    const waitsAtMost = limits.unwrittenBytesMax / 2 / limits.logBytesPerAttemptMax + concurrency
    const jobs = 100
    const lock = await holdTable(world.database, 'job_logs')
    let begun = 0
    let most = 0
    const unstored = (): number => begun - world.observer.reports('jobCompleted').length
    await world.work(
      (_job, ctx) => {
        begun += 1
        most = Math.max(most, unstored())
        for (let line = 0; line < 32; line += 1) ctx.log('info', 'x'.repeat(8_190))
      },
      { concurrency },
    )
    await world.database.queue.enqueueMany(Array.from({ length: jobs }, () => testJob.create({})))
    try {
      await eventually(() => begun >= waitsAtMost - 2 * concurrency)
    } finally {
      await lock.release()
    }
    await eventually(() => world.observer.reports('jobCompleted').length === jobs)
    expect(most).toBeLessThanOrEqual(waitsAtMost)
    expect(world.observer.reports('logLinesDropped')).toEqual([])
  })

  test('accepts any values, and never fails the job', async () => {
    const circular: Record<string, unknown> = {}
    circular['self'] = circular
    const logCalls: unknown[][] = [
      ['loud', 'a\u0000b\uD800c', { a: '\u0000', b: '\uD800' }],
      ['info', undefined, circular],
      ['info', { a: 1 }, 'no object'],
      ['info', new Error('thrown'), [1]],
      ['info', 'x'.repeat(9_000), { long: 'y'.repeat(9_000) }],
    ]
    await world.work((_job, ctx) => {
      for (const args of logCalls) Reflect.apply(ctx.log, undefined, args)
    })
    const id = await world.enqueue()
    await world.reached(id, 'succeeded')
    const page = await world.database.queue.logs(id)
    expect(page?.lines.map(({ level, message }) => `${level} ${message.slice(0, 20)}`)).toEqual([
      'info a\uFFFDb\uFFFDc',
      'info undefined',
      'info {"a":1}',
      'info Error: thrown\n    at',
      `info ${'x'.repeat(20)}`,
    ])
    for (const line of page?.lines ?? []) expect(line.fields).toEqual(expect.any(Object))
    expect(page?.lines[4]?.message).toHaveLength(8_192)
  })

  test('needs no statement for an attempt without log lines', async () => {
    const { pool, sent } = countStatements(world.database.urlAs('worker'))
    const worker = await world.onPool(pool, () => undefined)
    await world.reached(await world.enqueue(), 'succeeded')
    await worker.stop()
    await pool.end()
    expect(sent('job_logs (job_id')).toEqual([])
  })
})
