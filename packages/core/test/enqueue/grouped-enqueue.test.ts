import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '@queue/dev-postgres'
import type { EnqueueMany } from '../../src/enqueue/enqueue.ts'
import { createGroupedEnqueue } from '../../src/enqueue/grouped-enqueue.ts'
import { limits } from '../../src/index.ts'
import { probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'
import { databaseOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
await world.sql(`ALTER TABLE queue.jobs ADD CONSTRAINT no_poison CHECK (payload <> '"poison"')`)
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

/** Enqueues through the queue and records the size of each batch. */
function countBatches(): { readonly enqueueMany: EnqueueMany; readonly sizes: number[] } {
  const sizes: number[] = []
  const enqueueMany: EnqueueMany = (requests, target) => {
    sizes.push(requests.length)
    return queue.enqueueMany(requests, target)
  }
  return { enqueueMany, sizes }
}

async function jobCount(): Promise<number> {
  const [row] = await world.sql<{ count: number }>('SELECT count(*)::int AS count FROM queue.all_jobs')
  return row?.count ?? -1
}

/** The outcome of each enqueue: the payload of its job, or the code of its refusal. */
async function outcomes(enqueues: readonly Promise<{ job: { payload: unknown } }>[]): Promise<unknown[]> {
  const settled = await Promise.allSettled(enqueues)
  return settled.map((result) =>
    result.status === 'fulfilled' ? result.value.job.payload : (result.reason as { code?: unknown }).code,
  )
}

const numbers = Array.from({ length: 64 }, (_, n) => n)

describe('concurrent enqueues', () => {
  test('share few statements, and each makes its own job', async () => {
    const counted = countBatches()
    const grouped = createGroupedEnqueue(counted)
    expect(await outcomes(numbers.map((n) => grouped.enqueue(probe, n)))).toEqual(numbers)
    expect(counted.sizes.length).toBeLessThanOrEqual(4)
    expect(await jobCount()).toBe(64)
  })

  test('with and without keys are written in separate statements', async () => {
    const counted = countBatches()
    const grouped = createGroupedEnqueue(counted)
    await Promise.all(
      numbers.map((n) => grouped.enqueue(probe, n, n % 2 === 0 ? {} : { idempotencyKey: `k${n}` })),
    )
    expect(counted.sizes).toHaveLength(2)
    expect(await jobCount()).toBe(64)
  })

  test('with one key make one job, and the others are its replays', async () => {
    const grouped = createGroupedEnqueue(queue)
    const answers = await Promise.all(numbers.map(() => grouped.enqueue(probe, 1, { idempotencyKey: 'k' })))
    expect(answers.filter(({ replayed }) => !replayed)).toHaveLength(1)
    expect(new Set(answers.map(({ job }) => job.id)).size).toBe(1)
  })

  test('are answered only after their own commit', async () => {
    const grouped = createGroupedEnqueue(queue)
    await Promise.all(
      numbers.map(async (n) => {
        const { job } = await grouped.enqueue(probe, n)
        expect(await queue.get(job.id)).toEqual(job)
      }),
    )
  })

  test('with large payloads share a statement only up to its size limit', async () => {
    const counted = countBatches()
    const grouped = createGroupedEnqueue(counted)
    const large = 'x'.repeat(1_000_000)
    await Promise.all(numbers.slice(0, 12).map(() => grouped.enqueue(probe, large)))
    expect(Math.max(...counted.sizes)).toBeLessThanOrEqual(Math.ceil(limits.enqueueGroupBytesMax / 1_000_000))
  })
})

describe('one faulty request', () => {
  test('that the database refuses fails alone', async () => {
    const grouped = createGroupedEnqueue(queue)
    const payloads = numbers.map((n) => (n === 40 ? 'poison' : n))
    const settled = await outcomes(payloads.map((payload) => grouped.enqueue(probe, payload)))
    expect(settled).toEqual(numbers.map((n) => (n === 40 ? 'invalid_job' : n)))
    expect(await jobCount()).toBe(63)
    expect((await grouped.enqueue(probe, 'after')).job.payload).toBe('after')
  })

  test('that is not valid never joins a group', async () => {
    const counted = countBatches()
    const grouped = createGroupedEnqueue(counted)
    await expect(grouped.enqueue(probe, { n: Number.NaN })).rejects.toMatchObject({ code: 'invalid_job' })
    expect(counted.sizes).toEqual([])
  })

  test('whose key another transaction holds is refused alone, and delays the others only briefly', async () => {
    const otherSession = await world.session()
    await otherSession.query('BEGIN')
    await queue.enqueue(probe, {}, { idempotencyKey: 'k7', transaction: otherSession })
    const grouped = createGroupedEnqueue(queue)
    const enqueues = numbers.map((n) => grouped.enqueue(probe, n, { idempotencyKey: `k${n}` }))
    const otherEnqueues = enqueues.filter((_, n) => n !== 7)
    expect(await outcomes(otherEnqueues)).toEqual(numbers.filter((n) => n !== 7))
    const laterEnqueue = grouped.enqueue(probe, 'later', { idempotencyKey: 'later' })
    expect((await laterEnqueue).replayed).toBe(false)
    await expect(enqueues[7]).rejects.toMatchObject({ code: 'idempotency_key_locked' })
    await otherSession.query('ROLLBACK')
    expect((await grouped.enqueue(probe, 7, { idempotencyKey: 'k7' })).replayed).toBe(false)
  })

  test('whose key another transaction releases in time is written', async () => {
    const otherSession = await world.session()
    await otherSession.query('BEGIN')
    await queue.enqueue(probe, 'theirs', { idempotencyKey: 'k', transaction: otherSession })
    const counted = countBatches()
    const enqueue = createGroupedEnqueue(counted).enqueue(probe, 'ours', { idempotencyKey: 'k' })
    await until('it goes alone', async () => counted.sizes.length === 2)
    await otherSession.query('COMMIT')
    expect(await enqueue).toMatchObject({ replayed: true, mismatched: true, job: { payload: 'theirs' } })
  })

  test('many requests whose keys are held leave connections to the others', async () => {
    const otherSession = await world.session()
    await otherSession.query('BEGIN')
    for (const n of numbers.slice(0, 12)) {
      await queue.enqueue(probe, {}, { idempotencyKey: `k${n}`, transaction: otherSession })
    }
    const grouped = createGroupedEnqueue(queue)
    const waitingEnqueues = numbers
      .slice(0, 12)
      .map((n) => grouped.enqueue(probe, n, { idempotencyKey: `k${n}` }))
    const settled = outcomes(waitingEnqueues)
    const { pool } = databaseOf(queue)
    await until('some wait for their keys', async () => pool.totalCount - pool.idleCount >= 4)
    expect((await grouped.enqueue(probe, 'free')).job.payload).toBe('free')
    expect(pool.totalCount - pool.idleCount).toBeLessThanOrEqual(5)
    await otherSession.query('ROLLBACK')
    // Enqueues that had given up by then are refused; all others are written.
    expect(
      (await settled).every((outcome) => outcome === 'idempotency_key_locked' || typeof outcome === 'number'),
    ).toBe(true)
  })
})

test('an outage fails the requests of its group, and the next group is written', async () => {
  let outages = 1
  const enqueueMany: EnqueueMany = (requests, target) => {
    outages -= 1
    return outages >= 0 ? Promise.reject(new Error('lost')) : queue.enqueueMany(requests, target)
  }
  const grouped = createGroupedEnqueue({ enqueueMany })
  await expect(grouped.enqueue(probe, 1)).rejects.toThrow('lost')
  expect((await grouped.enqueue(probe, 2)).job.payload).toBe(2)
})

test('a full backlog refuses further requests, and accepts them when there is room again', async () => {
  const gate = Promise.withResolvers<void>()
  const enqueueMany: EnqueueMany = async (requests, target) => {
    await gate.promise
    return queue.enqueueMany(requests, target)
  }
  const grouped = createGroupedEnqueue({ enqueueMany }, { waitingMax: 3 })
  const waiting = [1, 2, 3].map((n) => grouped.enqueue(probe, n))
  await expect(grouped.enqueue(probe, 4)).rejects.toMatchObject({ code: 'overloaded' })
  gate.resolve()
  expect(await outcomes(waiting)).toEqual([1, 2, 3])
  expect((await grouped.enqueue(probe, 4)).job.payload).toBe(4)
})
