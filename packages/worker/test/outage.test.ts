import { describe, expect, test } from '@jest/globals'
import { elapsedMs, eventually, leastOfTries, startDatabaseProxy } from '@queue/test-database'
import { testListening } from './support/listening.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

/** Ends every connection of the workers, as a restart of the server does. */
async function terminateWorkers(): Promise<number> {
  const { rowCount } = await world.database.pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
      WHERE datname = current_database() AND application_name LIKE 'queue-%'`,
  )
  return rowCount ?? 0
}

async function waitUntilDone(): Promise<void> {
  await eventually(async () => {
    const { rows } = await world.database.pool.query(
      `SELECT FROM queue.all_jobs WHERE status <> 'succeeded' LIMIT 1`,
    )
    return rows.length === 0
  })
}

describe('a database that goes away', () => {
  test('again and again, in the midst of work, loses no job and runs none twice', async () => {
    const jobs = 300
    const runs = new Map<string, number>()
    await world.database.queue.enqueueMany(Array.from({ length: jobs }, () => testJob.create({})))
    const worker = await world.work(async (job) => {
      runs.set(job.id, (runs.get(job.id) ?? 0) + 1)
      await new Promise((resolve) => setTimeout(resolve, 10))
    })
    const { id } = worker
    for (const share of [0.2, 0.4, 0.6, 0.8]) {
      await eventually(() => runs.size >= jobs * share)
      // Right after the last break the worker may have no connection for a moment.
      await eventually(async () => (await terminateWorkers()) > 0)
    }
    await waitUntilDone()
    expect(worker.id).toBe(id)
    expect({ runs: runs.size, most: Math.max(...runs.values()) }).toEqual({ runs: jobs, most: 1 })
    const { rows } = await world.database.pool.query('SELECT DISTINCT attempts, crashes FROM queue.all_jobs')
    expect(rows).toEqual([{ attempts: 1, crashes: 0 }])
  })

  test('while a handler runs delays the record of its end', async () => {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    try {
      const gate = Promise.withResolvers<string>()
      const settings = { connectionString: proxy.url, queryTimeoutMs: 500 }
      const worker = await world.work(() => gate.promise, settings)
      const id = await world.enqueue()
      await world.reached(id, 'running')
      proxy.blackhole()
      gate.resolve('done in the dark')
      await eventually(() =>
        world.logger.lines.some((line) => line.message.includes('could not be recorded')),
      )
      await eventually(() => world.observer.reports('claimFailed').length > 0)
      proxy.cut()
      proxy.restore()
      expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'done in the dark', attempts: 1 })
      await worker.stop()
      expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual(['succeeded'])
    } finally {
      await proxy.close()
    }
  })
})

describe('a worker whose database no longer answers', () => {
  // Both wait for the timeouts of a default worker, so they run concurrently.
  test('works on within 15 s over new connections, and without any stops soon after the grace', async () => {
    const [resumedMs, stoppedMs] = await Promise.all([
      leastOfTries(15_000, resumeFromSilence),
      leastOfTries(12_000, stopInTheDark),
    ])
    expect(resumedMs).toBeLessThan(15_000)
    expect(stoppedMs).toBeLessThan(12_000)
  })

  /** The time from the silence until the running job and the jobs enqueued meanwhile have succeeded. */
  async function resumeFromSilence(): Promise<number> {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    try {
      const gate = Promise.withResolvers<void>()
      const worker = await world.work((job) => (job.priority === 0 ? gate.promise : undefined), {
        connectionString: proxy.url,
      })
      const first = worker.id
      const running = await world.enqueue({ priority: 0 })
      await world.reached(running, 'running')
      proxy.freeze()
      const silentSinceMs = performance.now()
      gate.resolve()
      const ids = [running, ...(await Promise.all([1, 2, 3].map(() => world.enqueue())))]
      for (const id of ids) {
        expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1, crashes: 0 })
      }
      const resumedMs = performance.now() - silentSinceMs
      expect(worker.id).toBe(first)
      await worker.stop()
      return resumedMs
    } finally {
      await proxy.close()
    }
  }

  /** The time that a worker takes to stop if its database became unavailable while its handler ran. */
  async function stopInTheDark(): Promise<number> {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    try {
      const gate = Promise.withResolvers<void>()
      const settings = { connectionString: proxy.url, shutdownGraceMs: 100, queues: ['dark'] }
      const worker = await world.work(() => gate.promise, settings)
      const id = await world.enqueue({ queue: 'dark' })
      await world.reached(id, 'running')
      proxy.blackhole()
      gate.resolve()
      const stoppedMs = await elapsedMs(() => worker.stop())
      expect((await world.job(id)).status).toBe('running')
      return stoppedMs
    } finally {
      await proxy.close()
    }
  }
})

describe('a listening connection that breaks', () => {
  testListening('is reported and replaced, and affects no job', async () => {
    const hour = 3_600_000
    const health = (): string[] => world.observer.reports('listenerHealthy')
    await world.work(() => undefined, { pollIntervalMs: hour, maxPollIntervalMs: hour })
    await eventually(() => health().at(-1) === 'healthy')
    await world.database.pool.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
        WHERE datname = current_database() AND application_name = 'queue-listener'`,
    )
    const id = await world.enqueue()
    await eventually(() => health().join() === 'healthy,unhealthy,healthy')
    await world.reached(id, 'succeeded')
    await world.reached(await world.enqueue(), 'succeeded')
  })
})

describe('a claim that the worker has given up behind a lock', () => {
  test('takes nothing when it gets there: each job is claimed once, and nothing has to be returned', async () => {
    // On a busy machine a claim may also be given up after the lock. Its jobs are correctly claimed again.
    expect(await leastOfTries(1, claimedTwiceAfterLock)).toBe(0)
  })

  /** The number of 50 jobs that were claimed more than once by a worker whose claims were given up behind a lock. */
  async function claimedTwiceAfterLock(): Promise<number> {
    const { pool, queue } = world.database
    const failedBefore = world.observer.reports('claimFailed').length
    const worker = await world.work(() => 'done', { queryTimeoutMs: 300 })
    const holder = await pool.connect()
    try {
      await holder.query('BEGIN')
      await holder.query('LOCK TABLE queue.queues IN ACCESS EXCLUSIVE MODE')
      await queue.enqueueMany(Array.from({ length: 50 }, () => testJob.create({})))
      await eventually(() => world.observer.reports('claimFailed').length >= failedBefore + 3)
    } finally {
      await holder.query('ROLLBACK')
      holder.release()
    }
    await waitUntilDone()
    await worker.stop()
    const { rows: attempts } = await pool.query('SELECT DISTINCT attempts, crashes FROM queue.all_jobs')
    expect(attempts).toEqual([{ attempts: 1, crashes: 0 }])
    const { rowCount } = await pool.query('DELETE FROM queue.jobs WHERE lease_token > 1')
    return rowCount ?? 0
  }
})

describe('a claim whose reply was lost', () => {
  test('is found out: its jobs are returned without a charge, and run', async () => {
    const proxy = await startDatabaseProxy(world.database.urlAs('worker'))
    const { pool } = world.database
    try {
      const worker = await world.work(() => 'done', {
        connectionString: proxy.url,
        queryTimeoutMs: 500,
        notifications: false,
      })
      // The claim waits in the database until its connection is broken, and then commits.
      await pool.query(`
        CREATE FUNCTION hold_up() RETURNS trigger LANGUAGE plpgsql AS
          $$ BEGIN PERFORM pg_advisory_xact_lock(4711); RETURN NEW; END $$;
        CREATE TRIGGER hold_up BEFORE UPDATE ON queue.jobs FOR EACH ROW
          WHEN (NEW.status = 'running') EXECUTE FUNCTION hold_up()`)
      const client = await pool.connect()
      await client.query('SELECT pg_advisory_lock(4711)')
      const id = await world.enqueue()
      await eventually(async () => {
        const { rows } = await pool.query(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)
        return rows.length > 0
      })
      proxy.freeze()
      await client.query('SELECT pg_advisory_unlock(4711)')
      client.release()
      await world.reached(id, 'running')
      proxy.cut()
      expect(await world.reached(id, 'succeeded')).toMatchObject({ attempts: 1, crashes: 0 })
      expect(await world.history(id)).toEqual(['succeeded'])
      await worker.stop()
    } finally {
      await pool.query('DROP TRIGGER hold_up ON queue.jobs; DROP FUNCTION hold_up')
      await proxy.close()
    }
  })
})
