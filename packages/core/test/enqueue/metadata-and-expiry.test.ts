import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import type { Job, Lease } from '../../src/domain/job.ts'
import { createGroupedEnqueue } from '../../src/enqueue/grouped-enqueue.ts'
import { expireJobs } from '../../src/transitions/expire-jobs.ts'
import { finishJobs } from '../../src/transitions/finish-jobs.ts'
import { pruneJobs } from '../../src/transitions/prune-jobs.ts'
import { recoverJobs } from '../../src/transitions/recover-jobs.ts'
import { releaseJobs } from '../../src/transitions/release-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { returnUnstartedJobs } from '../../src/transitions/return-unstarted-jobs.ts'
import { snoozeJobs } from '../../src/transitions/snooze-jobs.ts'
import { claim, enqueueProbe, newWorker, probe, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

/** The rows of the index of metadata. */
const readMetadataRows = () =>
  world.sql(`SELECT tenant_id, name, value, job_id FROM queue.job_metadata ORDER BY job_id, name`)

const minuteMs = 60_000

/** Moves the expiry of a job into the past. */
const expireJob = (id: string) =>
  world.sql(`UPDATE queue.jobs SET expires_at = now() - interval '1 second' WHERE id = $1`, [id])

describe('metadata', () => {
  const metadata = { order_id: 4711, customer: 'ada', paid: true }

  test('is kept with the job, and written as rows with it, by whatever way it is enqueued', async () => {
    const keyed = { metadata, idempotencyKey: 'k', tenantId: 'acme' }
    const enqueueWays: Readonly<Record<string, () => Promise<readonly { readonly job: Job }[]>>> = {
      alone: async () => [await queue.enqueue(probe, {}, { metadata })],
      'with a key': async () => [await queue.enqueue(probe, {}, keyed)],
      'beside one without': () => queue.enqueueMany([probe.create({}, { metadata }), probe.create({})]),
      grouped: async () => [await createGroupedEnqueue(queue).enqueue(probe, {}, { metadata })],
      'in a transaction': () =>
        inTransaction(async (transaction) => [
          await queue.enqueue(probe, {}, { metadata, transaction }),
          await queue.enqueue(probe, {}, { ...keyed, idempotencyKey: 'l', transaction }),
        ]),
    }
    for (const [way, enqueue] of Object.entries(enqueueWays)) {
      await world.reset()
      const jobsWithMetadata = (await enqueue()).map(({ job }) => job).filter((job) => job.metadata !== null)
      expect([way, ...jobsWithMetadata.map((job) => job.metadata)]).toEqual([
        way,
        ...jobsWithMetadata.map(() => metadata),
      ])
      for (const { id } of jobsWithMetadata) expect((await queue.get(id))?.metadata).toEqual(metadata)
      expect(await readMetadataRows()).toEqual(
        jobsWithMetadata
          .toSorted((a, b) => (a.id < b.id ? -1 : 1))
          .flatMap(({ id, tenantId }) =>
            [
              ['customer', 'ada'],
              ['order_id', '4711'],
              ['paid', 'true'],
            ].map(([name, value]) => ({ tenant_id: tenantId ?? '', name, value, job_id: id })),
          ),
      )
    }
  })

  test('of a known key is not written again, and that of a rolled back enqueue not at all', async () => {
    await enqueueProbe(world, { metadata, idempotencyKey: 'k' })
    const before = await readMetadataRows()
    await enqueueProbe(world, { metadata: { order_id: 1 }, idempotencyKey: 'k' })
    const client = await world.session()
    await client.query('BEGIN')
    await queue.enqueue(probe, {}, { metadata, transaction: client })
    await client.query('ROLLBACK')
    expect(await readMetadataRows()).toEqual(before)
  })

  test('finds jobs by each member, by all members together, by texts and by numbers', async () => {
    const first = await enqueueProbe(world, { metadata })
    const second = await enqueueProbe(world, {
      metadata: { order_id: '4711', customer: 'bob' },
      tenantId: 'acme',
    })
    await enqueueProbe(world, { metadata: { order_id: 1e21, ['4711']: 'order_id' } })
    const listIds = async (filter: Parameters<typeof queue.list>[0]) =>
      (await queue.list(filter)).jobs.map(({ id }) => id)
    expect(await listIds({ metadata: { order_id: 4711 } })).toEqual([second.id, first.id])
    expect(await listIds({ metadata: { order_id: '4711', customer: 'ada' } })).toEqual([first.id])
    expect(await listIds({ metadata: { order_id: 4711 }, tenantId: 'acme' })).toEqual([second.id])
    expect(await listIds({ metadata: { paid: true }, status: 'queued' })).toEqual([first.id])
    expect(await listIds({ metadata: { paid: true }, status: 'cancelled' })).toEqual([])
    expect(await listIds({ metadata: { order_id: 1e21 } })).toHaveLength(1)
    await expect(listIds({ metadata: {} })).rejects.toMatchObject({ code: 'invalid_options' })
  })

  test('distinguishes long values with the same beginning', async () => {
    const long = (end: string) => ({ url: 'é'.repeat(1_000) + end })
    const job = await enqueueProbe(world, { metadata: long('a') })
    await enqueueProbe(world, { metadata: long('b') })
    expect((await queue.list({ metadata: long('a') })).jobs.map(({ id }) => id)).toEqual([job.id])
  })

  test('is paged by cursor, each job once', async () => {
    const jobs = await queue.enqueueMany(
      Array.from({ length: 7 }, (_, n) =>
        probe.create({}, { metadata, ...(n % 2 === 0 && { tenantId: 'acme' }) }),
      ),
    )
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await queue.list({ metadata: { customer: 'ada' }, limit: 2, ...(cursor && { cursor }) })
      seen.push(...page.jobs.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen).toEqual(jobs.map(({ job }) => job.id).toReversed())
  })

  test('is paged past jobs that somebody has deleted with SQL, whose rows it has kept', async () => {
    const enqueued = await queue.enqueueMany(Array.from({ length: 9 }, () => probe.create({}, { metadata })))
    const ids = enqueued.map(({ job }) => job.id)
    const deleted = ids.filter((_, index) => index % 2 === 1 || index > 5)
    await world.sql('DELETE FROM queue.jobs WHERE id = ANY($1::uuid[])', [deleted])
    const seen: string[] = []
    let cursor: string | undefined
    do {
      const page = await queue.list({
        metadata: { paid: true },
        limit: 2,
        ...(cursor !== undefined && { cursor }),
      })
      seen.push(...page.jobs.map(({ id }) => id))
      cursor = page.nextCursor ?? undefined
    } while (cursor !== undefined)
    expect(seen.toSorted()).toEqual(ids.filter((id) => !deleted.includes(id)).toSorted())
  })

  test('reaches the worker, the dead letter, and the job that a requeue brings back', async () => {
    const job = await runningJob(world, { metadata, maxAttempts: 1, tenantId: 'acme' })
    expect(job.metadata).toEqual(metadata)
    await retryOrDeadLetterJobs(database, [{ lease: job.lease, error: 'e', waitMs: 1, permanent: true }])
    const before = await readMetadataRows()
    const [deadLetter] = (await queue.deadLetters.list()).deadLetters
    expect(deadLetter?.metadata).toEqual(metadata)
    await world.sql(`WITH gone AS (DELETE FROM queue.jobs) DELETE FROM queue.job_metadata`)
    const reborn = await queue.deadLetters.requeue(deadLetter?.id ?? '')
    expect(reborn).toMatchObject({ id: job.id, metadata })
    expect(await readMetadataRows()).toEqual(before)
  })

  test('goes with its job when that is pruned, and no other does', async () => {
    const keptJob = await enqueueProbe(world, { metadata })
    const ended = await runningJob(world, { metadata, priority: 0 })
    await returnUnstartedJobs(database, [])
    await finishJobs(database, [{ lease: ended.lease, resultText: null, note: null }])
    await world.sql(
      `WITH archived AS (DELETE FROM queue.ended_jobs WHERE id = $1 RETURNING id)
       INSERT INTO queue.jobs (id, kind, payload, metadata, status, attempts, lease_token, finished_at)
       SELECT '01900000-0000-7000-8000-000000000001', 'probe', '{}', '${JSON.stringify(metadata)}', 'succeeded', 1, 1, now() - interval '1 hour' FROM archived`,
      [ended.id],
    )
    await world.sql(
      `UPDATE queue.job_metadata SET job_id = '01900000-0000-7000-8000-000000000001' WHERE job_id = $1`,
      [ended.id],
    )
    const { pruned } = await pruneJobs(
      database,
      { succeededMs: 1_000, cancelledMs: null, failedMs: null, keyMs: null },
      null,
    )
    expect(pruned).toBe(1)
    expect(new Set((await readMetadataRows()).map((row) => (row as { job_id: string }).job_id))).toEqual(
      new Set([keptJob.id]),
    )
  })

  test.each<readonly [string, unknown, readonly (string | number)[]]>([
    ['no object', 'order', ['metadata']],
    ['an array', [], ['metadata']],
    ['a nested object', { order: { id: 1 } }, ['metadata', 'order']],
    ['null', { order: null }, ['metadata', 'order']],
    ['a number that is none', { order: Number.NaN }, ['metadata', 'order']],
    ['U+0000', { order: 'a\u0000b' }, ['metadata', 'order']],
    ['a lone surrogate', { order: '\ud800' }, ['metadata', 'order']],
    ['a name with a space', { 'order id': 1 }, ['metadata', 'order id']],
    ['a name of 64 letters', { ['a'.repeat(64)]: 1 }, ['metadata', 'a'.repeat(64)]],
    ['21 members', Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`m${n}`, n])), ['metadata']],
    ['4 097 bytes', { order: 'a'.repeat(4_097 - '{"order":""}'.length) }, ['metadata']],
  ])('is refused with its place: %s', (...[, invalid, path]) => {
    const create = () => probe.create({}, { metadata: invalid } as JobOptions)
    expect(create).toThrow(expect.objectContaining({ issues: [expect.objectContaining({ path })] }))
  })

  test('is accepted up to its bounds', async () => {
    const largest = { order: 'a'.repeat(4_096 - '{"order":""}'.length) }
    const mostMembers = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`${'n'.repeat(61)}${n + 10}`, n]),
    )
    for (const valid of [largest, mostMembers, {}]) {
      const job = await enqueueProbe(world, { metadata: valid, tenantId: '😀'.repeat(127) })
      expect((await queue.get(job.id))?.metadata).toEqual(valid)
    }
  })
})

describe('an expiry', () => {
  test('that is past cancels what has not begun, and says why; nothing else is touched', async () => {
    const [expired, unexpired, withoutExpiry] = [
      await enqueueProbe(world, { expiresInMs: minuteMs }),
      await enqueueProbe(world, { expiresInMs: minuteMs }),
      await enqueueProbe(world),
    ]
    expect(expired.expiresAt).toEqual(new Date(expired.createdAt.getTime() + minuteMs))
    expect((await recoverJobs(database)).anyExpired).toBe(false)
    await expireJob(expired.id)
    expect((await recoverJobs(database)).anyExpired).toBe(true)
    expect(await expireJobs(database)).toMatchObject([
      { id: expired.id, kind: 'probe', queue: 'default', tenantId: null, isUnclaimed: true },
    ])
    expect(await expireJobs(database)).toEqual([])
    expect(await queue.get(expired.id)).toMatchObject({
      status: 'cancelled',
      cancelReason: 'expired',
      cancelRequested: false,
      attempts: 0,
      finishedAt: expect.any(Date),
    })
    for (const { id } of [unexpired, withoutExpiry]) {
      expect(await queue.get(id)).toMatchObject({ status: 'queued', cancelReason: null })
    }
  })

  test('that is past keeps every claim from the first start, swept or not', async () => {
    const worker = await newWorker(world)
    const job = await enqueueProbe(world, { expiresInMs: minuteMs })
    await expireJob(job.id)
    for (const eligible of ['any', 'steady', 'ahead'] as const) {
      expect(await claim(world, worker, { eligible })).toEqual([])
    }
  })

  test('keeps a job from being fetched ahead', async () => {
    const worker = await newWorker(world)
    const job = await enqueueProbe(world, { expiresInMs: minuteMs })
    expect(await claim(world, worker, { eligible: 'ahead' })).toEqual([])
    expect(await claim(world, worker, { eligible: 'any' })).toMatchObject([
      { id: job.id, expiresAt: job.expiresAt },
    ])
  })

  test.each([
    [
      'a retry',
      (lease) => retryOrDeadLetterJobs(database, [{ lease, error: 'e', waitMs: 0, permanent: false }]),
    ],
    ['a snooze', (lease) => snoozeJobs(database, [{ lease, waitMs: 0 }])],
    ['a release', (lease) => releaseJobs(database, [lease])],
  ] as const satisfies readonly (readonly [string, (lease: Lease) => Promise<unknown>])[])(
    'does not concern what has begun: after %s, and one more claim that never started',
    async (...[, end]) => {
      const job = await runningJob(world, { expiresInMs: minuteMs })
      await world.sql(`UPDATE queue.jobs SET expires_at = now() - interval '1 second'`)
      await end(job.lease)
      const worker = await newWorker(world)
      const [claimed] = await claim(world, worker)
      expect(claimed?.id).toBe(job.id)
      await returnUnstartedJobs(database, claimed === undefined ? [] : [claimed.lease])
      expect(await expireJobs(database)).toEqual([])
      expect(await claim(world, worker)).toHaveLength(1)
    },
  )

  test('applies again to a job that was claimed and never started', async () => {
    const job = await runningJob(world, { expiresInMs: minuteMs })
    await returnUnstartedJobs(database, [job.lease])
    await expireJob(job.id)
    expect(await expireJobs(database)).toMatchObject([{ id: job.id, isUnclaimed: false }])
  })

  test('that is past has to be replaced by whoever requeues the job', async () => {
    const job = await enqueueProbe(world, { expiresInMs: minuteMs })
    await expireJob(job.id)
    await expireJobs(database)
    const expiryError = { code: 'invalid_job', issues: [{ path: ['expiresInMs'] }] }
    await expect(queue.requeue(job.id)).rejects.toMatchObject(expiryError)
    await expect(queue.requeue(job.id, { expiresAt: new Date(0) })).rejects.toMatchObject({
      code: 'invalid_job',
    })
    const requeued = await queue.requeue(job.id, { expiresInMs: minuteMs })
    expect(requeued).toMatchObject({ status: 'queued', cancelReason: null })
    expect(requeued.expiresAt?.getTime()).toBeGreaterThan(Date.now() - minuteMs)
    await queue.cancel(job.id)
    expect((await queue.requeue(job.id)).expiresAt).toEqual(requeued.expiresAt)
  })

  test('is dropped when a job is requeued from its dead letter: the job had started in time', async () => {
    const job = await runningJob(world, { expiresInMs: minuteMs, maxAttempts: 1 })
    await retryOrDeadLetterJobs(database, [{ lease: job.lease, error: 'e', waitMs: 1, permanent: true }])
    await expireJob(job.id)
    const [requeued] = await queue.deadLetters.requeueMany({}, { all: true })
    expect(requeued).toMatchObject({ id: job.id, status: 'queued', expiresAt: null })
  })

  const hour = () => new Date(Date.now() + 3_600_000)
  test.each<readonly [string, () => JobOptions, string]>([
    ['past', () => ({ expiresAt: new Date(0) }), 'expiresAt'],
    ['the instant of its start', () => ({ runAt: new Date(8e12), expiresAt: new Date(8e12) }), 'expiresAt'],
    ['shorter than the delay', () => ({ delayMs: 2_000, expiresInMs: 2_000 }), 'expiresInMs'],
    ['before an instant', () => ({ runAt: hour(), expiresInMs: 2_000 }), 'expiresInMs'],
    [
      'an instant before the delay has passed',
      () => ({ delayMs: 7_200_000, expiresAt: hour() }),
      'expiresAt',
    ],
    ['given twice', () => ({ expiresAt: hour(), expiresInMs: 2_000 }), 'expiresInMs'],
    ['of no time', () => ({ expiresInMs: 0 }), 'expiresInMs'],
  ])('is refused with its place: %s', async (...[, options, member]) => {
    const enqueue = async () => queue.enqueue(probe, {}, options())
    await expect(enqueue()).rejects.toMatchObject({ code: 'invalid_job', issues: [{ path: [member] }] })
    expect(await world.sql('SELECT FROM queue.all_jobs')).toEqual([])
  })
})

async function inTransaction<Result>(work: (client: Session) => Promise<Result>): Promise<Result> {
  const client = await world.session()
  await client.query('BEGIN')
  const result = await work(client)
  await client.query('COMMIT')
  return result
}

type Session = Awaited<ReturnType<typeof world.session>>
