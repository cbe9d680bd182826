import { describe, expect, test } from '@jest/globals'
import { eventually, insertJob, leastOfTries } from '@queue/test-database'
import { testListening } from './support/listening.ts'
import { recordObserver } from './support/recording-observer.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

async function enqueueMany(count: number): Promise<void> {
  await world.database.queue.enqueueMany(Array.from({ length: count }, () => testJob.create({})))
}

/** Counts the current and the largest number of running handlers. */
function gauge() {
  let now = 0
  let maxRunning = 0
  return {
    add: (count: number) => {
      now += count
      maxRunning = Math.max(maxRunning, now)
    },
    get maxRunning() {
      return maxRunning
    },
  }
}

const isDone = async (): Promise<boolean> => {
  const { rows } = await world.database.pool.query(
    `SELECT FROM queue.all_jobs WHERE status <> 'succeeded' LIMIT 1`,
  )
  return rows.length === 0
}

describe('backpressure', () => {
  const concurrency = 3

  test.each([0, 20, 'auto'] as const)(
    'with prefetch %s as many handlers run as there are slots',
    async (prefetch) => {
      const handlers = gauge()
      let runs = 0
      await enqueueMany(100)
      await world.work(
        async () => {
          handlers.add(1)
          runs += 1
          await new Promise((resolve) => setTimeout(resolve, runs % 5))
          handlers.add(-1)
        },
        { concurrency, prefetch },
      )
      await eventually(isDone)
      expect(handlers.maxRunning).toBe(concurrency)
    },
  )

  test('without prefetch no job is claimed without a free slot', async () => {
    const claimed = gauge()
    const observer = recordObserver()
    await enqueueMany(60)
    await world.work(
      async () => {
        await new Promise((resolve) => setTimeout(resolve, 1))
        claimed.add(-1)
      },
      {
        concurrency,
        prefetch: 0,
        metrics: { ...observer, claimFinished: (claim) => claimed.add(claim.jobs) },
      },
    )
    await eventually(isDone)
    expect(claimed.maxRunning).toBe(concurrency)
  })

  test('a worker without free slots leaves the jobs to the others', async () => {
    const gate = Promise.withResolvers<void>()
    const busy = await world.work(() => gate.promise, { concurrency: 1, prefetch: 0 })
    await world.enqueue()
    await eventually(() => busy.running === 1)
    await enqueueMany(5)
    const other = recordObserver()
    await world.work(() => undefined, { metrics: other, prefetch: 0 })
    await eventually(() => other.reports('jobCompleted').length === 5)
    gate.resolve()
  })

  test('a slot counts as free from the end of its last job to the start of the next', async () => {
    await world.work(() => undefined, { concurrency: 1, prefetch: 0 })
    await world.reached(await world.enqueue(), 'succeeded')
    const [slot] = world.observer.reports('slotFilled')
    const [job] = world.observer.reports('jobStarted')
    expect(slot?.waitSeconds).toBeGreaterThan(0)
    expect(job?.waitSeconds).toBeGreaterThanOrEqual(0)
  })
})

describe('jobs that have crashed a worker before', () => {
  test('run one at a time, so that none crashes together with another, next to other jobs', async () => {
    const crashed = gauge()
    const all = gauge()
    const createdAt = { msFromNow: -60_000 }
    const ids: string[] = []
    for (let n = 0; n < 4; n += 1) {
      const crashedOnce = { status: 'retrying', attempts: 1, crashes: 1, createdAt, maxAttempts: 5 } as const
      ids.push((await insertJob(world.database, crashedOnce)).id)
    }
    await enqueueMany(40)
    await world.work(
      async (job) => {
        const gauges = job.crashes > 0 ? [crashed, all] : [all]
        for (const counter of gauges) counter.add(1)
        await new Promise((resolve) => setTimeout(resolve, 5))
        for (const counter of gauges) counter.add(-1)
      },
      { concurrency: 4 },
    )
    for (const id of ids) await world.reached(id, 'succeeded')
    await eventually(isDone)
    expect({ crashed: crashed.maxRunning, all: all.maxRunning }).toEqual({ crashed: 1, all: 4 })
  })
})

describe('prefetch', () => {
  test('leaves a job on its last attempt in the queue until there is a slot for it', async () => {
    const gate = Promise.withResolvers<void>()
    await world.enqueue()
    const last = await world.enqueue({ maxAttempts: 1 })
    const other = await world.enqueue()
    await world.work(() => gate.promise, { concurrency: 1, prefetch: 10 })
    await eventually(async () => {
      const { rows } = await world.database.pool.query('SELECT FROM queue.all_jobs WHERE lease_token > 0')
      return rows.length === 2
    })
    expect(await world.job(last)).toMatchObject({ status: 'queued', attempts: 0 })
    gate.resolve()
    for (const id of [last, other]) await world.reached(id, 'succeeded')
  })

  testListening(
    'does not keep jobs from an idle worker when the worker that prefetched them is blocked',
    async () => {
      const gate = Promise.withResolvers<void>()
      // There before the worker: it claims ahead right after the claim for its slot. Later it might wait for the slot first.
      await enqueueMany(11)
      const busy = await world.work(() => gate.promise, { concurrency: 1, prefetch: 10 })
      await eventually(() => busy.running === 1)
      await eventually(async () => {
        // Claimed once is enough: prefetched jobs that wait for too long are returned.
        const { rows } = await world.database.pool.query('SELECT FROM queue.all_jobs WHERE lease_token > 0')
        return rows.length === 11
      })
      const idle = recordObserver()
      await world.work(() => undefined, { metrics: idle })
      await eventually(() => idle.reports('jobCompleted').length === 10)
      const { rows } = await world.database.pool.query(
        `SELECT DISTINCT attempts FROM queue.all_jobs WHERE status = 'succeeded'`,
      )
      expect(rows).toEqual([{ attempts: 1 }])
      gate.resolve()
    },
  )
})

describe('polling', () => {
  const polling = { notifications: false, prefetch: 0 } as const

  /** An observer that records the times of claims. */
  function claimTimes() {
    const atMs: number[] = []
    const observer = recordObserver()
    const metrics = {
      ...observer,
      claimFinished: (claim: { readonly seconds: number; readonly jobs: number }) => {
        atMs.push(performance.now() - claim.seconds * 1_000)
        observer.claimFinished(claim)
      },
    }
    const gaps = (): number[] => atMs.slice(1).map((at, index) => at - (atMs[index] ?? 0))
    return { metrics, gaps, observer }
  }

  test('an idle worker polls at increasing intervals up to a maximum, and at once again after a job', async () => {
    const intervals = { pollIntervalMs: 60, maxPollIntervalMs: 240 }
    const { metrics, gaps, observer } = claimTimes()
    await world.work(() => undefined, { ...polling, ...intervals, metrics })
    await eventually(() => gaps().length >= 5)
    const [first = 0, second = 0, ...others] = gaps()
    // A timer may fire up to a millisecond early by this clock, and is late on a busy machine.
    expect(first).toBeGreaterThan(58)
    expect(second).toBeGreaterThan(118)
    expect(Math.min(...others)).toBeGreaterThan(238)
    await eventually(
      () =>
        gaps()
          .slice(2)
          .some((gapMs) => gapMs < 480),
      { what: 'a gap of no more than the ceiling' },
    )

    const afterJobMs = await leastOfTries(200, async () => {
      const before = gaps().length
      await world.reached(await world.enqueue(), 'succeeded')
      await eventually(() => gaps().length >= before + 4)
      const claimIndex = observer.reports('claimFinished').findLastIndex((claim) => claim.jobs === 1)
      return gaps()[claimIndex] ?? 0
    })
    expect(afterJobMs).toBeLessThan(200)
  })

  testListening('a job that nobody was told of waits for the ceiling at most', async () => {
    await world.work(() => undefined, { pollIntervalMs: 50, maxPollIntervalMs: 100 })
    await eventually(() => world.observer.reports('listenerHealthy').includes('healthy'))
    const { rows } = await world.database.pool.query(
      `INSERT INTO queue.jobs (id, kind, payload) VALUES (gen_random_uuid(), 'test_job', '{}') RETURNING id`,
    )
    await world.reached(rows[0].id, 'succeeded')
  })

  testListening('a job that was announced does not wait for the next poll', async () => {
    const hour = 3_600_000
    await world.work(() => undefined, { pollIntervalMs: hour, maxPollIntervalMs: hour })
    await eventually(() => world.observer.reports('listenerHealthy').includes('healthy'))
    for (let n = 0; n < 3; n += 1) await world.reached(await world.enqueue(), 'succeeded')
  })

  testListening('a job that is announced to an idle worker needs one claim, also with prefetch', async () => {
    const hour = 3_600_000
    await world.work(() => undefined, { pollIntervalMs: hour, maxPollIntervalMs: hour })
    await eventually(() => world.observer.reports('listenerHealthy').includes('healthy'))
    const claims = (): number => world.observer.reports('claimFinished').length
    const runOneByOne = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) await world.reached(await world.enqueue(), 'succeeded')
    }
    // Enough short jobs that more would be prefetched if there were more.
    await runOneByOne(10)
    const before = claims()
    await runOneByOne(10)
    expect(claims() - before).toBe(10)
  })

  test('a failed claim is repeated, and loses no permit', async () => {
    const { pool } = world.database
    await pool.query('ALTER TABLE queue.queues RENAME COLUMN paused_at TO hidden')
    try {
      await world.work(() => undefined, { ...polling, concurrency: 1 })
      await eventually(
        () => world.logger.lines.filter((line) => line.message.includes('claim failed')).length > 2,
      )
    } finally {
      await pool.query('ALTER TABLE queue.queues RENAME COLUMN hidden TO paused_at')
    }
    await world.reached(await world.enqueue(), 'succeeded')
  })
})
