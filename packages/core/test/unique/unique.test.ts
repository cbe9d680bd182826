import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { sql } from 'kysely'
import type { ActDatabase } from '../../src/audit/perform.ts'
import { InvalidInput, UniqueConflict } from '../../src/domain/errors.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import type { Job } from '../../src/domain/job.ts'
import type { UniqueOptions } from '../../src/domain/unique.ts'
import { createGroupedEnqueue } from '../../src/enqueue/grouped-enqueue.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { deleteJobs } from '../../src/transitions/delete-jobs.ts'
import { expireJobs } from '../../src/transitions/expire-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { requeueJob } from '../../src/transitions/requeue-job.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue, database } = world

const whileWaiting = { key: 'u', scope: 'waiting' } as const
const whileLive = { key: 'u', scope: 'live' } as const
const forAWindow = { key: 'u', scope: 'window', windowMs: 60_000 } as const

function enqueueUnique(unique: UniqueOptions, payload: unknown = {}, options: JobOptions = {}) {
  return queue.enqueue(probe, payload, { ...options, unique })
}

async function claimAll() {
  return claim(world, await newWorker(world))
}

async function listJobs(): Promise<Job[]> {
  return [...(await queue.list()).jobs].toReversed()
}

const failure = { error: 'e', waitMs: 0, permanent: true }

describe('a request is refused when', () => {
  test.each<[string, object, string]>([
    ['it names no key', { scope: 'live' }, 'unique.key'],
    ['its key is empty', { ...whileLive, key: '' }, 'unique.key'],
    ['it names no scope', { key: 'u' }, 'unique.scope'],
    ['a window has no length', { key: 'u', scope: 'window' }, 'unique.windowMs'],
    ['what is no window has one', { ...whileLive, windowMs: 1 }, 'unique.windowMs'],
    ['a live job is to be replaced', { ...whileLive, onConflict: 'replace' }, 'unique.onConflict'],
    ['a window is to be rescheduled', { ...forAWindow, onConflict: 'reschedule' }, 'unique.onConflict'],
    ['a bound has nothing to bound', { ...whileWaiting, maxWaitMs: 1 }, 'unique.maxWaitMs'],
  ])('%s', (_, unique, path) => {
    const create = () => probe.create({}, { unique } as JobOptions)
    expect(create).toThrow(InvalidInput)
    expect(create).toThrow(
      expect.objectContaining({ issues: [expect.objectContaining({ path: path.split('.') })] }),
    )
  })
})

describe('a key is held', () => {
  test('by a waiting job until its first claim, whatever becomes of that', async () => {
    const first = await enqueueUnique(whileWaiting)
    expect(first).toMatchObject({ replayed: false, job: { uniqueKey: 'u', uniqueScope: 'waiting' } })
    expect(first).not.toHaveProperty('conflict')
    expect(await enqueueUnique(whileWaiting)).toMatchObject({
      conflict: 'returned',
      job: { id: first.job.id },
    })
    const [claimed] = await claimAll()
    const second = await enqueueUnique(whileWaiting)
    expect(second).not.toHaveProperty('conflict')
    await returnUnstartedJobs(database, [claimed?.lease ?? failMissing()])
    expect(await enqueueUnique(whileWaiting)).toMatchObject({
      conflict: 'returned',
      job: { id: second.job.id },
    })
    await queue.cancel(second.job.id)
    expect(await enqueueUnique(whileWaiting)).not.toHaveProperty('conflict')
  })

  test.each(['finish', 'dead letter', 'cancel'] as const)('by a live job until its end: %s', async (end) => {
    const { job } = await enqueueUnique(whileLive)
    expect(await enqueueUnique(whileLive)).toMatchObject({ conflict: 'returned', job: { id: job.id } })
    const [claimed] = await claimAll()
    const { lease } = claimed ?? failMissing()
    expect(await enqueueUnique(whileLive)).toMatchObject({
      conflict: 'returned',
      job: { id: job.id, status: 'running' },
    })
    await retryOrDeadLetterJobs(database, [{ lease, ...failure, permanent: false }])
    expect(await enqueueUnique(whileLive)).toMatchObject({
      conflict: 'returned',
      job: { status: 'retrying' },
    })
    if (end === 'cancel') await queue.cancel(job.id)
    else {
      const [reclaimed] = await claimAll()
      const { lease: next } = reclaimed ?? failMissing()
      if (end === 'finish') await finishJobs(database, [{ lease: next, resultText: null, note: null }])
      else await retryOrDeadLetterJobs(database, [{ lease: next, ...failure }])
    }
    expect(await enqueueUnique(whileLive)).not.toHaveProperty('conflict')
  })

  test('by a window for its time, and the job stays for as long', async () => {
    const { job } = await enqueueUnique(forAWindow)
    await queue.cancel(job.id)
    const everything = { succeededMs: 0, cancelledMs: 0, failedMs: 0, keyMs: null }
    await ageJobs()
    expect(await pruneJobs(database, everything, null)).toMatchObject({ pruned: 0 })
    expect(await enqueueUnique(forAWindow)).toMatchObject({
      conflict: 'returned',
      job: { status: 'cancelled' },
    })
    await world.sql(`UPDATE queue.job_unique_slots SET expires_at = now()`)
    expect(await pruneJobs(database, everything, null)).toMatchObject({ pruned: 1 })
    expect(await world.sql('SELECT FROM queue.job_unique_slots')).toHaveLength(0)
    expect(await enqueueUnique(forAWindow)).not.toHaveProperty('conflict')
  })

  test.each([
    ['waiting', whileWaiting],
    ['live', whileLive],
  ])(
    'by no %s job that has expired before its start, although nobody has ended it yet',
    async (_, unique) => {
      const { job: expired } = await enqueueUnique(unique, { n: 1 }, { expiresInMs: 60_000 })
      await world.sql(`UPDATE queue.jobs SET expires_at = now()`)
      const { job, conflict } = await enqueueUnique({ ...unique, onConflict: 'refuse' }, { n: 2 })
      expect(conflict).toBeUndefined()
      expect(job.id).not.toBe(expired.id)
      expect((await claimAll()).map(({ id }) => id)).toEqual([job.id])
      await expireJobs(database)
      expect(await queue.get(expired.id)).toMatchObject({ status: 'cancelled', cancelReason: 'expired' })
      expect(await enqueueUnique(whileLive)).toMatchObject(
        unique.scope === 'live' ? { conflict: 'returned', job: { id: job.id } } : { replayed: false },
      )
    },
  )

  test.each([
    ['an enqueue', (id: string) => enqueueUnique(whileLive).then(({ job }) => job.id === id)],
    [
      'a requeue',
      () => queue.many.requeue({}, { all: true }).then((done) => 'skipped' in done && done.skipped === 1),
    ],
  ])(
    'by a live job whose claim began before its expiry, and is committed after it: %s',
    async (_, meetsTheClaimed) => {
      const ended = await enqueueUnique(whileLive)
      await queue.cancel(ended.job.id)
      const { job } = await enqueueUnique(whileLive, {}, { expiresInMs: 1_500 })
      const workerId = await newWorker(world)
      const observer = await world.session()
      const met = await database.transaction(async (inside) => {
        expect(await claim({ database: inside }, workerId)).toHaveLength(1)
        await until('the expiry', async () => {
          const { rows } = await observer.query('SELECT WHERE clock_timestamp() > $1', [job.expiresAt])
          return rows.length === 1
        })
        const meeting = meetsTheClaimed(job.id)
        const waits = until('a wait for the claim', async () => {
          const { rowCount } = await observer.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND cardinality(pg_blocking_pids(pid)) > 0`,
          )
          return rowCount === 1
        })
        await Promise.race([meeting, waits])
        return { meeting }
      })
      expect(await met.meeting).toBe(true)
    },
  )

  test('by a window for its time from the insert, also where the enqueue had to wait', async () => {
    const session = await world.session()
    await session.query('BEGIN')
    await queue.enqueue(probe, {}, { unique: forAWindow, transaction: session })
    const waiting = enqueueUnique(forAWindow, {}, { expiresInMs: 10_000 })
    await untilSomeoneWaitsFor(session, await world.session())
    const { rows } = await session.query<{ at: Date }>('SELECT clock_timestamp() AS at')
    await session.query('ROLLBACK')
    const { job } = await waiting
    const freeAtMs = rows[0]?.at.getTime() ?? Number.NaN
    expect(job.createdAt.getTime()).toBeGreaterThanOrEqual(freeAtMs)
    expect(job.expiresAt?.getTime()).toBe(job.createdAt.getTime() + 10_000)
    const [slot] = await world.sql<{ ends: Date }>('SELECT expires_at AS ends FROM queue.job_unique_slots')
    expect(slot?.ends.getTime()).toBe(job.createdAt.getTime() + forAWindow.windowMs)
  })

  test('within one kind and tenant', async () => {
    await enqueueUnique(whileLive)
    expect(await enqueueUnique(whileLive, {}, { tenantId: 'acme' })).not.toHaveProperty('conflict')
    expect(await enqueueUnique(whileLive, {}, { tenantId: 'acme' })).toHaveProperty('conflict', 'returned')
  })
})

describe('an enqueue that meets a held key', () => {
  test('is refused with its whole call', async () => {
    const { job } = await enqueueUnique(whileLive)
    const requests = [probe.create({}), probe.create({}, { unique: { ...whileLive, onConflict: 'refuse' } })]
    const error: unknown = await queue.enqueueMany(requests).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(UniqueConflict)
    expect(error).toMatchObject({ code: 'unique_conflict', refusals: [{ index: 1, jobId: job.id }] })
    expect(await listJobs()).toHaveLength(1)
  })

  test('replaces payload and options, but neither the place of a due job nor its id and keys', async () => {
    const before = (await enqueueUnique(whileWaiting, { n: 1 }, { idempotencyKey: 'k1' })).job
    const { job, conflict } = await enqueueUnique(
      { ...whileWaiting, onConflict: 'replace' },
      { n: 2 },
      {
        queue: 'other',
        priority: 1,
        maxAttempts: 9,
        timeoutMs: 7,
        weight: 4,
        idempotencyKey: 'k2',
      },
    )
    expect(conflict).toBe('replaced')
    expect(job).toMatchObject({
      id: before.id,
      payload: { n: 2 },
      queue: 'other',
      priority: 1,
      maxAttempts: 9,
      timeoutMs: 7,
      weight: 4,
      idempotencyKey: 'k1',
      runAt: before.runAt,
    })
    const replaced = await enqueueUnique(
      { ...whileWaiting, onConflict: 'replace' },
      { n: 3 },
      { delayMs: 60_000 },
    )
    expect(replaced.job).toMatchObject({ payload: { n: 3 }, runAt: before.runAt })
    const replay = await enqueueUnique(
      { ...whileWaiting, onConflict: 'replace' },
      { n: 1 },
      { idempotencyKey: 'k1' },
    )
    expect(replay).toMatchObject({ replayed: true, job: { payload: { n: 3 }, weight: 1 } })
  })

  test.each(['TypeScript', 'SQL'])(
    'replaces metadata, expiry and weight with the job: in %s',
    async (door) => {
      const { job } = await enqueueUnique(
        whileWaiting,
        {},
        { metadata: { order_id: 1, kept: true }, expiresInMs: 60_000 },
      )
      const metadata = { order_id: 2, kept: true }
      const options = { metadata, expiresInMs: 3_600_000, delayMs: 1_800_000, weight: 6 }
      if (door === 'TypeScript') await enqueueUnique({ ...whileWaiting, onConflict: 'replace' }, {}, options)
      else {
        await world.sql(
          `SELECT queue.enqueue('probe', '{}', metadata => $1, expires_in_ms => 3600000, delay_ms => 1800000, weight => 6,
           unique_key => 'u', unique_scope => 'waiting', on_conflict => 'replace')`,
          [metadata],
        )
      }
      const [replaced] = await listJobs()
      expect(replaced).toMatchObject({ id: job.id, metadata, weight: 6 })
      expect(msUntil(replaced?.expiresAt)).toBeGreaterThan(3_000_000)
      const rows = await world.sql('SELECT name, value, job_id FROM queue.job_metadata ORDER BY name')
      expect(rows).toEqual([
        { name: 'kept', value: 'true', job_id: job.id },
        { name: 'order_id', value: '2', job_id: job.id },
      ])
      await enqueueUnique(
        { ...whileWaiting, onConflict: 'reschedule' },
        {},
        { delayMs: 1_000, metadata: { order_id: 3 } },
      )
      expect(await listJobs()).toMatchObject([{ metadata, expiresAt: replaced?.expiresAt }])
      await enqueueUnique({ ...whileWaiting, onConflict: 'replace' })
      expect(await listJobs()).toMatchObject([{ metadata: null, expiresAt: null }])
      expect(await world.sql('SELECT FROM queue.job_metadata')).toEqual([])
    },
  )

  test('moves the start, up to the maximum wait from the first enqueue', async () => {
    const debounce = { ...whileWaiting, onConflict: 'reschedule', maxWaitMs: 30_000 } as const
    const { job } = await enqueueUnique(debounce, { n: 1 }, { delayMs: 10_000 })
    const moved = await enqueueUnique(debounce, { n: 2 }, { delayMs: 20_000 })
    expect(moved).toMatchObject({ conflict: 'rescheduled', job: { id: job.id, payload: { n: 1 } } })
    expect(moved.job.runAt.getTime() - job.runAt.getTime()).toBeGreaterThanOrEqual(10_000)
    const bounded = await enqueueUnique(debounce, {}, { delayMs: 60_000 })
    const waited = bounded.job.runAt.getTime() - job.createdAt.getTime()
    expect(waited).toBeGreaterThanOrEqual(29_000)
    expect(waited).toBeLessThanOrEqual(30_001)
    expect((await enqueueUnique(debounce)).job.runAt.getTime()).toBeLessThan(bounded.job.runAt.getTime())
  })

  test('cannot change a job that holds the key in another way', async () => {
    await enqueueUnique(whileLive)
    await expect(enqueueUnique({ ...whileWaiting, onConflict: 'replace' })).rejects.toMatchObject({
      code: 'unique_conflict',
    })
  })

  test('is given by one call to the last of its requests, whatever their idempotency keys', async () => {
    const requests = ['z', 'a'].map((idempotencyKey, n) =>
      probe.create({ n }, { idempotencyKey, unique: { ...whileWaiting, onConflict: 'replace' } }),
    )
    await queue.enqueueMany(requests)
    expect(await listJobs()).toMatchObject([{ payload: { n: 1 }, idempotencyKey: 'z' }])
    await world.sql('UPDATE queue.jobs SET idempotency_key = NULL, idempotency_fingerprint = NULL')
    await queue.enqueueMany(requests)
    expect(await listJobs()).toMatchObject([{ payload: { n: 1 } }])
  })

  test('replaces the metadata of a job that its own call has made', async () => {
    const requests = [{ n: '1', first: 'x' }, { n: '2' }, { n: '2', last: 'y' }].map((metadata) =>
      probe.create({}, { metadata, unique: { ...whileWaiting, onConflict: 'replace' } }),
    )
    await queue.enqueueMany(requests)
    expect(await listJobs()).toMatchObject([{ metadata: { n: '2', last: 'y' } }])
    const found = await world.sql<{ name: string }>('SELECT name FROM queue.job_metadata ORDER BY name')
    expect(found.map(({ name }) => name)).toEqual(['last', 'n'])
  })

  test('shares one job with others in one call, with an answer for each in a group', async () => {
    const reschedule = { ...whileWaiting, onConflict: 'replace' } as const
    const requests = [1, 2, 3].map((n) => probe.create({ n }, { unique: reschedule }))
    const [first, ...otherAnswers] = await queue.enqueueMany([...requests, probe.create({ n: 0 })])
    expect(first).not.toHaveProperty('conflict')
    expect(otherAnswers.map(({ conflict }) => conflict)).toEqual(['replaced', 'replaced', undefined])
    expect((await listJobs()).map(({ payload }) => payload)).toEqual(
      expect.arrayContaining([{ n: 3 }, { n: 0 }]),
    )
    expect(await listJobs()).toHaveLength(2)
    const grouped = createGroupedEnqueue(queue)
    const answers = await Promise.allSettled(
      Array.from({ length: 20 }, (_, n) =>
        grouped.enqueue(
          probe,
          { n },
          { unique: { key: 'g', scope: 'live', onConflict: n % 2 ? 'refuse' : 'return' } },
        ),
      ),
    )
    const refused = answers.filter(({ status }) => status === 'rejected')
    expect(refused).toHaveLength(10)
    expect(await listJobs()).toHaveLength(3)
  })
})

describe('a requeue', () => {
  async function enqueueAndDeadLetter(unique: UniqueOptions): Promise<Job> {
    const { job } = await enqueueUnique(unique)
    const [claimed] = await claimAll()
    await retryOrDeadLetterJobs(database, [{ lease: claimed?.lease ?? failMissing(), ...failure }])
    return job
  }

  test('of a job that is unique while it lives needs the key', async () => {
    const job = await enqueueAndDeadLetter(whileLive)
    const otherHolder = (await enqueueUnique(whileLive)).job
    await expect(queue.requeue(job.id)).rejects.toMatchObject({ code: 'unique_conflict' })
    const {
      deadLetters: [letter],
    } = await queue.deadLetters.list()
    await expect(queue.deadLetters.requeue(letter?.id ?? '')).rejects.toMatchObject({
      code: 'unique_conflict',
    })
    expect(await queue.deadLetters.requeueMany({}, { all: true })).toEqual([])
    await queue.cancel(otherHolder.id)
    expect(await queue.deadLetters.requeueMany({}, { all: true })).toMatchObject([
      { id: job.id, uniqueKey: 'u' },
    ])
    expect(await enqueueUnique(whileLive)).toMatchObject({ conflict: 'returned', job: { id: job.id } })
    await expect(queue.requeue(otherHolder.id)).rejects.toMatchObject({ code: 'unique_conflict' })
    await queue.cancel(job.id)
    expect(await queue.requeue(otherHolder.id)).toMatchObject({ status: 'queued' })
  })

  test('that meets the requeue of the same job is told of its state, and not of its own key', async () => {
    const job = await enqueueAndDeadLetter(whileLive)
    const afterAnother: ActDatabase = {
      ...database,
      transaction: async (work) => {
        await queue.requeue(job.id)
        return database.transaction(work)
      },
    }
    await expect(requeueJob(afterAnother, job.id)).rejects.toMatchObject({ code: 'invalid_transition' })
  })

  test('of a pruned job needs the key as well', async () => {
    const job = await enqueueAndDeadLetter(whileLive)
    await world.sql('DELETE FROM queue.jobs')
    const otherHolder = (await enqueueUnique(whileLive)).job
    expect(await queue.deadLetters.requeueMany({}, { all: true })).toEqual([])
    await queue.cancel(otherHolder.id)
    expect(await queue.deadLetters.requeueMany({}, { all: true })).toMatchObject([{ id: job.id }])
    expect(await enqueueUnique(whileLive)).toMatchObject({ job: { id: job.id } })
  })

  test('waits at most two seconds for a transaction that holds the key, and names what blocks it', async () => {
    const job = await enqueueAndDeadLetter(whileLive)
    const session = await world.session()
    await session.query('BEGIN')
    await queue.enqueue(probe, {}, { unique: whileLive, transaction: session })
    const locked = { code: 'unique_key_locked' }
    await expect(queue.requeue(job.id)).rejects.toMatchObject(locked)
    await expect(queue.deadLetters.requeueMany({}, { all: true })).rejects.toMatchObject(locked)
    await session.query('ROLLBACK')
    expect(await queue.requeue(job.id)).toMatchObject({ id: job.id, status: 'queued' })
  })

  test('is told that the key is locked while another transaction decides whether an expired job has begun', async () => {
    const job = await enqueueAndDeadLetter(whileLive)
    const { job: expired } = await enqueueUnique(whileLive, {}, { expiresInMs: 60_000 })
    await world.sql(
      `UPDATE queue.jobs SET expires_at = now() - interval '1 second' WHERE id = '${expired.id}'`,
    )
    const deadLetterId = (await queue.deadLetters.list()).deadLetters[0]?.id ?? failMissing()
    const session = await world.session()
    await session.query('BEGIN')
    await session.query('SELECT FROM queue.jobs WHERE id = $1 FOR UPDATE', [expired.id])
    const locked = { code: 'unique_key_locked' }
    await expect(queue.requeue(job.id)).rejects.toMatchObject(locked)
    await expect(queue.deadLetters.requeue(deadLetterId)).rejects.toMatchObject(locked)
    await session.query('ROLLBACK')
    expect(await queue.deadLetters.requeue(deadLetterId)).toMatchObject({ id: job.id, status: 'queued' })
  })

  test('of a job that was unique while waiting gives up the unique key', async () => {
    const { job } = await enqueueUnique(whileWaiting)
    await queue.cancel(job.id)
    expect(await queue.requeue(job.id)).toMatchObject({ uniqueKey: 'u', uniqueScope: null })
    expect(await enqueueUnique(whileWaiting)).not.toHaveProperty('conflict')
  })
})

describe("in a caller's transaction", () => {
  test.each([
    ['waiting', whileWaiting],
    ['live', whileLive],
    ['window', forAWindow],
  ])('a holder that has not started begins after the commit: scope %s', async (_, unique) => {
    const { job } = await enqueueUnique(unique)
    const session = await world.session()
    await session.query('BEGIN')
    const answer = await queue.enqueue(probe, {}, { unique, transaction: session })
    expect(answer).toMatchObject({ conflict: 'returned', job: { id: job.id } })
    expect(await claimAll()).toHaveLength(0)
    await session.query('COMMIT')
    expect(await claimAll()).toHaveLength(1)
  })

  test('a new job, and a replaced one, are visible only after the commit', async () => {
    await enqueueUnique({ ...whileWaiting, key: 'v' }, { n: 1 })
    const session = await world.session()
    for (const end of ['ROLLBACK', 'COMMIT']) {
      await session.query('BEGIN')
      await queue.enqueue(probe, {}, { unique: whileWaiting, transaction: session })
      const replace = { key: 'v', scope: 'waiting', onConflict: 'replace' } as const
      await queue.enqueue(probe, { n: 2 }, { unique: replace, transaction: session })
      const meanwhile = queue.enqueue(probe, {}, { unique: whileWaiting, keyLockTimeoutMs: 100 })
      await expect(meanwhile).rejects.toMatchObject({ code: 'unique_key_locked' })
      await session.query(end)
      const payloads = (await listJobs()).map(({ payload }) => payload)
      expect(payloads).toEqual(end === 'COMMIT' ? [{ n: 2 }, {}] : [{ n: 1 }])
    }
  })

  test.each([
    ['waiting', whileWaiting],
    ['live', whileLive],
  ])(
    'a %s holder that has changed since the snapshot of the transaction ends it with 40001',
    async (_, unique) => {
      await enqueueUnique(unique)
      const session = await world.session()
      await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
      await session.query('SELECT FROM queue.all_jobs')
      const [claimed] = await claimAll()
      await finishJobs(database, [{ lease: claimed?.lease ?? failMissing(), resultText: null, note: null }])
      await expect(queue.enqueue(probe, {}, { unique, transaction: session })).rejects.toMatchObject({
        code: '40001',
      })
      await session.query('ROLLBACK')
    },
  )

  test('a holder with a later expiry than in the snapshot of the transaction ends it with 40001', async () => {
    const { job } = await enqueueUnique(whileWaiting, {}, { expiresInMs: 500 })
    const session = await world.session()
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await session.query('SELECT FROM queue.all_jobs')
    const replaced = await enqueueUnique({ ...whileWaiting, onConflict: 'replace' }, { n: 2 })
    expect(replaced).toMatchObject({ conflict: 'replaced', job: { id: job.id } })
    await until('the expiry in the snapshot', async () => {
      const [clock] = await world.sql<{ is_past: boolean }>('SELECT clock_timestamp() > $1 AS is_past', [
        job.expiresAt,
      ])
      return clock?.is_past === true
    })
    await expect(
      queue.enqueue(probe, {}, { unique: whileWaiting, transaction: session }),
    ).rejects.toMatchObject({ code: '40001' })
    await session.query('ROLLBACK')
    expect((await listJobs()).map(({ id, payload }) => ({ id, payload }))).toEqual([
      { id: job.id, payload: { n: 2 } },
    ])
  })

  test('a key that was freed since the snapshot of the transaction is taken, whatever its scope was', async () => {
    const { job } = await enqueueUnique(whileWaiting)
    const session = await world.session()
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await session.query('SELECT FROM queue.all_jobs')
    await deleteJobs(database, { ids: [job.id], condition: sql`true` })
    const answer = await queue.enqueue(probe, {}, { unique: forAWindow, transaction: session })
    expect(answer).not.toHaveProperty('conflict')
    await session.query('COMMIT')
    expect(await enqueueUnique(forAWindow)).toMatchObject({ job: { id: answer.job.id } })
  })

  test('with a snapshot, nobody waits for a holder while the unique key is locked', async () => {
    const { job } = await enqueueUnique(whileLive)
    const session = await world.session()
    await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
    await session.query('SELECT FROM queue.all_jobs')
    const changer = await world.session()
    await changer.query('BEGIN')
    await changer.query('SELECT FROM queue.jobs FOR UPDATE')
    const refuse = { ...whileLive, onConflict: 'refuse' } as const
    const refused = expect(
      queue.enqueue(probe, {}, { unique: refuse, transaction: session }),
    ).rejects.toMatchObject({ code: 'unique_conflict', refusals: [{ jobId: job.id }] })
    await untilSomeoneWaitsFor(changer, await world.session())
    await changer.query('SELECT FROM queue.job_unique_slots FOR UPDATE')
    await changer.query('COMMIT')
    await refused
    await session.query('COMMIT')
  })

  test('a refusal leaves the transaction usable', async () => {
    await enqueueUnique(whileLive)
    const session = await world.session()
    await session.query('BEGIN')
    const refuse = { ...whileLive, onConflict: 'refuse' } as const
    await expect(queue.enqueue(probe, {}, { unique: refuse, transaction: session })).rejects.toMatchObject({
      code: 'unique_conflict',
    })
    await queue.enqueue(probe, {}, { transaction: session })
    await session.query('COMMIT')
    expect(await listJobs()).toHaveLength(2)
  })
})

test('a holder beyond the bounds of a key is neither shown nor changed', async () => {
  await queue.enqueue(probe, {}, { unique: whileWaiting, queue: 'secret' })
  const scoped = scopeQueue(queue, { queues: ['default'] })
  for (const onConflict of ['return', 'replace', 'refuse'] as const) {
    const requests = [probe.create({ n: 2 }, { unique: { ...whileWaiting, onConflict } })]
    const error: Error = await scoped.enqueueMany(requests).then(
      () => failMissing(),
      (thrown: Error) => thrown,
    )
    expect(error).toMatchObject({ code: 'unique_conflict' })
    expect(error.message).toContain('this caller may not see')
  }
  expect(await listJobs()).toMatchObject([{ payload: {}, queue: 'secret' }])
})

function failMissing(): never {
  throw new Error('there is none')
}

function msUntil(instant: Date | null | undefined): number {
  return (instant?.getTime() ?? 0) - Date.now()
}

/** Changes the ids of all jobs to those of jobs made long ago. */
async function ageJobs(): Promise<void> {
  await world.sql(`UPDATE queue.jobs SET finished_at = now() - interval '1 day'`)
  await world.sql(`
    WITH aged AS (UPDATE queue.jobs SET id = ('01000000-' || substr(id::text, 10))::uuid RETURNING id)
    UPDATE queue.job_unique_slots SET job_id = aged.id FROM aged`)
}
