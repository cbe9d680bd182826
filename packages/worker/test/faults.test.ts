import { describe, expect, test } from '@jest/globals'
import { cancelled, succeeded } from '@queue/executor'
import { eventually, insertJob, insertWorker, leastOfTries } from '@queue/test-database'
import { recordObserver } from './support/recording-observer.ts'
import { scriptExecutor } from './support/scripted-executor.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

const ago = { createdAt: { msFromNow: -2_000 }, lockedAt: { msFromNow: -1_000 } }

/** Creates a running job of a worker whose lease has expired. */
async function insertOrphan(overrides: Parameters<typeof insertJob>[1] = {}): Promise<string> {
  const lockedBy = await insertWorker(world.database, { leaseMs: -1 })
  return (await insertJob(world.database, { status: 'running', lockedBy, ...ago, ...overrides })).id
}

describe('recovery only at start', () => {
  test('a worker that has long been up takes over what another one leaves behind', async () => {
    const worker = await world.work(() => 'done')
    for (let n = 0; n < 2; n += 1) {
      const id = await insertOrphan()
      await world.recovered(id)
      expect(await world.reached(id, 'succeeded')).toMatchObject({ crashes: 1, attempts: 2 })
      expect(await world.history(id)).toEqual(['lost', 'succeeded'])
    }
    expect(worker.id).toBeDefined()
    expect(world.observer.reports('jobsRecovered')).toEqual([1, 1])
    expect(world.observer.reports('workersLost')).toEqual([1, 1])
    const line = world.logger.lines.find(({ message }) => message === 'job recovered from a lost worker')
    expect(line?.fields).toMatchObject({ kind: 'test_job', attempt: 1, worker_id: worker.id })
  })

  test('a worker that starts takes over what it left behind in its last life', async () => {
    const id = await insertOrphan()
    await world.work(() => 'done', { recoveryIntervalMs: 3_600_000 })
    await world.recovered(id)
  })

  test('a job that is recovered on its last attempt is a dead letter, and not stuck', async () => {
    await world.work(() => 'done')
    const id = await insertOrphan({ attempts: 3, maxAttempts: 3 })
    await world.reached(id, 'failed_permanent')
    await eventually(() => world.observer.reports('jobDeadLettered').length === 1)
    await world.reached(await world.enqueue(), 'succeeded')
  })

  test('a job whose cancel was asked for is cancelled when its worker is lost', async () => {
    await world.work(() => 'done')
    await world.reached(await insertOrphan({ cancelRequested: true }), 'cancelled')
  })
})

describe('no heartbeat', () => {
  test('a job that takes several leases runs once while its worker lives', async () => {
    // On a busy machine the thread that renews the lease may run too late.
    expect(await leastOfTries(2, runsOfLongJob)).toBe(1)
  })

  async function runsOfLongJob(): Promise<number> {
    const leaseMs = 1_200
    let runs = 0
    const work = async (): Promise<void> => {
      runs += 1
      await new Promise((resolve) => setTimeout(resolve, 2.5 * leaseMs))
    }
    const settings = { leaseMs, heartbeatMs: 100 }
    const workers = [await world.work(work, settings), await world.work(work, settings)]
    const { attempts, crashes } = await world.reached(await world.enqueue(), 'succeeded', 'failed_permanent')
    await Promise.all(workers.map((worker) => worker.stop()))
    expect({ attempts, crashes }).toEqual({ attempts: runs, crashes: runs - 1 })
    return runs
  }
})

describe('finishing by id alone', () => {
  test('a stalled worker cannot overwrite the result of the one that took its job over', async () => {
    const stalled = Promise.withResolvers<string>()
    const successor = Promise.withResolvers<string>()
    const observer = recordObserver()
    // Being stalled means here that after its first renewal it looks after nothing for a long time.
    const hour = 3_600_000
    const stall = { metrics: observer, watchIntervalMs: hour, heartbeatMs: hour, leaseMs: 3 * hour }
    await world.work(() => stalled.promise, { ...stall, concurrency: 1 })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await eventually(async () => {
      const { rowCount } = await world.database.pool.query(
        `UPDATE queue.workers SET state = 'lost' WHERE heartbeat_at > started_at`,
      )
      return rowCount === 1
    })
    await world.recovered(id)
    const quick = await world.work(() => successor.promise)
    await world.reached(id, 'running')

    stalled.resolve('late')
    await eventually(() => observer.reports('jobCompleted').some((report) => report.outcome === 'lost'))
    expect(observer.reports('staleWriteRefused')).toHaveLength(1)
    expect(await world.job(id)).toMatchObject({ status: 'running', result: null, attempts: 2 })

    successor.resolve('in time')
    expect(await world.reached(id, 'succeeded')).toMatchObject({ result: 'in time' })
    expect(quick.id).toBeDefined()
  })
})

describe('cancel of a job that fails', () => {
  test('ends cancelled, and is not left waiting for an attempt that never comes', async () => {
    const gate = Promise.withResolvers<never>()
    await world.work(() => gate.promise, { watchIntervalMs: 3_600_000 })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    expect(await world.database.queue.cancel(id)).toMatchObject({ outcome: 'requested' })
    gate.reject(new Error('it failed by itself'))
    expect(await world.reached(id, 'cancelled')).toMatchObject({
      lastError: expect.stringContaining('it failed by itself'),
    })
    expect(await world.history(id)).toEqual(['cancelled'])
  })
})

describe('a crashing handler ends a worker slot', () => {
  const concurrency = 2

  function raise(thrown: unknown): never {
    throw thrown
  }

  interface Crash {
    readonly how: string
    readonly crash: () => unknown
    readonly definition?: () => never
  }
  const later = async (): Promise<never> => raise(new Error('later'))
  const crashes: readonly Crash[] = [
    { how: 'throws before it returns a promise', crash: () => raise(new Error('at once')) },
    { how: 'rejects with an error', crash: later },
    { how: 'rejects with nothing', crash: async () => raise(undefined) },
    { how: 'rejects with a number too large for JSON', crash: async () => raise(7n) },
    { how: 'resolves with nothing', crash: async () => undefined },
    { how: 'resolves with what only looks like an outcome', crash: async () => ({ kind: 'succeeded' }) },
    { how: 'returns no promise', crash: () => 5 },
    { how: 'cannot give defaults', crash: later, definition: () => raise(new Error('no defaults')) },
  ]

  test.each(crashes)(
    'an executor that $how costs its job the attempt, and no slot',
    async ({ crash, definition }) => {
      const both = Promise.withResolvers<void>()
      let together = 0
      const executor = scriptExecutor(async (_ctx, job) => {
        if (job.priority === 0) return crash()
        together += 1
        if (together === concurrency) both.resolve()
        await both.promise
        return succeeded()
      }, definition)
      await world.execute(executor, { concurrency })
      const crashing = await world.database.queue.enqueueMany(
        Array.from({ length: 2 * concurrency + 1 }, () =>
          testJob.create({}, { priority: 0, maxAttempts: 1 }),
        ),
      )
      for (const { job } of crashing) await world.reached(job.id, 'failed_permanent')

      // As many jobs as there are slots end only if all of them run at the same time.
      const meeting = await Promise.all(Array.from({ length: concurrency }, () => world.enqueue()))
      for (const id of meeting) await world.reached(id, 'succeeded')
      await eventually(() => world.observer.reports('activeJobs').at(-1) === 0)
    },
  )
})

describe('a failed finish that counts as succeeded', () => {
  /** Makes the database refuse, until the disposal, every success, or every end of an attempt. */
  async function refuse(ends: 'successes' | 'all'): Promise<AsyncDisposable> {
    const { pool } = world.database
    await pool.query(`
      CREATE FUNCTION refuse() RETURNS trigger LANGUAGE plpgsql AS
        $$ BEGIN RAISE EXCEPTION 'no finish today'; END $$;
      CREATE TRIGGER refuse BEFORE INSERT ON queue.ended_jobs FOR EACH ROW EXECUTE FUNCTION refuse();
      CREATE TRIGGER refuse BEFORE UPDATE ON queue.jobs FOR EACH ROW
        WHEN (${ends === 'all' ? `OLD.status = 'running'` : `NEW.status = 'succeeded'`}) EXECUTE FUNCTION refuse()`)
    return {
      [Symbol.asyncDispose]: async () => {
        await pool.query('DROP FUNCTION refuse CASCADE')
      },
    }
  }

  const outcomes = (): string[] => world.observer.reports('jobCompleted').map((report) => report.outcome)

  test('a success that the database refuses is a charged failure, in the metrics as in the job', async () => {
    await using _refusal = await refuse('successes')
    await world.work(() => 'done')
    const id = await world.enqueue({ maxAttempts: 2 })
    expect(await world.reached(id, 'failed_permanent')).toMatchObject({
      attempts: 2,
      result: null,
      lastError: expect.stringContaining('no finish today'),
    })
    await eventually(() => outcomes().length === 2)
    expect(outcomes()).toEqual(['retrying', 'failed_permanent'])
    expect(await world.history(id)).toEqual(['failed', 'failed'])
  })

  test('an end that the database refuses altogether is kept, and recorded once it is not refused any more', async () => {
    const refusal = await refuse('all')
    const id = await world.enqueue()
    let runs = 0
    try {
      await world.work(() => void (runs += 1))
      await eventually(() => world.observer.reports('refusedEnds').includes(1))
      expect((await world.job(id)).status).toBe('running')
      expect(outcomes()).toEqual([])
    } finally {
      await refusal[Symbol.asyncDispose]()
    }
    await world.reached(id, 'succeeded')
    await eventually(() => outcomes().length > 0)
    expect({ runs, outcomes: outcomes() }).toEqual({ runs: 1, outcomes: ['succeeded'] })
  })

  test('a finish that came too late is reported as lost', async () => {
    const gate = Promise.withResolvers<void>()
    await world.work(() => gate.promise, { watchIntervalMs: 3_600_000 })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.pool.query(
      `UPDATE queue.jobs SET status = 'cancelled', attempts = 0, finished_at = now(), locked_by = NULL, locked_at = NULL
        WHERE id = $1`,
      [id],
    )
    gate.resolve()
    await eventually(() => world.observer.reports('jobCompleted').length > 0)
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual(['lost'])
    expect(world.observer.reports('staleWriteRefused')).toHaveLength(1)
  })

  test('an attempt that ends as something else than its handler said is reported as what it became', async () => {
    const gate = Promise.withResolvers<never>()
    await world.work(() => gate.promise, { watchIntervalMs: 3_600_000 })
    const id = await world.enqueue()
    await world.reached(id, 'running')
    await world.database.queue.cancel(id)
    gate.reject(new Error('failed'))
    await eventually(() => world.observer.reports('jobCompleted').length > 0)
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual(['cancelled'])
  })
})

describe('a heartbeat that outlives its handler', () => {
  test('the job of a dead worker is taken over, however many live ones renew their leases', async () => {
    await world.work(() => 'done', { heartbeatMs: 100 })
    const id = await insertOrphan()
    await world.recovered(id)
  })

  test('a handler that never returns does not keep its job running beyond its timeout', async () => {
    const never = Promise.withResolvers<void>()
    await world.work(() => never.promise, { heartbeatMs: 100 })
    const id = await world.enqueue({ timeoutMs: 50, maxAttempts: 1 })
    await world.reached(id, 'failed_permanent')
    never.resolve()
  })

  test('a job that its own worker no longer runs is not running in the database either', async () => {
    await world.execute(scriptExecutor(async () => cancelled()))
    const id = await world.enqueue()
    await world.reached(id, 'cancelled')
  })
})
