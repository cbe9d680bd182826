import { describe, expect, test } from '@jest/globals'
import { defineJob, type RetryPolicy } from '@queue/core'
import { retryDelayMs } from '@queue/core/internal'
import { cancelled, failed, handle, PermanentFailure, RetryAfter, Snooze, succeeded } from '@queue/executor'
import { endedAttempts, eventually } from '@queue/test-database'
import { z } from 'zod'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

/** The time from the end of the job's last attempt to its next start in milliseconds, by the database's clock. */
async function waitOf(id: string): Promise<number> {
  const { rows } = await world.database.pool.query(
    `SELECT (extract(epoch FROM j.run_at - x.finished_at) * 1000)::float8 AS ms
       FROM queue.all_jobs AS j JOIN ${endedAttempts('queue')} AS x ON x.job_id = j.id AND x.lease_token = j.lease_token
      WHERE j.id = $1`,
    [id],
  )
  return rows[0].ms
}

describe('an attempt that succeeds', () => {
  test('ends its job with its result, one counted attempt and one entry in the history', async () => {
    const worker = await world.work((job) => ({ echo: job.payload }))
    const { job } = await world.database.queue.enqueue(testJob, { n: 1 })
    const ended = await world.reached(job.id, 'succeeded')
    expect(ended).toMatchObject({ result: { echo: { n: 1 } }, attempts: 1, lockedBy: null, lastError: null })
    expect(await world.database.queue.executions(job.id)).toEqual([
      expect.objectContaining({ attempt: 1, outcome: 'succeeded', workerId: worker.id, error: null }),
    ])
  })

  test('has its number and a token that increases with every claim', async () => {
    const attempts: (readonly [number, number])[] = []
    await world.work((_job, ctx) => {
      attempts.push([ctx.attempt, ctx.leaseToken])
      if (attempts.length === 1) throw new Snooze(0)
      if (attempts.length === 2) throw new Error('not yet')
    })
    await world.reached(await world.enqueue(), 'succeeded')
    expect(attempts).toEqual([
      [1, 1],
      [1, 2],
      [2, 3],
    ])
  })

  test('keeps the error of an earlier attempt', async () => {
    await world.work((_job, ctx) => {
      if (ctx.attempt === 1) throw new Error('the first time it fails')
    })
    const id = await world.enqueue()
    expect(await world.reached(id, 'succeeded')).toMatchObject({
      attempts: 2,
      lastError: expect.stringContaining('the first time it fails'),
    })
    expect(await world.history(id)).toEqual(['failed', 'succeeded'])
  })

  test('succeeds although its result is too large to store, which the job reports', async () => {
    await world.work(() => 'x'.repeat(70_000))
    expect(await world.reached(await world.enqueue(), 'succeeded')).toMatchObject({
      result: null,
      lastError: expect.stringContaining('70002 bytes'),
    })
  })
})

describe('an attempt that fails', () => {
  test('is retried until its attempts are used up, and then there is a dead letter with its history', async () => {
    await world.work(() => {
      throw new Error('it never works')
    })
    const id = await world.enqueue({ maxAttempts: 3 })
    expect(await world.reached(id, 'failed_permanent')).toMatchObject({
      attempts: 3,
      lastError: expect.stringContaining('it never works'),
    })
    expect(await world.history(id)).toEqual(['failed', 'failed', 'failed'])
    const { rows } = await world.database.pool.query(
      `SELECT attempts, last_error, jsonb_path_query_array(execution_history, '$[*].attempt') AS history
         FROM queue.dead_letter_jobs WHERE job_id = $1`,
      [id],
    )
    expect(rows).toEqual([
      { attempts: 3, last_error: expect.stringContaining('it never works'), history: [1, 2, 3] },
    ])
    await eventually(() => world.observer.reports('jobDeadLettered').length > 0)
    expect(world.observer.reports('jobDeadLettered')).toEqual([{ kind: 'test_job' }])
  })

  const policies: {
    readonly name: string
    readonly policy: RetryPolicy
    readonly windowMs: [number, number]
  }[] = [
    {
      name: 'decorrelated',
      policy: { type: 'decorrelated', baseMs: 1_000, capMs: 60_000 },
      windowMs: [1_000, 3_000],
    },
    {
      name: 'exponential with full jitter',
      policy: { type: 'exponential', jitter: 'full', baseMs: 8_000, capMs: 60_000 },
      windowMs: [0, 8_000],
    },
    {
      name: 'exponential without jitter',
      policy: { type: 'exponential', jitter: 'none', baseMs: 7_000, capMs: 60_000 },
      windowMs: [7_000, 7_000],
    },
    {
      name: 'exponential with proportional jitter',
      policy: { type: 'exponential', jitter: 'proportional', baseMs: 8_000, capMs: 60_000 },
      windowMs: [6_000, 10_000],
    },
    { name: 'fixed', policy: { type: 'fixed', baseMs: 9_000 }, windowMs: [9_000, 9_000] },
  ]
  test.each(policies)(
    'waits as long as the $name policy of its job defines',
    async ({ policy, windowMs }) => {
      const draw = 0.37
      await world.work(() => Promise.reject(new Error('not yet')), { random: () => draw })
      const id = await world.enqueue({ retryPolicy: policy })
      await world.reached(id, 'retrying')
      const waitMs = await waitOf(id)
      expect(waitMs).toBe(retryDelayMs(1, policy, () => draw))
      expect(waitMs).toBeGreaterThanOrEqual(windowMs[0])
      expect(waitMs).toBeLessThanOrEqual(windowMs[1])
    },
  )

  test('waits by the policy of its kind if its job has none, and else by the default policy', async () => {
    const plainJob = defineJob({ kind: 'plain_job', payload: z.looseObject({}) })
    const patientJob = defineJob({
      ...plainOptions('patient_job'),
      retryPolicy: { type: 'fixed', baseMs: 4_321 },
    })
    const fail = (): never => {
      throw new Error('not yet')
    }
    const handlers = [handle(plainJob, fail), handle(patientJob, fail)]
    await world.create({ handlers }, { random: () => 0.999_999 }).start()
    const plainResult = await world.database.queue.enqueue(plainJob, {})
    const two = await world.database.queue.enqueue(patientJob, {})
    await world.reached(plainResult.job.id, 'retrying')
    await world.reached(two.job.id, 'retrying')
    expect(await waitOf(plainResult.job.id)).toBe(3_000)
    expect(await waitOf(two.job.id)).toBe(4_321)
  })

  test('waits as long as its handler requests', async () => {
    await world.work(() => {
      throw new RetryAfter(12_345)
    })
    const id = await world.enqueue()
    await world.reached(id, 'retrying')
    expect(await waitOf(id)).toBe(12_345)
  })

  test('is not repeated if its handler reports a permanent failure', async () => {
    await world.work(() => {
      throw new PermanentFailure('there is no such account')
    })
    const id = await world.enqueue({ maxAttempts: 5 })
    expect(await world.reached(id, 'failed_permanent')).toMatchObject({ attempts: 1 })
    expect(await world.history(id)).toEqual(['failed'])
  })

  test('is permanent if the payload is invalid, and the error names the field', async () => {
    const strict = defineJob({ kind: 'test_job', payload: z.object({ amount: z.number() }) })
    await world.create({ handlers: [handle(strict, () => undefined)] }).start()
    const id = await world.enqueue()
    expect(await world.reached(id, 'failed_permanent')).toMatchObject({
      attempts: 1,
      lastError: expect.stringContaining('payload.amount'),
    })
  })

  test('is retried whatever its error contains', async () => {
    const errors = ['\u0000 and \uD800', 'x'.repeat(1_000_000), undefined, null, 7n, Symbol('s'), { a: 1 }]
    await world.work((job) => {
      throw errors[job.payload['index'] as number]
    })
    const ids = await Promise.all(
      errors.map(async (_error, index) => {
        const { job } = await world.database.queue.enqueue(testJob, { index }, { maxAttempts: 1 })
        return job.id
      }),
    )
    for (const id of ids) expect((await world.reached(id, 'failed_permanent')).lastError).toBeTruthy()
  })
})

describe('a snoozed attempt', () => {
  test('runs again after its wait, and is not counted', async () => {
    await world.work(() => {
      throw new Snooze(60_000)
    })
    const id = await world.enqueue({ maxAttempts: 1 })
    expect(await world.reached(id, 'retrying')).toMatchObject({ attempts: 0, lastError: null })
    expect(await waitOf(id)).toBe(60_000)
    expect(await world.history(id)).toEqual(['snoozed'])
  })
})

describe('the reported outcome', () => {
  test('is the recorded one, once per attempt', async () => {
    const ends = [succeeded(1), failed(new Error('no'), { permanent: true }), cancelled()]
    await world.work((job) => ends[job.payload['index'] as number])
    const ids: string[] = []
    for (const index of ends.keys()) {
      const { job } = await world.database.queue.enqueue(testJob, { index })
      ids.push(job.id)
      await world.reached(job.id, 'succeeded', 'failed_permanent', 'cancelled')
    }
    await eventually(() => world.observer.reports('jobCompleted').length === ends.length)
    expect(world.observer.reports('jobCompleted').map((report) => report.outcome)).toEqual([
      'succeeded',
      'failed_permanent',
      'cancelled',
    ])
    expect(world.observer.reports('jobStarted')).toHaveLength(3)
    expect(world.observer.reports('activeJobs').at(-1)).toBe(0)
    expect(await world.history(ids[2] ?? '')).toEqual(['cancelled'])
  })
})

function plainOptions<Kind extends string>(kind: Kind) {
  return { kind, payload: z.looseObject({}) }
}
