import { describe, expect, test } from '@jest/globals'
import { snoozed } from '@queue/executor'
import { endedAttempts, eventually } from '@queue/test-database'
import type { Worker } from '../src/index.ts'
import { createWorkerId } from '../src/lease-keeper.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

const jobs = 200
const runtimes = 8

describe('several workers on one queue', () => {
  test(`${jobs} jobs over ${runtimes} workers are each run exactly once, by more than one of them`, async () => {
    const { pool, queue } = world.database
    await pool.query('CREATE TABLE processed_log (job_id uuid NOT NULL, worker int NOT NULL)')
    const requests = Array.from({ length: jobs }, (_, n) => testJob.create({ n }))
    const enqueued = await queue.enqueueMany(requests)
    const begun = new Set<number>()
    const several = Promise.withResolvers<void>()
    const work = async (worker: number, jobId: string): Promise<void> => {
      // The first worker must not finish all of them before the next one starts.
      if (begun.add(worker).size > 1) several.resolve()
      await several.promise
      await pool.query('INSERT INTO processed_log VALUES ($1, $2)', [jobId, worker])
    }
    await Promise.all(
      Array.from({ length: runtimes }, (_, index) =>
        world.work((job) => work(index, job.id), { poolMax: 3 }),
      ),
    )
    await eventually(async () => (await queue.list({ status: 'succeeded', limit: 200 })).jobs.length === jobs)

    const log = await pool.query(
      `SELECT count(*)::int AS rows, count(DISTINCT job_id)::int AS ids, count(DISTINCT worker)::int AS workers
         FROM processed_log`,
    )
    expect(log.rows[0]).toMatchObject({ rows: jobs, ids: jobs })
    expect(log.rows[0].workers).toBeGreaterThan(1)
    const ended = await pool.query('SELECT DISTINCT status, attempts FROM queue.all_jobs')
    expect(ended.rows).toEqual([{ status: 'succeeded', attempts: 1 }])
    expect(enqueued).toHaveLength(jobs)
  })

  test('what they have counted is what the rows say, each end once, when they have stopped', async () => {
    const { pool, queue } = world.database
    const begun = new Set<string>()
    const snoozeOnce = (id: string) => {
      begun.add(id)
      return snoozed(1)
    }
    const workers = await Promise.all(
      [1, 2].map(() =>
        world.work(
          async (job, ctx) => {
            const { n } = job.payload as { n: number }
            if (n % 5 === 1) throw new Error('always')
            if (n % 5 === 2 && job.attempt === 1) throw new Error('once')
            if (n % 5 === 3 && !begun.has(job.id)) return snoozeOnce(job.id)
            if (n % 5 === 4) await ctx.transaction(async () => undefined)
            return undefined
          },
          { statsIntervalMs: 20 },
        ),
      ),
    )
    const many = Array.from({ length: 100 }, (_, n) =>
      testJob.create({ n }, { maxAttempts: 2, ...(n % 2 === 0 && { tenantId: 'acme' }) }),
    )
    await queue.enqueueMany(many)
    const futureJobs = await queue.enqueueMany(
      [1, 2, 3].map(() => testJob.create({}, { runAt: new Date(4e12) })),
    )
    for (const { job } of futureJobs) await queue.cancel(job.id)
    await eventually(async () => {
      const { rows } = await pool.query(
        `SELECT FROM queue.all_jobs WHERE status NOT IN ('succeeded', 'failed_permanent', 'cancelled')`,
      )
      return rows.length === 0
    })
    await Promise.all(workers.map((worker) => worker.stop()))
    await eventually(async () => (await queue.stats()).total.cancelled === futureJobs.length)
    const { rows } = await pool.query(
      `SELECT count(*)::int AS enqueued, count(*) FILTER (WHERE status = 'succeeded')::int AS succeeded,
              count(*) FILTER (WHERE status = 'failed_permanent')::int AS failed,
              count(*) FILTER (WHERE status = 'cancelled')::int AS cancelled,
              (SELECT count(*)::int FROM ${endedAttempts('queue')} AS x) AS started,
              (SELECT count(*)::int FROM queue.job_executions WHERE outcome = 'failed')
                - count(*) FILTER (WHERE status = 'failed_permanent')::int AS retried
         FROM queue.all_jobs`,
    )
    expect((await queue.stats()).total).toMatchObject(rows[0])
    expect((await queue.stats({ tenantId: 'acme' })).total).toMatchObject({ enqueued: 50 })
  })

  test('a worker claims only jobs of its queues and of the kinds of its handlers', async () => {
    const { queue, pool } = world.database
    await world.work(() => undefined, { queues: ['mail', 'letters'] })
    const elsewhere = await world.enqueue()
    const { rows } = await pool.query(
      `INSERT INTO queue.jobs (id, queue, kind, payload)
       VALUES (gen_random_uuid(), 'mail', 'unknown_kind', '{}') RETURNING id`,
    )
    await world.reached(await world.enqueue({ queue: 'mail' }), 'succeeded')
    await world.reached(await world.enqueue({ queue: 'letters' }), 'succeeded')
    expect((await world.job(elsewhere)).status).toBe('queued')
    expect((await queue.get(rows[0].id))?.status).toBe('queued')
  })

  test('two queues with the same priority are both served', async () => {
    const { queue } = world.database
    const requests = Array.from({ length: 20 }, (_, n) =>
      testJob.create({}, { queue: n < 10 ? 'first' : 'second' }),
    )
    await queue.enqueueMany(requests)
    const order: string[] = []
    await world.work((job) => void order.push(job.queue), { queues: ['first', 'second'], concurrency: 1 })
    await eventually(() => order.length === 20)
    expect(order.slice(0, 4).toSorted()).toEqual(['first', 'first', 'second', 'second'])
  })
})

describe('the id of a worker', () => {
  test('is in the registry while it works, and on the jobs that it runs', async () => {
    const worker = await world.work((job) => world.job(job.id).then((row) => row.lockedBy), {
      idPrefix: 'mailer',
      version: '1.2.3',
    })
    expect(worker.id).toMatch(/^mailer-/)
    const ended = await world.reached(await world.enqueue(), 'succeeded')
    expect(ended.result).toBe(worker.id)
    const { rows } = await world.database.pool.query('SELECT * FROM queue.workers')
    expect(rows).toEqual([
      expect.objectContaining({
        id: worker.id,
        state: 'active',
        pid: process.pid,
        version: '1.2.3',
        queues: ['default'],
        kinds: ['test_job'],
        concurrency: 4,
      }),
    ])
  })

  test('is unique, in one process and in several with the same host name and process id', () => {
    const ids = new Set(Array.from({ length: 10_000 }, () => createWorkerId('worker')))
    expect(ids.size).toBe(10_000)
  })

  test('fits its column, and keeps what makes it unique, however long the prefix is', () => {
    const workerId = createWorkerId('p'.repeat(400))
    expect(workerId).toHaveLength(255)
    expect(workerId).toMatch(new RegExp(`-${process.pid}-[0-9a-f]{12}$`))
  })

  test('is new for every worker of one process', async () => {
    const workers: Worker[] = []
    for (let n = 0; n < 3; n += 1) workers.push(await world.work(() => undefined, { poolMax: 2 }))
    expect(new Set(workers.map((worker) => worker.id)).size).toBe(3)
  })
})
