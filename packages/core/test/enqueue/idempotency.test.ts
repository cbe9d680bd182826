import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import fc from 'fast-check'
import type { QueueDatabase } from '../../src/database/connect.ts'
import { QueueError } from '../../src/domain/errors.ts'
import type { JobOptions, JobRequest } from '../../src/domain/job-definition.ts'
import { createJobIdGenerator } from '../../src/domain/job-id.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { enqueueJobs } from '../../src/transitions/enqueue-jobs.ts'
import { enqueueProbe, probe } from '../support/builders.ts'
import { poolWithLoss } from '../support/lossy-pool.ts'
import { openWorld, within } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue, database } = world
const createId = createJobIdGenerator({ databaseNowMs: () => Date.now() })
const withId = (request: JobRequest) => ({ ...request, id: createId() })
const keyed = (idempotencyKey: string, options: JobOptions = {}) =>
  probe.create({}, { ...options, idempotencyKey })

async function jobCount(): Promise<number> {
  const [row] = await world.sql<{ count: number }>('SELECT count(*)::int AS count FROM queue.all_jobs')
  return row?.count ?? -1
}

describe('one key makes one job', () => {
  test('and the second request gets the first job, marked as a replay', async () => {
    const first = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k' })
    const second = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k' })
    expect(first).toMatchObject({ replayed: false, mismatched: false })
    expect(second).toEqual({ job: first.job, replayed: true, mismatched: false })
  })

  test('however many ask for it at once', async () => {
    const answers = await Promise.all(
      Array.from({ length: 20 }, () => queue.enqueue(probe, {}, { idempotencyKey: 'k' })),
    )
    expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1)
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(await jobCount()).toBe(1)
  })

  test('also twice in one batch: the first makes the job, the second is its replay', async () => {
    const [a, b, c] = await queue.enqueueMany([
      keyed('k', { priority: 1 }),
      keyed('k', { priority: 2 }),
      keyed('l'),
    ])
    expect(a).toMatchObject({ replayed: false, job: { priority: 1 } })
    expect(b).toEqual({ job: a?.job, replayed: true, mismatched: false })
    expect(c).toMatchObject({ replayed: false, job: { idempotencyKey: 'l' } })
    expect(await jobCount()).toBe(2)
  })

  test('also when a job with the key of a batch exists already', async () => {
    const { job } = await queue.enqueue(probe, {}, { idempotencyKey: 'k' })
    const enqueued = await queue.enqueueMany([probe.create({}), keyed('k'), probe.create({})])
    expect(enqueued.map(({ replayed }) => replayed)).toEqual([false, true, false])
    expect(enqueued[1]?.job).toEqual(job)
    expect(await jobCount()).toBe(3)
  })

  test('for as long as the row of the job is kept, whatever has become of the job', async () => {
    const { job } = await queue.enqueue(probe, {}, { idempotencyKey: 'k' })
    await queue.cancel(job.id)
    expect(await queue.enqueue(probe, {}, { idempotencyKey: 'k' })).toMatchObject({
      replayed: true,
      job: { id: job.id, status: 'cancelled' },
    })
    await world.sql('DELETE FROM queue.jobs')
    expect(await queue.enqueue(probe, {}, { idempotencyKey: 'k' })).toMatchObject({ replayed: false })
  })

  test('of the longest length and in any script', async () => {
    for (const key of ['k'.repeat(255), '漢'.repeat(255), '😀'.repeat(127), ' ', "'; DROP TABLE jobs; --"]) {
      const options = { idempotencyKey: key, tenantId: 't'.repeat(255) }
      const first = await queue.enqueue(probe, {}, options)
      expect(await queue.enqueue(probe, {}, options)).toEqual({ ...first, replayed: true })
    }
  })
})

describe('tenants', () => {
  test('have keys of their own; jobs without a tenant share theirs', async () => {
    const tenants: JobOptions[] = [{}, { tenantId: 'a' }, { tenantId: 'b' }]
    const first = []
    for (const options of tenants)
      first.push(await queue.enqueue(probe, {}, { ...options, idempotencyKey: 'k' }))
    expect(first.every(({ replayed }) => !replayed)).toBe(true)
    for (const [index, options] of tenants.entries()) {
      const replay = await queue.enqueue(probe, {}, { ...options, idempotencyKey: 'k' })
      expect(replay).toEqual({ ...first[index], replayed: true })
    }
    expect(await jobCount()).toBe(3)
  })

  test('are kept apart also in one batch', async () => {
    const enqueued = await queue.enqueueMany([
      keyed('k'),
      keyed('k', { tenantId: 'a' }),
      keyed('k', { tenantId: 'b' }),
    ])
    expect(enqueued.map(({ replayed }) => replayed)).toEqual([false, false, false])
  })
})

describe('a known key with another request', () => {
  test.each<[string, () => Promise<{ mismatched: boolean }>]>([
    ['another payload', () => queue.enqueue(probe, { a: 2 }, { idempotencyKey: 'k' })],
    ['another queue', () => queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k', queue: 'mail' })],
    ['another kind', () => queue.enqueue({ ...probe, ...otherKind }, { a: 1 }, { idempotencyKey: 'k' })],
  ])('%s: the answer is the original job, marked as a mismatch', async (_what, enqueueAgain) => {
    const { job } = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k' })
    expect(await enqueueAgain()).toEqual({ job, replayed: true, mismatched: true })
  })

  test('the order of keys in the payload, and every option but the queue, make no difference', async () => {
    await queue.enqueue(probe, { a: 1, b: 2 }, { idempotencyKey: 'k' })
    const options = { idempotencyKey: 'k', priority: 9, delayMs: 5, maxAttempts: 9 }
    expect(await queue.enqueue(probe, { b: 2, a: 1 }, options)).toMatchObject({
      replayed: true,
      mismatched: false,
    })
  })

  const otherKind = {
    create: (payload: unknown, options?: JobOptions) => ({
      ...probe.create(payload, options),
      ...otherFingerprint,
    }),
  }
  const otherFingerprint = { kind: 'other', fingerprint: Buffer.alloc(32, 7) }
})

describe('an insert whose reply was lost', () => {
  test('is sent again with the same id, and is no replay', async () => {
    const request = withId(keyed('k'))
    const [first] = await enqueueJobs(database, [request])
    expect(await enqueueJobs(database, [request])).toEqual([first])
    expect(first).toMatchObject({ replayed: false })
    expect(await jobCount()).toBe(1)
  })

  test('needs no key to be sent again', async () => {
    const request = withId(probe.create({}))
    const [first] = await enqueueJobs(database, [request])
    expect(await enqueueJobs(database, [request])).toEqual([first])
    expect(await jobCount()).toBe(1)
  })

  test('is a replay when another request has taken the key before it', async () => {
    const { job } = await queue.enqueue(probe, {}, { idempotencyKey: 'k' })
    expect(await enqueueJobs(database, [withId(keyed('k'))])).toEqual([
      { job, replayed: true, mismatched: false },
    ])
  })

  test('is repeated by the queue itself: each way of losing it makes each job once', async () => {
    for (const breaks of ['before', 'after'] as const) {
      await world.reset()
      const loss = { isLost: (text: string) => text.includes('INSERT'), breaks }
      const flaky = createQueue({ pool: poolWithLoss(database.pool, loss) })
      const enqueued = await flaky.enqueueMany([keyed('k'), probe.create({}), keyed('l')])
      expect(enqueued.map(({ replayed }) => replayed)).toEqual([false, false, false])
      expect(await jobCount()).toBe(3)
      await flaky.close()
    }
  })

  const taken = { idempotencyKey: 'k' }
  test.each([
    ['a mismatch', { onMismatch: 'reject' } as const, () => queue.enqueue(probe, { other: true }, taken)],
    [
      'a locked key',
      { keyLockTimeoutMs: 50 },
      async () => {
        const session = await world.session()
        await session.query('BEGIN')
        await queue.enqueue(probe, {}, { ...taken, transaction: session })
      },
    ],
  ])(
    'is not answered by %s, as if nothing was written, when a key was freed meanwhile',
    async (_what, options, take) => {
      const meanwhile = async (): Promise<void> => {
        await world.sql(`DELETE FROM queue.jobs WHERE idempotency_key = 'k'`)
        await take()
      }
      const loss = {
        isLost: (text: string) => /INSERT|r\.outcome/.test(text),
        breaks: 'after',
        meanwhile,
      } as const
      const flaky = createQueue({ pool: poolWithLoss(database.pool, loss) })
      const enqueuing = flaky.enqueueMany([keyed('k'), probe.create({ is: 'beside it' })], options)
      await expect(enqueuing).rejects.toMatchObject({ code: 'database_unavailable' })
      expect((await queue.list()).jobs.map(({ payload }) => payload)).toContainEqual({ is: 'beside it' })
      await flaky.close()
    },
  )
})

describe('a key that another open transaction holds', () => {
  test('fails with idempotency_key_locked within the timeout, and nothing of the batch is written', async () => {
    const otherSession = await world.session()
    await otherSession.query('BEGIN')
    await enqueueJobs(within(otherSession), [withId(keyed('k'))])
    const batch = [probe.create({}), keyed('k')].map(withId)
    await expect(enqueueJobs(database, batch, { lockTimeoutMs: 50 })).rejects.toMatchObject({
      code: 'idempotency_key_locked',
    })
    await otherSession.query('ROLLBACK')
    expect(await jobCount()).toBe(0)
  })

  test('is waited for within the timeout: after its commit the request is a replay, after its rollback it is not', async () => {
    for (const end of ['COMMIT', 'ROLLBACK'] as const) {
      const otherSession = await world.session()
      await otherSession.query('BEGIN')
      await enqueueJobs(within(otherSession), [withId(keyed(end))])
      const waiting = enqueueJobs(database, [withId(keyed(end))], { lockTimeoutMs: 10_000 })
      await untilSomeoneWaitsFor(otherSession, await world.session())
      await otherSession.query(end)
      expect(await waiting).toMatchObject([{ replayed: end === 'COMMIT' }])
    }
  })

  test('sets the timeout for that statement only', async () => {
    const client = await world.session()
    await enqueueJobs(within(client), [withId(keyed('k'))], { lockTimeoutMs: 50 })
    const { rows } = await client.query(`SELECT current_setting('lock_timeout') AS timeout`)
    expect(rows).toEqual([{ timeout: '0' }])
  })

  test('in a deadlock with the enqueue is broken by PostgreSQL, and the enqueue fails with idempotency_key_locked', async () => {
    const otherSession = await world.session()
    await otherSession.query(`SET deadlock_timeout = '1h'`)
    await otherSession.query('BEGIN')
    await enqueueJobs(within(otherSession), [withId(keyed('b'))])
    const enqueueing = enqueueJobs(withShortDeadlockTimeout(), [keyed('a'), keyed('b')].map(withId), {
      lockTimeoutMs: 10_000,
    })
    const outcome = enqueueing.then(
      () => 'written',
      (error: unknown) => (error instanceof QueueError ? error.code : error),
    )
    await untilSomeoneWaitsFor(otherSession, await world.session())
    await enqueueJobs(within(otherSession), [withId(keyed('a'))])
    expect(await outcome).toBe('idempotency_key_locked')
    await otherSession.query('COMMIT')
  })

  /** Sessions that detect a deadlock quickly, before the other session does. */
  function withShortDeadlockTimeout(): QueueDatabase {
    return {
      ...database,
      run: async (statement) => {
        const client = await world.session()
        await client.query(`SET deadlock_timeout = '50ms'`)
        return within(client).run(statement)
      },
    }
  }
})

test('batches that share keys in any order never deadlock, and each key makes one job', async () => {
  const keys = Array.from({ length: 12 }, (_, index) => `key-${index}`)
  const keyBatch = fc.shuffledSubarray(keys, { minLength: 2 })
  await fc.assert(
    fc.asyncProperty(fc.array(keyBatch, { minLength: 4, maxLength: 8 }), async (batches) => {
      await world.sql('DELETE FROM queue.jobs')
      const answers = await Promise.all(
        batches.map((batch) => queue.enqueueMany(batch.map((key) => keyed(key)))),
      )
      const created = answers.flat().filter(({ replayed }) => !replayed)
      expect(created).toHaveLength(new Set(batches.flat()).size)
      expect(new Set(answers.flat().map(({ job }) => job.id)).size).toBe(created.length)
    }),
    seeded('shared keys', { numRuns: 15 }),
  )
})

test('a batch that waits for a key holds no later one: all batches take keys in one order', async () => {
  const otherSession = await world.session()
  await otherSession.query('BEGIN')
  await enqueueJobs(within(otherSession), [withId(keyed('a'))])
  const waiting = enqueueJobs(database, [withId(keyed('b')), withId(keyed('a'))], {
    lockTimeoutMs: 10_000,
  })
  await untilSomeoneWaitsFor(otherSession, await world.session())
  const answers = await enqueueJobs(database, [withId(keyed('b'))], { lockTimeoutMs: 1_000 })
  expect(answers).toMatchObject([{ replayed: false }])
  await otherSession.query('COMMIT')
  expect(await waiting).toMatchObject([{ replayed: true }, { replayed: true }])
})

describe('a job that is removed between the insert and the look-up', () => {
  /** Writes a job of the key before each of the first inserts, and removes it before the look-up that follows. */
  function removing(times: number): QueueDatabase {
    let inserts = 0
    return {
      ...database,
      run: async (statement, frequency) => {
        const removes = frequency === 'frequent' && (inserts += 1) <= times
        if (removes) await enqueueProbe(world, { idempotencyKey: 'k' })
        const rows = await database.run(statement, frequency)
        if (removes) await world.sql('DELETE FROM queue.jobs')
        return rows
      },
    }
  }

  test('is inserted after all', async () => {
    expect(await enqueueJobs(removing(1), [withId(keyed('k'))])).toMatchObject([{ replayed: false }])
  })

  test('each time is refused as a key that others use', async () => {
    const refused = enqueueJobs(removing(100), [withId(keyed('k'))])
    await expect(refused).rejects.toMatchObject({ code: 'idempotency_key_locked' })
  })
})
