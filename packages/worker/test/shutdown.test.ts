import { describe, expect, test } from '@jest/globals'
import { handle } from '@queue/executor'
import {
  type DatabaseProxy,
  eventually,
  insertJob,
  leastOfTries,
  skippedBehindPooler,
  startDatabaseProxy,
} from '@queue/test-database'
import { createWorker, type Worker } from '../src/index.ts'
import { aborted } from './support/aborted.ts'
import { delaysStatements, losesAnswers } from './support/counting-pool.ts'
import { holdClaims, holdTable } from './support/hold-claims.ts'
import { type Settings, type TestHandler, testJob, useWorld } from './support/world.ts'

const world = useWorld()

/** Starts a worker with one running job. */
async function workOnOne(handler: TestHandler, settings: Settings = {}): Promise<[Worker, string]> {
  const worker = await world.work(handler, settings)
  const id = await world.enqueue({ maxAttempts: 1 })
  await eventually(() => worker.running === 1)
  return [worker, id]
}

const handlers = [handle(testJob, () => undefined)]

const connectionsOfWorkers = `SELECT FROM pg_stat_activity
   WHERE datname = current_database() AND application_name LIKE 'queue-%'`

async function statesOfWorkers(): Promise<string[]> {
  const { rows } = await world.database.pool.query('SELECT state FROM queue.workers')
  return rows.map((row) => row.state)
}

async function throughProxy<Result>(work: (proxy: DatabaseProxy) => Promise<Result>): Promise<Result> {
  const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
  try {
    return await work(proxy)
  } finally {
    await proxy.close()
  }
}

/** The number of jobs that the worker has claimed. */
function claimed(): number {
  return world.observer.reports('claimFinished').reduce((sum, claim) => sum + claim.jobs, 0)
}

const testConnections = skippedBehindPooler('a pooler keeps its connections') ? test.skip : test

describe('stop', () => {
  test('lets a running job end within the grace time, and claims nothing meanwhile', async () => {
    const gate = Promise.withResolvers<string>()
    const [worker, id] = await workOnOne(() => gate.promise, { shutdownGraceMs: 20_000 })
    const stopped = worker.stop()
    const next = await world.enqueue()
    gate.resolve('done')
    await stopped
    expect(await world.job(id)).toMatchObject({ status: 'succeeded', result: 'done' })
    expect(await world.job(next)).toMatchObject({ status: 'queued', attempts: 0 })
  })

  test('leaves the worker in the registry as stopped', async () => {
    const worker = await world.work(() => undefined)
    const { id } = worker
    await worker.stop()
    expect(worker.id).toBeUndefined()
    const { rows } = await world.database.pool.query('SELECT id, state FROM queue.workers')
    expect(rows).toEqual([{ id, state: 'stopped' }])
  })

  test('aborts handlers after the grace time with the reason, and releases their jobs without counting the attempt', async () => {
    const reason = Promise.withResolvers<string>()
    const [worker, id] = await workOnOne(
      async (_job, ctx) => {
        const abort = await aborted(ctx.signal)
        reason.resolve(abort.reason)
        throw abort
      },
      { shutdownGraceMs: 0 },
    )
    await worker.stop()
    expect(await reason.promise).toBe('shutdown')
    const job = await world.job(id)
    expect(job).toMatchObject({ attempts: 0, lastError: null })
    // A claim that was under way may have taken the released job. It goes back unstarted.
    expect(['retrying', 'queued']).toContain(job?.status)
    expect(await world.history(id)).toEqual(['released'])
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual(['released'])
  })

  test('records the result of a handler that ends after its abort', async () => {
    const [worker, id] = await workOnOne(
      async (_job, ctx) => {
        await aborted(ctx.signal)
        return 'just in time'
      },
      { shutdownGraceMs: 0 },
    )
    await worker.stop()
    expect(await world.job(id)).toMatchObject({ status: 'succeeded', result: 'just in time' })
  })

  test('releases the job of a handler that ignores its abort, and its late end is no error', async () => {
    const never = Promise.withResolvers<void>()
    const [worker, id] = await workOnOne(() => never.promise, { shutdownGraceMs: 0 })
    await worker.stop()
    expect(await world.job(id)).toMatchObject({ status: 'retrying', attempts: 0 })
    expect(await world.history(id)).toEqual(['released'])
    never.resolve()
    await eventually(() => worker.running === 0)
    await eventually(() => world.observer.reports('jobCompleted').length === 1)
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual(['released'])
    expect(world.logger.lines.filter((line) => line.level === 'error')).toEqual([])
    expect(await world.history(id)).toEqual(['released'])
  })

  test('does not wait for a handler that holds a transaction and ignores its abort', async () => {
    const held = Promise.withResolvers<void>()
    const never = Promise.withResolvers<void>()
    const [worker, id] = await workOnOne(
      (_job, ctx) =>
        ctx.transaction(async (tx) => {
          await tx.query('SELECT 1')
          held.resolve()
          await never.promise
        }),
      { shutdownGraceMs: 0 },
    )
    await held.promise
    await worker.stop()
    expect(await world.job(id)).toMatchObject({ status: 'retrying', attempts: 0 })
    never.resolve()
  })

  test('ends the sleep between two polls at once', async () => {
    // The first poll finds it: behind a pooler nobody is notified.
    const id = await world.enqueue()
    const worker = await world.work(() => undefined, {
      pollIntervalMs: 3_600_000,
      maxPollIntervalMs: 3_600_000,
      recoveryIntervalMs: 3_600_000,
      watchIntervalMs: 3_600_000,
    })
    await world.reached(id, 'succeeded')
    // Otherwise it would take an hour.
    await worker.stop()
  })

  test('waits for a claim in flight, and returns its jobs, which were not started', async () => {
    const claims = await holdClaims(world.database)
    const runs: string[] = []
    const id = await world.enqueue()
    const worker = await world.work((job) => void runs.push(job.id))
    await claims.waiting()
    const stopped = worker.stop()
    await claims.release()
    await stopped
    expect(await world.job(id)).toMatchObject({ status: 'queued', attempts: 0 })
    expect(await world.history(id)).toEqual([])
    expect(runs).toEqual([])
  })

  test('returns, without a charge, what a claim whose reply was lost has left under its name', async () => {
    const worker = await world.work(() => undefined, { recoveryIntervalMs: 3_600_000 })
    await world.reached(await world.enqueue(), 'succeeded')
    const { id } = await insertJob(world.database, {
      status: 'running',
      lockedBy: worker.id as string,
      maxAttempts: 1,
    })
    await worker.stop()
    expect(await world.job(id)).toMatchObject({ status: 'queued', attempts: 0, crashes: 0 })
    expect(await world.history(id)).toEqual([])
    expect(await statesOfWorkers()).toEqual(['stopped'])
  })

  describe('when every connection has fallen silent', () => {
    // The last writes have three seconds over new connections, which may be too short on a busy machine.
    test('returns, without a charge, what a claim brings', async () => {
      expect(await leastOfTries(1, () => throughProxy(leftOfClaim))).toBe(0)
    })

    test('returns what waits in memory, and releases what runs', async () => {
      expect(await leastOfTries(1, () => throughProxy(leftOfWork))).toBe(0)
    })

    /** What a stop leaves to recovery, jobs and lease, if the claim of the jobs was in flight when the silence began. */
    async function leftOfClaim(proxy: DatabaseProxy): Promise<number> {
      const claims = await holdClaims(world.database)
      const ids = [await world.enqueue(), await world.enqueue()]
      const worker = await world.work(() => undefined, { connectionString: proxy.url })
      await claims.waiting()
      proxy.freeze()
      await claims.release()
      for (const id of ids) await world.reached(id, 'running')
      return leftByStop(worker, ids, ['queued', 'queued'])
    }

    /** What a stop leaves to recovery, jobs and lease, if one job was running and two waited in memory. */
    async function leftOfWork(proxy: DatabaseProxy): Promise<number> {
      const requests = [1, 2, 3].map(() => testJob.create({}))
      const ids = (await world.database.queue.enqueueMany(requests)).map(({ job }) => job.id)
      const claimedBefore = claimed()
      const worker = await world.work(
        async (_job, ctx) => {
          throw await aborted(ctx.signal)
        },
        { connectionString: proxy.url, concurrency: 1, prefetch: 10, shutdownGraceMs: 0 },
      )
      await eventually(() => claimed() - claimedBefore >= ids.length)
      proxy.freeze()
      return leftByStop(worker, ids, ['retrying', 'queued', 'queued'])
    }

    async function leftByStop(worker: Worker, ids: readonly string[], statuses: string[]): Promise<number> {
      const { id: workerId } = worker
      await worker.stop()
      const jobs = await Promise.all(ids.map((id) => world.job(id)))
      const { pool } = world.database
      const { rows } = await pool.query('SELECT state FROM queue.workers WHERE id = $1', [workerId])
      const left = [...jobs.map(({ status }) => status), ...rows.map(({ state }) => state)].filter(
        (state) => state === 'running' || state === 'active',
      ).length
      if (left === 0) {
        expect(jobs.map(({ status }) => status)).toEqual(statuses)
        expect(jobs.map(({ attempts, crashes }) => attempts + crashes)).toEqual(ids.map(() => 0))
        expect(rows).toEqual([{ state: 'stopped' }])
        const unstarted = ids.filter((_, index) => statuses[index] === 'queued')
        for (const id of unstarted) expect(await world.history(id)).toEqual([])
      }
      // A retry must not find them.
      await pool.query('DELETE FROM queue.jobs WHERE id = ANY ($1)', [ids])
      return left
    }
  })

  test('can be called twice, and before the start', async () => {
    const worker = await world.work(() => undefined)
    await Promise.all([worker.stop(), worker.stop()])
    await worker.stop()
    await world.create({ handlers }).stop()
  })

  // The tables that a start reads or writes, in this order.
  test.each([
    { table: 'migrations', left: [] },
    { table: 'job_kinds', left: [] },
    { table: 'workers', left: ['stopped'] },
  ])(
    'during the start gives it up and undoes it, also while it waits for $table',
    async ({ table, left }) => {
      const id = await world.enqueue()
      const lock = await holdTable(world.database, table)
      const worker = world.create({ handlers })
      const started = worker.start()
      await lock.waiting()
      const stopped = worker.stop()
      await lock.release()
      await Promise.all([stopped, started])
      expect(worker.id).toBeUndefined()
      expect(await statesOfWorkers()).toEqual(left)
      expect(world.observer.reports('claimFinished')).toEqual([])
      expect(await world.job(id)).toMatchObject({ status: 'queued', attempts: 0 })
    },
  )

  testConnections('during the start leaves no connection behind', async () => {
    const worker = world.create({ handlers })
    const started = worker.start()
    await worker.stop()
    await started
    await eventually(async () => (await world.database.pool.query(connectionsOfWorkers)).rows.length === 0)
    expect(await statesOfWorkers()).not.toContain('active')
  })

  test('ends a registration whose answer was lost', async () => {
    const { pool, loseAnswer } = losesAnswers(world.database.urlAs('worker'))
    try {
      const worker = createWorker({ pool, handlers, logger: world.logger, notifications: false })
      loseAnswer('insert into "queue"."workers"')
      await expect(worker.start()).rejects.toMatchObject({ code: 'database_unavailable' })
      expect(await statesOfWorkers()).toEqual(['active'])
      await worker.stop()
      expect(await statesOfWorkers()).toEqual(['stopped'])
    } finally {
      await pool.end()
    }
  })

  test('ends the lease, although the connection of its last write breaks', async () => {
    const { pool, delay } = delaysStatements(world.database.urlAs('worker'))
    try {
      const worker = createWorker({ pool, handlers, logger: world.logger, notifications: false })
      await worker.start()
      delay('update "queue"."workers"')
      await worker.stop()
      expect(await statesOfWorkers()).toEqual(['stopped'])
    } finally {
      await pool.end()
    }
  })

  test('undoes a registration that reaches the database only after it', async () => {
    const { pool, delay, deliver } = delaysStatements(world.database.urlAs('worker'))
    try {
      const worker = createWorker({ pool, handlers, logger: world.logger, notifications: false })
      delay('insert into "queue"."workers"')
      await expect(worker.start()).rejects.toMatchObject({ code: 'database_unavailable' })
      await worker.stop()
      await expect(deliver()).rejects.toMatchObject({ code: '23505' })
      expect(await statesOfWorkers()).toEqual(['stopped'])
    } finally {
      await pool.end()
    }
  })
})

describe('start', () => {
  test('is idempotent', async () => {
    const worker = world.create({ handlers })
    await Promise.all([worker.start(), worker.start()])
    await worker.start()
    expect(await statesOfWorkers()).toEqual(['active'])
  })

  test('after a stop is refused', async () => {
    const worker = await world.work(() => undefined)
    await worker.stop()
    await expect(worker.start()).rejects.toThrow('stopped')
    expect(await statesOfWorkers()).toEqual(['stopped'])
  })
})

describe('a stop in the midst of work', () => {
  test('loses nothing and charges nothing that did not run, at whatever moment it comes', async () => {
    const jobs = 300
    const seed = Number(process.env['QUEUE_TEST_SEED'] ?? Date.now() % 1_000_000)
    const runs = new Map<string, number>()
    const work: TestHandler = async (job) => {
      runs.set(job.id, (runs.get(job.id) ?? 0) + 1)
      await new Promise((resolve) => setImmediate(resolve))
    }
    await world.database.queue.enqueueMany(Array.from({ length: jobs }, () => testJob.create({})))
    for (let round = 0; round < 6; round += 1) {
      // After the grace time the running job would be released and run twice.
      const worker = await world.work(work, { shutdownGraceMs: 60_000 })
      await new Promise((resolve) => setTimeout(resolve, (seed * (round + 1)) % 37))
      await worker.stop()
      const { rows } = await world.database.pool.query(
        `SELECT id, status, attempts FROM queue.all_jobs
          WHERE NOT (status = 'succeeded' AND attempts = 1) AND NOT (status = 'queued' AND attempts = 0)`,
      )
      expect({ seed, round, rows }).toEqual({ seed, round, rows: [] })
    }
    await world.work(work)
    await eventually(async () => {
      const { rows } = await world.database.pool.query(
        `SELECT FROM queue.all_jobs WHERE status <> 'succeeded'`,
      )
      return rows.length === 0
    })
    expect({ seed, runs: runs.size, most: Math.max(...runs.values()) }).toEqual({ seed, runs: jobs, most: 1 })
  })
})
