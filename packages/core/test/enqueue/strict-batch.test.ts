import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import type { IdempotencyMismatch } from '../../src/domain/errors.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import { createQueue } from '../../src/facade/queue.ts'
import { probe } from '../support/builders.ts'
import { poolWithLoss } from '../support/lossy-pool.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world
const keyed = (idempotencyKey: string, payload: unknown = {}, options: JobOptions = {}) =>
  probe.create(payload, { ...options, idempotencyKey })

async function jobCount(): Promise<number> {
  const [row] = await world.sql<{ count: number }>('SELECT count(*)::int AS count FROM queue.all_jobs')
  return row?.count ?? -1
}

/** The error with which a batch is refused. */
async function refusal(work: Promise<unknown>): Promise<IdempotencyMismatch> {
  const error = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toMatchObject({ code: 'idempotency_mismatch' })
  return error as IdempotencyMismatch
}

describe('a batch that rejects mismatches', () => {
  test('writes nothing when a key belongs to another request, and names the key', async () => {
    const { job } = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k' })
    const batch = [probe.create({}), keyed('new'), keyed('k', { a: 2 }), keyed('later')]
    const { mismatches } = await refusal(queue.enqueueMany(batch, { onMismatch: 'reject' }))
    expect(mismatches).toEqual([{ index: 2, jobId: job.id }])
    expect(await jobCount()).toBe(1)
  })

  test('writes nothing when it has one key twice with different requests', async () => {
    const batch = [keyed('k', { a: 1 }), keyed('l'), keyed('k', { a: 2 })]
    const { mismatches } = await refusal(queue.enqueueMany(batch, { onMismatch: 'reject' }))
    expect(mismatches.map(({ index }) => index)).toEqual([2])
    expect(await jobCount()).toBe(0)
  })

  test('names every mismatch', async () => {
    await queue.enqueueMany([keyed('k', 1), keyed('l', 1)])
    const batch = [keyed('l', 2), keyed('m'), keyed('k', 2)]
    const { mismatches } = await refusal(queue.enqueueMany(batch, { onMismatch: 'reject' }))
    expect(mismatches.map(({ index }) => index)).toEqual([0, 2])
  })

  test('is written if all keys are new, or belong to the same request', async () => {
    const { job } = await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k' })
    const batch = [probe.create({}), keyed('k', { a: 1 }), keyed('new')]
    const enqueued = await queue.enqueueMany(batch, { onMismatch: 'reject' })
    expect(enqueued.map(({ replayed }) => replayed)).toEqual([false, true, false])
    expect(enqueued[1]?.job).toEqual(job)
    expect(await jobCount()).toBe(3)
  })

  test('writes nothing when the other request commits during the batch', async () => {
    const otherSession = await world.session()
    await otherSession.query('BEGIN')
    await queue.enqueue(probe, { a: 1 }, { idempotencyKey: 'k', transaction: otherSession })
    const batch = [probe.create({}), keyed('a'), keyed('k', { a: 2 }), keyed('z')]
    const refused = refusal(queue.enqueueMany(batch, { onMismatch: 'reject' }))
    await untilSomeoneWaitsFor(otherSession, await world.session())
    await otherSession.query('COMMIT')
    expect((await refused).mismatches.map(({ index }) => index)).toEqual([2])
    expect(await jobCount()).toBe(1)
  })

  test('is written once when the reply of its commit is lost', async () => {
    const loss = { isLost: (text: string) => text === 'COMMIT', breaks: 'after' } as const
    const lossy = createQueue({ pool: poolWithLoss(world.database.pool, loss) })
    const batch = [keyed('k'), probe.create({})]
    const enqueued = await lossy.enqueueMany(batch, { onMismatch: 'reject' })
    expect(enqueued.map(({ replayed }) => replayed)).toEqual([false, false])
    expect(await jobCount()).toBe(2)
    await lossy.close()
  })

  test('returns its connection whatever its outcome', async () => {
    await queue.enqueue(probe, 1, { idempotencyKey: 'k' })
    for (let count = 0; count < 30; count += 1) {
      await refusal(queue.enqueueMany([keyed('k', 2)], { onMismatch: 'reject' }))
    }
    await queue.enqueueMany([keyed('k', 1)], { onMismatch: 'reject' })
    const { pool } = databaseOf(queue)
    expect(pool.totalCount - pool.idleCount).toBe(0)
  })
})

describe("in a caller's transaction, a batch that rejects mismatches", () => {
  test('writes nothing, and leaves the transaction usable', async () => {
    await queue.enqueue(probe, 1, { idempotencyKey: 'k' })
    const client = await world.session()
    await client.query('BEGIN')
    await queue.enqueue(probe, 'before', { transaction: client })
    const batch = [keyed('new'), keyed('k', 2)]
    const target = { transaction: client, onMismatch: 'reject' } as const
    expect((await refusal(queue.enqueueMany(batch, target))).mismatches).toMatchObject([{ index: 1 }])
    await queue.enqueueMany([keyed('new', 'after')], target)
    await client.query('COMMIT')
    const payloads = await world.sql<{ payload: unknown }>('SELECT payload FROM queue.all_jobs ORDER BY id')
    expect(payloads.map(({ payload }) => payload)).toEqual([1, 'before', 'after'])
  })

  test('is rolled back with the transaction', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    await queue.enqueueMany([keyed('k'), probe.create({})], { transaction: client, onMismatch: 'reject' })
    await client.query('ROLLBACK')
    expect(await jobCount()).toBe(0)
  })
})

test('a single job with the key of another request is refused in the same way', async () => {
  const { job } = await queue.enqueue(probe, 1, { idempotencyKey: 'k' })
  const repeated = queue.enqueue(probe, 2, { idempotencyKey: 'k', onMismatch: 'reject' })
  expect((await refusal(repeated)).mismatches).toEqual([{ index: 0, jobId: job.id }])
  expect(await queue.enqueue(probe, 1, { idempotencyKey: 'k', onMismatch: 'reject' })).toMatchObject({
    replayed: true,
  })
})
