import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { callerSession } from '@queue/postgres'
import { carryOutOperation } from '../../src/acts/carry-out-operation.ts'
import { databaseOn } from '../../src/database/connect.ts'
import { identify } from '../../src/database/job-input.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import { createdMsOf, smallestJobIdAt } from '../../src/domain/job-id.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { enqueueAgeMsMax } from '../../src/domain/limits.ts'
import { enqueueNewJobsInside } from '../../src/transitions/enqueue-in-transaction.ts'
import { enqueueJobs, enqueueNewJobs } from '../../src/transitions/enqueue-jobs.ts'
import { enqueueKeyedInside } from '../../src/transitions/enqueue-keyed.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbe, newWorker, probe, runningJobs } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const inTransaction = { keyLockTimeoutMs: 60_000 }

/**
 * Starts `enqueue`, which waits for a lock of another transaction, and ends that transaction. Returns when that was. A
 * wait of a few milliseconds for an idempotency key does not count.
 */
async function heldUp<Result>(
  lock: string,
  enqueue: () => Promise<Result>,
  heldUntil = new Date(0),
): Promise<{ readonly result: Result; readonly releasedAt: Date }> {
  const [holder, observer] = [await world.session(), await world.session()]
  await holder.query('BEGIN')
  await holder.query(lock)
  const pending = enqueue()
  await untilSomeoneWaitsFor(holder, observer)
  // An enqueue waits a little in its insert, and then again in the function.
  await holder.query('SELECT pg_sleep(0.1)')
  await untilSomeoneWaitsFor(holder, observer)
  await holder.query('SELECT pg_sleep_until($1)', [heldUntil])
  const { rows } = await holder.query<{ now: Date }>(`SELECT clock_timestamp() AS now FROM pg_sleep(0.05)`)
  await holder.query('ROLLBACK')
  return { result: await pending, releasedAt: (rows[0] as { now: Date }).now }
}

const lockTable = 'LOCK TABLE queue.jobs IN SHARE ROW EXCLUSIVE MODE'
const enqueueInSql = (options: string) =>
  `SELECT queue.enqueue('probe', '{}', key => 'k', delay_ms => 0, ${options})`
const holdKey = enqueueInSql(`idempotency_key => 'i'`)
const holdUnique = enqueueInSql(`unique_key => 'u', unique_scope => 'live'`)
const bySql = (options: string) => async () => {
  const [row] = await world.sql<{ id: string }>(`${enqueueInSql(options)} AS id`)
  return (await queue.get(row?.id ?? '')) ?? fail('the job is missing')
}
const byQueue = (options: JobOptions) => async () =>
  (await queue.enqueue(probe, {}, { ...options, ...inTransaction })).job

function fail(message: string): never {
  throw new Error(message)
}

describe('a job is created when its row is written, after the wait', () => {
  test.each([
    ['for the table', lockTable, byQueue({})],
    ['for the table, with an idempotency key', lockTable, byQueue({ idempotencyKey: 'i' })],
    ['for the table, in SQL', lockTable, bySql(`idempotency_key => 'i'`)],
    ['for a unique key', holdUnique, byQueue({ unique: { key: 'u', scope: 'live' } })],
    ['for a unique key, in SQL', holdUnique, bySql(`unique_key => 'u', unique_scope => 'live'`)],
    ['for an idempotency key', holdKey, byQueue({ idempotencyKey: 'i', expiresInMs: 60_000 })],
    ['for an idempotency key, in SQL', holdKey, bySql(`idempotency_key => 'i'`)],
  ] as const)('%s', async (_, lock, enqueue) => {
    const { result: job, releasedAt } = await heldUp(lock, enqueue)
    expect(job.createdAt.getTime()).toBeGreaterThanOrEqual(releasedAt.getTime())
    expect(job).toEqual(await queue.get(job.id))
    expect(job).toMatchObject({ runAt: job.createdAt, updatedAt: job.createdAt })
    if (job.expiresAt !== null) expect(job.expiresAt.getTime()).toBe(job.createdAt.getTime() + 60_000)
    expect(createdMsOf(job.id)).toBeLessThan(releasedAt.getTime())
    const [event] = await world.sql<{ due_at: Date }>(
      'SELECT due_at FROM queue.lane_events ORDER BY due_at DESC LIMIT 1',
    )
    if (event !== undefined) expect(event.due_at).toEqual(job.runAt)
  })

  test('of its copy', async () => {
    const original = await enqueueProbe(world)
    const { result: job, releasedAt } = await heldUp(lockTable, () => queue.duplicate(original.id))
    expect(job.createdAt.getTime()).toBeGreaterThanOrEqual(releasedAt.getTime())
    expect(job).toMatchObject({ runAt: job.createdAt, updatedAt: job.createdAt })
  })

  test('and never before its id, where the clock was set back since the id was made', async () => {
    const id = smallestJobIdAt(Date.now() + 60_000)
    const [enqueued] = await enqueueNewJobs(database, identify([probe.create({})], [id]))
    expect(enqueued?.job.createdAt.getTime()).toBe(createdMsOf(id))
    const job = await queue.get(id)
    expect(job?.createdAt.getTime()).toBe(createdMsOf(id))
    expect(job?.runAt.getTime()).toBeLessThan(createdMsOf(id))
  })
})

test('a job whose expiry has passed during the wait is refused, with nothing written', async () => {
  const expiresAt = new Date(Date.now() + 2_000)
  const requests = [probe.create({}), probe.create({}, { expiresAt })]
  const refused = heldUp(lockTable, () => queue.enqueueMany(requests), expiresAt)
  await expect(refused).rejects.toMatchObject({
    code: 'invalid_job',
    issues: [{ path: ['jobs', 1, 'expiresAt'] }],
  })
  expect((await queue.list()).jobs).toEqual([])
})

describe('a filter by creation', () => {
  test('goes by the creation of the job, and not by its id', async () => {
    const { result: job, releasedAt } = await heldUp(lockTable, byQueue({}))
    expect((await queue.list({ createdAfter: releasedAt })).jobs).toEqual([job])
    expect((await queue.list({ createdAfter: job.createdAt })).jobs).toEqual([job])
    expect((await queue.list({ createdBefore: releasedAt })).jobs).toEqual([])
    expect(await queue.operations.dryRun('cancel', { createdBefore: releasedAt })).toMatchObject({ count: 0 })
    expect(await queue.many.cancel({ createdBefore: releasedAt })).toMatchObject({ jobIds: [], skipped: 0 })
    expect(await queue.many.cancel({ createdAfter: releasedAt })).toMatchObject({ jobIds: [job.id] })
  })
})

describe('an operation', () => {
  test('leaves a job alone that was created later, though its id is earlier', async () => {
    const earlier = await enqueueProbe(world)
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query(holdUnique)
    const pending = byQueue({ unique: { key: 'u', scope: 'live' } })()
    await untilSomeoneWaitsFor(holder, await world.session())
    const newest = await enqueueProbe(world)
    const started = await queue.many.delete({}, { all: true })
    await holder.query('ROLLBACK')
    const later = await pending
    expect(later.id < newest.id).toBe(true)
    await carryOutOperation(database)
    expect(started).toMatchObject({ outcome: 'operation', operation: { expected: 2 } })
    expect((await queue.list()).jobs).toEqual([later])
    expect(await queue.get(earlier.id)).toBeUndefined()
  })

  test('leaves a dead letter alone that was written later', async () => {
    const jobs = await runningJobs(world, 2)
    const [firstId = '', secondId = ''] = jobs.map(({ id }) => id)
    const failAll = (failed: readonly ClaimedJob[]) =>
      retryOrDeadLetterJobs(
        database,
        failed.map(({ lease }) => ({ lease, error: 'e', waitMs: 0, permanent: true })),
      )
    await failAll(jobs)
    const holder = await world.session()
    await holder.query('BEGIN')
    await holder.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [firstId])
    await queue.many.requeueDeadLetters({}, { all: true, rate: 100 })
    const carried = carryOutOperation(database)
    await untilSomeoneWaitsFor(holder, await world.session())
    await queue.requeue(secondId)
    await failAll(await claim(world, await newWorker(world)))
    await holder.query('COMMIT')
    expect(await carried).toMatchObject({ jobs: [{ id: firstId }] })
    expect((await queue.get(secondId))?.status).toBe('failed_permanent')
    expect((await queue.deadLetters.list()).deadLetters.map(({ jobId }) => jobId)).toEqual([secondId])
  })
})

describe('an enqueue that has waited for more than an hour', () => {
  const requests = (ms: number, count = 2) => {
    const idMs = Date.now() - ms
    const ids = Array.from({ length: count }, (_, n) => `${smallestJobIdAt(idMs).slice(0, -1)}${n}`)
    return identify(
      ids.map((_, n) => probe.create({}, n === 0 ? {} : { metadata: { n }, key: 'k' })),
      ids,
    )
  }
  const tooOld = { code: 'enqueue_too_old' }

  test('is refused, with nothing written', async () => {
    await expect(enqueueNewJobs(database, requests(enqueueAgeMsMax + 1_000))).rejects.toMatchObject(tooOld)
    await expect(enqueueJobs(database, requests(enqueueAgeMsMax + 1_000))).rejects.toMatchObject(tooOld)
    await expect(
      enqueueJobs(database, requests(enqueueAgeMsMax + 1_000), { lockTimeoutMs: 100 }),
    ).rejects.toMatchObject(tooOld)
    expect((await queue.list()).jobs).toEqual([])
    expect(await enqueueNewJobs(database, requests(enqueueAgeMsMax - 60_000))).toHaveLength(2)
  })

  test('leaves the transaction of its caller as it was', async () => {
    const client = await world.session()
    await client.query('BEGIN')
    const session = callerSession(client)
    const caller = { ...databaseOn(session, 'queue'), write: session.write }
    await client.query('CREATE TEMPORARY TABLE own ON COMMIT DROP AS SELECT 1 AS n')
    const old = requests(enqueueAgeMsMax + 1_000)
    await expect(enqueueNewJobsInside(caller, old, [])).rejects.toMatchObject(tooOld)
    await expect(enqueueKeyedInside(caller, old, { notifications: [] })).rejects.toMatchObject(tooOld)
    await enqueueNewJobsInside(caller, requests(0, 1), [])
    expect((await client.query('SELECT n FROM own')).rows).toEqual([{ n: 1 }])
    await client.query('COMMIT')
    expect((await queue.list()).jobs).toHaveLength(1)
  })
})
