import { describe, expect, test } from '@jest/globals'
import { endedAttempts, eventually, leastOfTries, startDatabaseProxy } from '@queue/test-database'
import { aborted } from './support/aborted.ts'
import { holdClaims } from './support/hold-claims.ts'
import { useWorld } from './support/world.ts'

const world = useWorld()

async function statusesOf(ids: readonly string[]): Promise<string[]> {
  const { rows } = await world.database.pool.query<{ status: string }>(
    'SELECT status::text FROM queue.all_jobs WHERE id = ANY($1)',
    [ids],
  )
  return rows.map(({ status }) => status)
}

async function statesOfWorkers(): Promise<string[]> {
  const { rows } = await world.database.pool.query('SELECT state FROM queue.workers ORDER BY started_at')
  return rows.map((row) => row.state)
}

async function leaseEndOf(workerId: string | undefined): Promise<Date> {
  const { rows } = await world.database.pool.query(
    'SELECT lease_expires_at FROM queue.workers WHERE id = $1',
    [workerId],
  )
  return rows[0].lease_expires_at
}

describe('a worker that was marked lost', () => {
  test('aborts its handlers, registers under a new name, and continues', async () => {
    const reason = Promise.withResolvers<string>()
    const worker = await world.work(
      async (_job, ctx) => {
        if (ctx.attempt > 1) return 'second'
        const abort = await aborted(ctx.signal)
        reason.resolve(abort.reason)
        throw abort
      },
      { leaseMs: 60_000, heartbeatMs: 100, watchIntervalMs: 3_600_000 },
    )
    const id = await world.enqueue()
    await world.reached(id, 'running')
    const first = worker.id
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost'`)
    expect(await reason.promise).toBe('lease_lost')
    await eventually(() => worker.id !== undefined && worker.id !== first)
    expect(await statesOfWorkers()).toEqual(['lost', 'active'])
    await world.recovered(id)
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'second', attempts: 2, crashes: 1 })
    await eventually(() => world.observer.reports('jobCompleted').length === 2)
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual([
      'lost',
      'succeeded',
    ])
    expect(await world.history(id)).toEqual(['lost', 'succeeded'])
  })

  test('registers at once, but not again and again: each lost lease costs its jobs an attempt', async () => {
    const worker = await world.work(async () => undefined, { leaseMs: 60_000, heartbeatMs: 50 })
    const seen: string[] = []
    while (seen.length < 4) {
      const { id } = worker
      if (id !== undefined && !seen.includes(id)) {
        seen.push(id)
        await world.database.pool.query(`UPDATE queue.workers SET state = 'lost' WHERE id = $1`, [id])
      }
      await eventually(() => worker.id !== undefined && worker.id !== id)
    }
    const { rows } = await world.database.pool.query<{ after: number }>(
      `SELECT extract(epoch FROM started_at - lag(started_at) OVER (ORDER BY started_at))::float8 AS after
         FROM queue.workers ORDER BY started_at OFFSET 2`,
    )
    // A registration is sent a little before the database counts it.
    for (const { after } of rows) expect(after).toBeGreaterThan(0.9)
  })

  test('hears of it at its next claim, which brings and charges nothing', async () => {
    const hour = 3_600_000
    const reason = Promise.withResolvers<string>()
    const worker = await world.work(
      async (job, ctx) => {
        if (job.priority === 0) reason.resolve((await aborted(ctx.signal)).reason)
      },
      { leaseMs: 3 * hour, heartbeatMs: hour, watchIntervalMs: hour, recoveryIntervalMs: hour },
    )
    const first = worker.id
    await world.reached(await world.enqueue({ priority: 0 }), 'running')
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost'`)
    const id = await world.enqueue()
    expect(await reason.promise).toBe('lease_lost')
    expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1, crashes: 0 })
    expect(worker.id).not.toBe(first)
    expect(await statesOfWorkers()).toEqual(['lost', 'active'])
    const { rows } = await world.database.pool.query(
      `SELECT worker_id, outcome FROM ${endedAttempts('queue')} AS x WHERE job_id = $1`,
      [id],
    )
    expect(rows).toEqual([{ worker_id: worker.id, outcome: 'succeeded' }])
  })

  test('returns what a claim under way brings, without a charge', async () => {
    const hour = 3_600_000
    const runs: number[] = []
    const claims = await holdClaims(world.database)
    const id = await world.enqueue()
    const worker = await world.work((_job, ctx) => void runs.push(ctx.attempt), {
      leaseMs: 60_000,
      heartbeatMs: 100,
      recoveryIntervalMs: hour,
    })
    const first = worker.id
    await claims.waiting()
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost'`)
    await eventually(() => worker.id !== undefined && worker.id !== first)
    await claims.release()
    expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1, crashes: 0 })
    expect(runs).toEqual([1])
  })

  test('returns what waits in memory, without a charge', async () => {
    const hour = 3_600_000
    const gate = Promise.withResolvers<void>()
    // Enqueued before the worker starts, so that its second claim, which is for jobs that wait in memory, finds the others.
    const first = await world.enqueue()
    const ids = await Promise.all([1, 2, 3].map(() => world.enqueue()))
    await world.work((job) => (job.id === first ? gate.promise : undefined), {
      concurrency: 1,
      prefetch: 5,
      leaseMs: 60_000,
      heartbeatMs: 100,
      recoveryIntervalMs: hour,
    })
    await eventually(async () => (await statusesOf(ids)).every((status) => status === 'running'))
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost'`)
    for (const id of ids) expect(await world.reached(id, 'queued')).toMatchObject({ attempts: 0 })
    gate.resolve()
    for (const id of ids) {
      expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1, crashes: 0 })
    }
  })

  test('never renews under its old name again', async () => {
    const worker = await world.work(() => undefined, { leaseMs: 60_000, heartbeatMs: 50 })
    const first = worker.id
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost'`)
    await eventually(() => worker.id !== undefined && worker.id !== first)
    const end = await leaseEndOf(first)
    await world.reached(await world.enqueue(), 'succeeded')
    await worker.stop()
    expect(await leaseEndOf(first)).toEqual(end)
    expect(await statesOfWorkers()).toEqual(['lost', 'stopped'])
  })

  test('hands over a job whose handler ignores it, and what that returns at last changes nothing', async () => {
    const ignoredSignal = Promise.withResolvers<string>()
    await world.work((_job, ctx) => (ctx.attempt === 1 ? ignoredSignal.promise : 'second'), {
      leaseMs: 60_000,
      heartbeatMs: 100,
    })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.pool.query(`UPDATE queue.workers SET state = 'lost'`)
    await world.recovered(id)
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'second' })
    ignoredSignal.resolve('first, too late')
    await eventually(() => world.observer.reports('jobCompleted').length === 2)
    const outcomes = world.observer.reports('jobCompleted').map((report) => report.outcome)
    expect(outcomes.toSorted()).toEqual(['lost', 'succeeded'])
    expect(await world.job(id)).toMatchObject({ result: 'second' })
  })
})

describe('a worker that cannot renew', () => {
  test('lets go of its jobs before any other may take them, and goes on when it can', async () => {
    // On a busy machine its event loop may turn too late for any deadline.
    expect(await leastOfTries(0, abortDelayMs)).toBeLessThan(0)
  })

  /** The time from the end of a worker's lease to the abort of its job. */
  async function abortDelayMs(): Promise<number> {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    try {
      const abortedAt = Promise.withResolvers<number>()
      const worker = await world.work(
        async (_job, ctx) => {
          if (ctx.attempt > 1) return 'second'
          await aborted(ctx.signal)
          abortedAt.resolve(Date.now())
          throw ctx.signal.reason
        },
        { connectionString: proxy.url, leaseMs: 3_000, heartbeatMs: 200, queryTimeoutMs: 1_000 },
      )
      const first = worker.id
      const id = await world.enqueue()
      await world.reached(id, 'running')
      proxy.blackhole()
      const abortedAtMs = await abortedAt.promise
      const end = await leaseEndOf(first)
      expect(worker.id).toBeUndefined()
      proxy.cut()
      proxy.restore()
      await eventually(() => worker.id !== undefined)
      expect(worker.id).not.toBe(first)
      await world.recovered(id)
      expect(await leaseEndOf(first)).toEqual(end)
      expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'second', attempts: 2 })
      await worker.stop()
      return abortedAtMs - end.getTime()
    } finally {
      await proxy.close()
    }
  }

  test('keeps its lease during one dead connection, because the next renewal uses another one', async () => {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    try {
      const settings = { leaseMs: 30_000, heartbeatMs: 300, queryTimeoutMs: 1_000 }
      const gate = Promise.withResolvers<void>()
      const worker = await world.work(() => gate.promise, { connectionString: proxy.url, ...settings })
      const first = worker.id
      const id = await world.enqueue()
      await world.reached(id, 'running')
      const { pool } = world.database
      proxy.freeze()
      const { rows: silence } = await pool.query<{ since: string }>('SELECT clock_timestamp()::text AS since')
      await eventually(async () => {
        const renewed = 'SELECT FROM queue.workers WHERE id = $1 AND heartbeat_at > $2'
        return (await pool.query(renewed, [first, silence[0]?.since])).rows.length > 0
      })
      expect(worker.id).toBe(first)
      gate.resolve()
      expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1, crashes: 0 })
      await worker.stop()
    } finally {
      await proxy.close()
    }
  })
})

describe('a handler that blocks the event loop', () => {
  test('for longer than the lease does not lose its job', async () => {
    // On a busy machine the thread that renews the lease may also run too late.
    expect(await leastOfTries(1, crashesOfBlockingJob)).toBe(0)
  })

  async function crashesOfBlockingJob(): Promise<number> {
    const leaseMs = 1_500
    const worker = await world.work(
      () => {
        const endMs = performance.now() + 1.5 * leaseMs
        while (performance.now() < endMs);
        return 'done'
      },
      { leaseMs, heartbeatMs: 200 },
    )
    const first = worker.id
    const { status, result, crashes } = await world.reached(
      await world.enqueue(),
      'succeeded',
      'failed_permanent',
    )
    const isSame = worker.id === first
    await worker.stop()
    if (crashes === 0)
      expect({ status, result, isSame }).toEqual({ status: 'succeeded', result: 'done', isSame: true })
    return crashes
  }
})
