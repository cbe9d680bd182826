import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { seeded } from '@queue/dev-postgres'
import { z } from 'zod'
import { ClaimMemory } from '../src/claims/claim-memory.ts'
import type { ClaimedJob, Job } from '../src/domain/job.ts'
import { createNotifier } from '../src/database/notifications.ts'
import { defineJob, type JobOptions, type JobRequest } from '../src/domain/job-definition.ts'
import { createEnqueue, type EnqueueTarget } from '../src/enqueue.ts'
import { countWaiting } from '../src/limits/count-waiting.ts'
import { createFullQueues } from '../src/limits/full-queues.ts'
import {
  limitsBeginning,
  reconcileCounters,
  reconcileLanes,
  reconcileTurns,
} from '../src/limits/reconcile-limits.ts'
import { limitUsage } from '../src/monitoring/limit-usage.ts'
import { createQueue } from '../src/queue.ts'
import { scopeQueue } from '../src/tenants/scoped-queue.ts'
import { claimJobs } from '../src/transitions/claim-jobs.ts'
import { finishJobs } from '../src/transitions/finish-jobs.ts'
import { releaseJobs } from '../src/transitions/release-jobs.ts'
import { snoozeJobs } from '../src/transitions/snooze-jobs.ts'
import { retryOrDeadLetterJobs } from '../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbe, enqueueProbes, patient, probe, registered } from './support/builders.ts'
import { openWorld } from './support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

function finish(jobs: readonly ClaimedJob[]) {
  return finishJobs(
    world.database,
    jobs.map(({ lease }) => ({ lease, resultText: null, note: null })),
  )
}

const keysOf = (jobs: readonly ClaimedJob[]): string =>
  jobs
    .map(({ key }) => key ?? '-')
    .toSorted()
    .join('')

const issuesOf = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

describe('max_running', () => {
  test('of each key holds for each key by itself, and for no job without one', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await enqueueProbes(world, 5, { key: 'a' })
    await enqueueProbes(world, 5, { key: 'b' })
    await enqueueProbes(world, 5)
    const worker = await registered(world)
    const first = await claim(world, worker)
    expect(keysOf(first)).toBe('-----aabb')
    expect(await claim(world, worker)).toEqual([])
    await finish(first.filter(({ key }) => key === 'a'))
    expect(keysOf(await claim(world, worker))).toBe('aa')
  })

  test('of a key counts the jobs of every kind and priority, and each tenant by itself', async () => {
    const other = defineJob({ kind: 'other', payload: z.unknown() })
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', maxRunning: 2 })
    await enqueueProbes(world, 2, { key: 'a', priority: 1 })
    await enqueueProbes(world, 2, { key: 'a' })
    await enqueueProbes(world, 3, { key: 'b' })
    await queue.enqueueMany([other.create({}, { key: 'a' })])
    await enqueueProbes(world, 3, { key: 'a', tenantId: 't' })
    const worker = await registered(world)
    const kinds = ['probe', 'other']
    const jobs = await claim(world, worker, { kinds })
    expect(keysOf(jobs)).toBe('aaaabbb')
    expect(jobs.filter(({ key, tenantId }) => key === 'a' && tenantId === null)).toMatchObject([
      { priority: 1 },
      { priority: 1 },
    ])
    expect(await claim(world, worker, { kinds })).toEqual([])
  })

  test('of a queue and of a kind in it hold at once, for jobs with and without a key', async () => {
    await enqueueProbe(world, { key: 'a' })
    const worker = await registered(world)
    expect(await claim(world, worker)).toHaveLength(1)
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 3 })
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 2 })
    await enqueueProbes(world, 5, { key: 'a' })
    await enqueueProbes(world, 5)
    expect(await claim(world, worker)).toHaveLength(1)
    expect(await claim(world, worker)).toEqual([])
    await queue.limits.delete({ queue: 'default', scope: 'kind', name: 'probe' })
    expect(await claim(world, worker)).toHaveLength(1)
    expect(await claim(world, worker)).toEqual([])
    await queue.limits.delete({ queue: 'default', scope: 'queue' })
    expect(await claim(world, worker)).toHaveLength(8)
  })

  test('a kind that is full keeps no other back, at whatever length of its line', async () => {
    const other = defineJob({ kind: 'other', payload: z.unknown() })
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 1 })
    await enqueueProbes(world, 300)
    await queue.enqueueMany([other.create({})])
    const worker = await registered(world)
    const kinds = (await claim(world, worker, { kinds: ['probe', 'other'], limit: 50 })).map(
      ({ kind }) => kind,
    )
    expect(kinds.toSorted()).toEqual(['other', 'probe'])
  })

  test('counts what ran before it was set, and lets what runs beyond it go on', async () => {
    await enqueueProbes(world, 3, { key: 'a' })
    const worker = await registered(world)
    const before = await claim(world, worker)
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await enqueueProbes(world, 3, { key: 'a' })
    expect(await claim(world, worker)).toEqual([])
    await finish(before.slice(0, 2))
    expect(await claim(world, worker)).toHaveLength(1)
    await finish(before.slice(2))
    expect(await claim(world, worker)).toHaveLength(1)
    expect(await claim(world, worker)).toEqual([])
  })

  test('a key whose limit does not bind goes on, however few each claim takes', async () => {
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', maxRunning: 100 })
    await queue.limits.set({
      queue: 'default',
      scope: 'key',
      name: 'b',
      rate: { count: 1, perMs: 1, burst: 100 },
    })
    for (const key of ['a', 'b', 'c']) await enqueueProbes(world, 3, { key })
    const worker = await registered(world)
    const claimed: ClaimedJob[] = []
    for (let n = 0; n < 9; n += 1) claimed.push(...(await claim(world, worker, { limit: 1 })))
    expect(keysOf(claimed)).toBe('aaabbbccc')
  })

  test.each(['tenant', 'key'] as const)(
    'of each key holds over all its kinds, in a queue that is fair by %s',
    async (fairBy) => {
      const kinds = ['probe', 'one', 'two', 'three', 'four']
      await queue.limits.set({ queue: 'default', scope: 'queue', fairBy })
      await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 3 })
      for (const kind of kinds) {
        const { create } = defineJob({ kind, payload: z.unknown() })
        await queue.enqueueMany([create({}, { key: 'a' }), create({}, { key: 'a' })])
      }
      const worker = await registered(world)
      const sizes: number[] = []
      for (let claims = 0; sizes.reduce((sum, size) => sum + size, 0) < 10 && claims < 20; claims += 1) {
        const jobs = await claim(world, worker, { kinds })
        sizes.push(jobs.length)
        await finish(jobs)
      }
      expect(Math.max(...sizes)).toBe(3)
      expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(10)
    },
  )

  test('a line behind a full key holds up no other key', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
    await enqueueProbes(world, 500, { key: 'a' })
    const worker = await registered(world)
    expect(keysOf(await claim(world, worker, { limit: 10 }))).toBe('a')
    await enqueueProbes(world, 1, { key: 'b' })
    expect(keysOf(await claim(world, worker, { limit: 10 }))).toBe('b')
  })
})

describe('rate', () => {
  const perHour = { count: 1, perMs: 3_600_000, burst: 3 }
  /** Lets time pass for the buckets. */
  const passHours = async (hours: number) => {
    await world.sql(`UPDATE queue.limit_counters SET spent_until = spent_until - $1 * interval '1 hour'`, [
      hours,
    ])
    await world.sql(`UPDATE queue.lane_events SET due_at = due_at - $1 * interval '1 hour'`, [hours])
  }

  test.each([
    ['a queue', { scope: 'queue' }, undefined],
    ['a kind', { scope: 'kind', name: 'probe' }, undefined],
    ['each key', { scope: 'each_key' }, 'a'],
    ['a key', { scope: 'key', name: 'a' }, 'a'],
  ] as const)(
    'of %s lets a burst start, and then one for each that the time has paid',
    async (...[, target, key]) => {
      await queue.limits.set({ queue: 'default', ...target, rate: perHour })
      await enqueueProbes(world, 10, key === undefined ? {} : { key })
      const worker = await registered(world)
      const started = await claim(world, worker)
      expect(started).toHaveLength(3)
      await finish(started)
      expect(await claim(world, worker)).toEqual([])
      await passHours(2)
      expect(await claim(world, worker)).toHaveLength(2)
      await passHours(100)
      expect(await claim(world, worker)).toHaveLength(3)
    },
  )

  test('says when the next may start also where that comes while the claim runs', async () => {
    // A bucket that opens about as often as one claim follows another.
    await queue.limits.set({ queue: 'default', scope: 'queue', rate: { count: 330, perMs: 1_000, burst: 1 } })
    await enqueueProbes(world, 600)
    const workerId = await registered(world)
    const memory = new ClaimMemory(['default'])
    for (let claims = 0; claims < 600; claims += 1) {
      const { jobs, retryInMs } = await claimJobs(world.database, {
        workerId,
        memory,
        kinds: ['probe'],
        limit: 10,
        eligible: 'any',
        ...patient,
      })
      if (jobs.length === 0) expect(retryInMs).not.toBeNull()
    }
  })

  test('says when the next may start', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', rate: { count: 1, perMs: 60_000, burst: 1 } })
    await enqueueProbes(world, 2)
    const { jobs, retryInMs } = await claimJobs(world.database, {
      workerId: await registered(world),
      memory: new ClaimMemory(['default']),
      kinds: ['probe'],
      limit: 10,
      eligible: 'any',
      ...patient,
    })
    expect(jobs).toHaveLength(1)
    expect(retryInMs).toBeGreaterThan(30_000)
    expect(retryInMs).toBeLessThanOrEqual(60_000)
  })
})

describe('max_waiting', () => {
  /** Its own, so that what one test has filled is full for no other. */
  const mail = { queue: 'mail' }
  /** Enqueues as a process that has just begun does. */
  const enqueueAnew = (requests: readonly JobRequest[], target?: EnqueueTarget) =>
    createEnqueue(world.database, {
      notifier: createNotifier(world.database),
      full: createFullQueues(world.database),
    })(requests, target)
  const toMail = (options: JobOptions = {}) => probe.create({}, { ...mail, ...options })
  const waiting = async (): Promise<number> =>
    Number(
      (
        await world.sql(`SELECT count(*) FROM queue.jobs WHERE queue = 'mail' AND status <> 'succeeded'`)
      )[0]?.['count'],
    )
  const full = { code: 'queue_full', name: 'QueueFull', queue: 'mail' }

  test('refuses what is new as long as so many wait, all of a call or none of it', async () => {
    await enqueueProbes(world, 2, mail)
    await enqueueProbes(world, 1, { ...mail, key: 'a', delayMs: 60_000 })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 3 })
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
    await expect(enqueueAnew([probe.create({}), toMail(), toMail({ key: 'b' })])).rejects.toMatchObject(full)
    expect(await enqueueAnew([probe.create({})])).toHaveLength(1)
    expect(await waiting()).toBe(3)
    const worker = await registered(world, { queues: ['mail'] })
    const jobs = await claim(world, worker, { queues: ['mail'] })
    expect(jobs).toHaveLength(2)
    expect(await countWaiting(world.database, 0)).toEqual({ counted: 1, isWanted: true })
    expect(await countWaiting(world.database, 60_000)).toEqual({ counted: 0, isWanted: true })
    // It counts by the second: what comes at once is let in together.
    expect(await enqueueAnew([toMail(), toMail(), toMail()])).toHaveLength(3)
    await countWaiting(world.database, 0)
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
    await queue.limits.delete({ queue: 'mail', scope: 'queue' })
    expect(await enqueueAnew([toMail()])).toHaveLength(1)
    expect(await countWaiting(world.database, 0)).toEqual({ counted: 0, isWanted: false })
  })

  test('of a tenant is about its jobs alone, whoever enqueues them', async () => {
    await enqueueProbes(world, 2, { ...mail, tenantId: 'acme', key: 'a' })
    await queue.limits.set({ queue: 'mail', scope: 'tenant', name: 'acme', maxWaiting: 2 })
    await expect(enqueueAnew([toMail({ tenantId: 'acme' })])).rejects.toMatchObject(full)
    expect(await enqueueAnew([toMail({ tenantId: 'other' }), toMail()])).toHaveLength(2)
    const scoped = scopeQueue(
      { database: world.database, full: createFullQueues(world.database) },
      { tenantId: 'acme' },
    )
    await expect(scoped.enqueueMany([toMail()])).rejects.toMatchObject(full)
    const grouped = scoped.grouped()
    const all = await Promise.allSettled([
      grouped.enqueue(probe, {}, mail),
      grouped.enqueue(probe, {}),
      grouped.enqueue(probe, {}, { ...mail, idempotencyKey: 'k' }),
      grouped.enqueue(probe, {}, { idempotencyKey: 'l' }),
    ])
    expect(all.map(({ status }) => status)).toEqual(['rejected', 'fulfilled', 'rejected', 'fulfilled'])
  })

  test('answers with what is there already, and takes no more beside it', async () => {
    const unique = { key: 'u', scope: 'live' } as const
    const [known] = await enqueueProbes(world, 1, { ...mail, idempotencyKey: 'k' })
    const [holder] = await enqueueProbes(world, 1, { ...mail, unique })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const again = await enqueueAnew([probe.create({ n: 0 }, { ...mail, idempotencyKey: 'k' })])
    expect(again).toMatchObject([{ replayed: true, job: { id: known?.id } }])
    expect(await enqueueAnew([toMail({ unique })])).toMatchObject([
      { conflict: 'returned', job: { id: holder?.id } },
    ])
    const mixed = [toMail({ idempotencyKey: 'k' }), toMail({ idempotencyKey: 'new' })]
    await expect(enqueueAnew(mixed)).rejects.toMatchObject(full)
    await expect(enqueueAnew([toMail({ unique: { key: 'v', scope: 'live' } })])).rejects.toMatchObject(full)
    expect(await waiting()).toBe(2)
  })

  test('leaves a caller’s transaction as it was', async () => {
    await enqueueProbes(world, 1, mail)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const session = await world.session()
    await session.query('BEGIN')
    await expect(enqueueAnew([toMail()], { transaction: session })).rejects.toMatchObject(full)
    await expect(
      enqueueAnew([toMail({ idempotencyKey: 'k' })], { transaction: session }),
    ).rejects.toMatchObject(full)
    expect(await enqueueAnew([probe.create({})], { transaction: session })).toHaveLength(1)
    await session.query('COMMIT')
    expect(await waiting()).toBe(1)
    expect((await queue.list({ queue: 'default' })).jobs).toHaveLength(1)
  })

  test('lets in what waited before: a retry, what is returned, and a requeue', async () => {
    await enqueueProbes(world, 3, mail)
    const worker = await registered(world, { queues: ['mail'] })
    const [retried, returned, failed] = await claim(world, worker, { queues: ['mail'] })
    await enqueueProbes(world, 1, mail)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const error = 'e'
    await retryOrDeadLetterJobs(world.database, [
      { lease: (retried as ClaimedJob).lease, error, waitMs: 1, permanent: false },
      { lease: (failed as ClaimedJob).lease, error, waitMs: 1, permanent: true },
    ])
    await releaseJobs(world.database, [(returned as ClaimedJob).lease])
    await queue.requeue(failed?.id ?? '')
    expect(await waiting()).toBe(4)
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
  })

  test('holds for the function of the schema, for duplicates, and for runs of schedules by hand', async () => {
    const [known] = await enqueueProbes(world, 1, { ...mail, idempotencyKey: 'k', tenantId: 'acme' })
    await queue.schedules.create({
      name: 'letters',
      definition: probe,
      payload: {},
      everyMs: 60_000,
      options: mail,
    })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 1 })
    const inSql = (tenant: string | null, key: string | null) =>
      world.sql(
        `SELECT queue.enqueue('probe', '{"n": 0}', 'mail', tenant_id => $1, idempotency_key => $2) AS id`,
        [tenant, key],
      )
    await expect(inSql(null, null)).rejects.toMatchObject({ code: '53400' })
    await expect(inSql('acme', 'other')).rejects.toMatchObject({ code: '53400' })
    expect((await inSql('acme', 'k'))[0]).toEqual({ id: known?.id })
    const fresh = createQueue({ connectionString: world.url })
    await expect(fresh.duplicate(known?.id ?? '')).rejects.toMatchObject(full)
    await expect(fresh.schedules.runNow('letters')).rejects.toMatchObject(full)
    await fresh.close()
    expect(await waiting()).toBe(1)
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 9 })
    await queue.limits.set({ queue: 'mail', scope: 'tenant', name: 'acme', maxWaiting: 1 })
    await expect(inSql('acme', null)).rejects.toMatchObject({ code: '53400' })
    expect(await inSql(null, null)).toHaveLength(1)
  })

  test('holds also where no worker counts: whoever enqueues does', async () => {
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2 })
    expect(await enqueueAnew([toMail(), toMail({ key: 'a' }), toMail()])).toHaveLength(3)
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute'`)
    await expect(enqueueAnew([toMail()])).rejects.toMatchObject(full)
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute', waiting = 0`)
    const inSql = () => world.sql(`SELECT queue.enqueue('probe', '{}', 'mail')`)
    await expect(inSql()).rejects.toMatchObject({ code: '53400' })
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 4 })
    await world.sql(`UPDATE queue.waiting_counts SET counted_at = now() - interval '1 minute', waiting = 9`)
    expect(await inSql()).toHaveLength(1)
    await expect(inSql()).rejects.toMatchObject({ code: '53400' })
  })

  test('alone costs the claims of its queue nothing', async () => {
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2 })
    const limited = () => world.sql(`SELECT limited FROM queue.queues WHERE name = 'mail'`)
    expect(await limited()).toEqual([{ limited: false }])
    await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 2, maxRunning: 2 })
    expect(await limited()).toEqual([{ limited: true }])
  })
})

describe('the weight of a job', () => {
  const hour = 3_600_000
  const rateOf = (burst: number) => ({ count: 1, perMs: hour, burst })
  const limitsOf = [
    ['a queue', { scope: 'queue' }, {}],
    ['a kind', { scope: 'kind', name: 'probe' }, {}],
    ['a kind, with keys', { scope: 'kind', name: 'probe' }, { key: 'a' }],
    ['each key', { scope: 'each_key' }, { key: 'a' }],
    ['a key', { scope: 'key', name: 'a' }, { key: 'a' }],
  ] as const
  const weightsOf = (jobs: readonly Job[], claimed: readonly ClaimedJob[]): readonly number[] =>
    jobs.filter(({ id }) => claimed.some((job) => job.id === id)).map(({ weight }) => weight)
  /** Lets time pass for the buckets. */
  const passHours = async (hours: number) => {
    await world.sql(`UPDATE queue.limit_counters SET spent_until = spent_until - $1 * interval '1 hour'`, [
      hours,
    ])
    await world.sql(`UPDATE queue.lane_events SET due_at = due_at - $1 * interval '1 hour'`, [hours])
  }
  const enqueueWeights = async (weights: readonly number[], options: JobOptions): Promise<Job[]> => {
    const requests = weights.map((weight) => probe.create({}, { ...options, weight }))
    return (await queue.enqueueMany(requests)).map(({ job }) => job)
  }

  test.each(limitsOf)(
    'is its cost in the rate of %s: what comes behind it waits with it, and starts in order',
    async (...[, target, options]) => {
      await queue.limits.set({ queue: 'default', ...target, rate: rateOf(6) })
      const jobs = await enqueueWeights([2, 3, 5, 1, 1, 4], options)
      const worker = await registered(world)
      const started: number[][] = []
      for (let hours = 0; hours < 14; hours += 1) {
        started.push([...weightsOf(jobs, await claim(world, worker))])
        await passHours(1)
      }
      expect(started).toEqual([[2, 3], [], [], [], [5], [1], [1], [], [], [], [4], [], [], []])
    },
  )

  test.each(limitsOf)('costs no more than %s lets start at once', async (...[, target, options]) => {
    await queue.limits.set({ queue: 'default', ...target, rate: rateOf(3) })
    const jobs = await enqueueWeights([1, 1_000_000, 1], options)
    const worker = await registered(world)
    expect(weightsOf(jobs, await claim(world, worker))).toEqual([1])
    await passHours(1)
    expect(weightsOf(jobs, await claim(world, worker))).toEqual([1_000_000])
    expect(await claim(world, worker)).toEqual([])
    await passHours(1)
    expect(weightsOf(jobs, await claim(world, worker))).toEqual([1])
  })

  test.each(limitsOf)('says when %s has its tokens', async (...[, target, options]) => {
    await queue.limits.set({ queue: 'default', ...target, rate: rateOf(5) })
    const [first, second] = (await enqueueWeights([3, 4], options)) as [Job, Job]
    const workerId = await registered(world)
    const looks = {
      workerId,
      memory: new ClaimMemory(['default']),
      kinds: ['probe'],
      limit: 10,
      eligible: 'any',
      ...patient,
    } as const
    const { jobs } = await claimJobs(world.database, looks)
    expect(jobs.map(({ id }) => id)).toEqual([first.id])
    // Where the first was claimed as its event said, this is what makes a lane of the second.
    const { retryInMs } = await claimJobs(world.database, { ...looks, memory: new ClaimMemory(['default']) })
    expect(retryInMs ?? 0).toBeGreaterThan(1.9 * hour)
    expect(retryInMs ?? 0).toBeLessThanOrEqual(2 * hour)
    expect((await queue.why(second.id))?.reasons).toMatchObject([{ code: 'rate_spent' }])
  })

  /** By how much the worst window is above the burst and its length, of starts in the order of their hours. */
  const excessOf = (starts: readonly { readonly at: number; readonly cost: number }[], perHour: number) =>
    Math.max(
      ...starts.map((first, begin) => {
        let cost = 0
        return Math.max(
          ...starts.slice(begin).map((start) => {
            cost += start.cost
            return cost - (start.at - first.at) * perHour
          }),
        )
      }),
    )

  test('lets no more start in any time than the burst and the rate, and uses nearly all of it', async () => {
    const whole = { count: 1, perMs: hour, burst: 40 }
    const ofEach = { count: 1, perMs: 2 * hour, burst: 25 }
    const lane = fc.constantFrom(undefined, undefined, 'a', 'b', 'c')
    const property = fc.asyncProperty(
      fc.array(fc.record({ key: lane, weight: fc.integer({ min: 1, max: 20 }) }), {
        minLength: 300,
        maxLength: 300,
      }),
      fc.array(fc.record({ hours: fc.integer({ min: 5, max: 15 }), limit: fc.integer({ min: 1, max: 6 }) }), {
        minLength: 80,
        maxLength: 80,
      }),
      async (wanted, steps) => {
        await world.reset()
        await queue.limits.set({ queue: 'default', scope: 'queue', rate: whole })
        await queue.limits.set({ queue: 'default', scope: 'each_key', rate: ofEach })
        const requests = wanted.map(({ key, weight }) => probe.create({}, { weight, ...(key && { key }) }))
        const jobs = (await queue.enqueueMany(requests)).map(({ job }) => job)
        const worker = await registered(world)
        const starts = new Map<string, number>()
        let at = 0
        for (const { hours, limit } of steps) {
          for (let found = -1; found !== starts.size; ) {
            found = starts.size
            for (const { id } of await claim(world, worker, { limit })) starts.set(id, at)
            for (const key of [null, 'a', 'b', 'c']) {
              const line = jobs.filter((job) => job.key === key).map(({ id }) => starts.has(id))
              expect(line.lastIndexOf(true)).toBeLessThan(line.includes(false) ? line.indexOf(false) : 300)
            }
          }
          at += hours
          await passHours(hours)
        }
        const began = jobs
          .flatMap(({ id, key, weight }) => {
            const start = starts.get(id)
            return start === undefined ? [] : [{ key, at: start, cost: weight }]
          })
          .toSorted((a, b) => a.at - b.at)
        expect(excessOf(began, 1)).toBeLessThanOrEqual(whole.burst)
        for (const key of ['a', 'b', 'c']) {
          const ofKey = began.filter((start) => start.key === key)
          expect(excessOf(ofKey, 0.5)).toBeLessThanOrEqual(ofEach.burst)
        }
        const last = began.at(-1)?.at ?? 0
        expect(began.reduce((sum, { cost }) => sum + cost, 0)).toBeGreaterThan(0.97 * (whole.burst + last))
      },
    )
    await fc.assert(property, seeded('weights of jobs', { numRuns: 1, endOnFailure: true }))
  })

  test('holds in the order of a key, and for all kinds of a key in a fair queue', async () => {
    const other = defineJob({ kind: 'other', payload: z.unknown(), weight: 4 })
    await queue.limits.set({ queue: 'default', scope: 'each_key', ordered: {}, rate: rateOf(5) })
    const ordered = await enqueueWeights([3, 5, 1], { key: 'a' })
    const worker = await registered(world)
    const order: number[][] = []
    for (let hours = 0; hours < 7; hours += 1) {
      const jobs = await claim(world, worker)
      order.push([...weightsOf(ordered, jobs)])
      await finish(jobs)
      await passHours(1)
    }
    expect(order).toEqual([[3], [], [], [5], [1], [], []])
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await queue.limits.set({ queue: 'default', scope: 'each_key', rate: rateOf(5) })
    await passHours(10)
    await queue.enqueueMany([other.create({}, { key: 'b' })])
    await enqueueWeights([2, 2], { key: 'b' })
    const cost = (jobs: readonly ClaimedJob[]): number =>
      jobs.reduce((sum, { kind }) => sum + (kind === 'other' ? 4 : 2), 0)
    const kinds = ['probe', 'other']
    const first = cost(await claim(world, worker, { kinds }))
    expect(first).toBe(4)
    for (let hours = 0; hours < 4; hours += 1) {
      await passHours(1)
      await claim(world, worker, { kinds })
    }
    expect((await queue.list({ status: 'running' })).jobs).toHaveLength(3)
  })

  test('keeps the turn of a tenant whose job waits for its tokens', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant', rate: rateOf(8) })
    const heavy = await enqueueWeights([8], { tenantId: 'm' })
    for (const tenantId of ['a', 'b', 'y', 'z']) await enqueueWeights(Array(20).fill(1), { tenantId })
    const worker = await registered(world)
    let hours = 0
    while ((await claim(world, worker)).every(({ id }) => id !== heavy[0]?.id)) {
      hours += 1
      expect(hours).toBeLessThan(20)
      await passHours(1)
    }
  })
})

describe('paused', () => {
  test.each([
    ['a kind', { scope: 'kind', name: 'probe' }],
    ['a key', { scope: 'key', name: 'a' }],
    ['a queue', { scope: 'queue' }],
  ] as const)('%s: none of its jobs starts until it is resumed', async (...[, target]) => {
    await enqueueProbes(world, 2, { key: 'a' })
    const worker = await registered(world)
    const limit = await queue.limits.set({ queue: 'default', ...target, paused: true })
    expect(limit.pausedAt).toBeInstanceOf(Date)
    expect(await claim(world, worker)).toEqual([])
    await queue.limits.delete({ queue: 'default', ...target })
    expect(await claim(world, worker)).toHaveLength(2)
  })
})

test('jobs of a kind that is paused, each with a key of its own, hold up no other kind', async () => {
  const other = defineJob({ kind: 'other', payload: z.unknown() })
  await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', paused: true })
  await queue.enqueueMany(Array.from({ length: 30 }, (_, n) => probe.create({}, { key: `k${n}` })))
  await queue.enqueueMany([other.create({}, { key: 'o' })])
  const worker = await registered(world)
  const started: ClaimedJob[] = []
  for (let claims = 0; claims < 8; claims += 1)
    started.push(...(await claim(world, worker, { kinds: ['probe', 'other'], limit: 10 })))
  expect(started.map(({ kind }) => kind)).toEqual(['other'])
  await queue.limits.delete({ queue: 'default', scope: 'kind', name: 'probe' })
  expect(await claim(world, worker)).toHaveLength(30)
})

describe('the order of each key', () => {
  const other = defineJob({ kind: 'other', payload: z.unknown() })
  const both = ['probe', 'other']
  const inOrder = (onRetry?: 'block' | 'continue') =>
    queue.limits.set({ queue: 'default', scope: 'each_key', ordered: { onRetry } })

  test('is that of priority, start and id, over all kinds, and one at a time', async () => {
    await inOrder()
    const [a] = await enqueueProbes(world, 1, { key: 'k', priority: 5 })
    const [b] = await queue.enqueueMany([other.create({}, { key: 'k', priority: 5 })])
    const [c] = await enqueueProbes(world, 1, { key: 'k', priority: 5 })
    const [d] = await queue.enqueueMany([other.create({}, { key: 'k', priority: 1 })])
    const [e] = await enqueueProbes(world, 1, { key: 'k', priority: 5, runAt: new Date(Date.now() + 60_000) })
    const [elsewhere] = await enqueueProbes(world, 1, { key: 'k', priority: 5, tenantId: 't' })
    const worker = await registered(world)
    const started: string[] = []
    for (let n = 0; n < 12; n += 1) {
      const jobs = await claim(world, worker, { kinds: both })
      started.push(...jobs.map(({ id }) => id))
      await finish(jobs)
    }
    expect(started.filter((id) => id !== elsewhere?.id)).toEqual([d?.job.id, a?.id, b?.job.id, c?.id])
    expect(started).toContain(elsewhere?.id)
    expect(started).not.toContain(e?.id)
  })

  test('waits for a kind that its worker does not run, and goes on once that is gone', async () => {
    await inOrder()
    const [first] = await queue.enqueueMany([other.create({}, { key: 'k' })])
    await enqueueProbe(world, { key: 'k' })
    const worker = await registered(world)
    for (let n = 0; n < 3; n += 1) expect(await claim(world, worker)).toEqual([])
    await queue.cancel(first?.job.id ?? '')
    expect(await claim(world, worker)).toHaveLength(1)
  })

  test.each([
    ['block', []],
    ['continue', ['second']],
  ] as const)('where a job is retried: %s', async (onRetry, meanwhile) => {
    await inOrder(onRetry)
    const first = await enqueueProbe(world, { key: 'k' })
    const second = await enqueueProbe(world, { key: 'k', priority: 1, delayMs: 1 })
    const worker = await registered(world)
    const [job] = (await claim(world, worker)) as [ClaimedJob]
    await retryOrDeadLetterJobs(world.database, [
      { lease: job.lease, error: 'e', waitMs: 3_600_000, permanent: false },
    ])
    const begun = [...(await claim(world, worker)), ...(await claim(world, worker))]
    const names = new Map([[second.id, 'second']])
    if (job.id === first.id) expect(begun.map(({ id }) => names.get(id))).toEqual(meanwhile)
    await finish(begun)
    await queue.runNow(job.id)
    expect(await claim(world, worker)).toMatchObject([{ id: job.id, attempt: 2 }])
  })

  test('is held by the job that was last begun until it is gone, by whatever act', async () => {
    await inOrder()
    const worker = await registered(world)
    const begin = async (): Promise<ClaimedJob> => {
      const [job] = (await claim(world, worker)) as [ClaimedJob]
      await retryOrDeadLetterJobs(world.database, [
        { lease: job.lease, error: 'e', waitMs: 3_600_000, permanent: false },
      ])
      expect(await claim(world, worker)).toEqual([])
      return job
    }
    await enqueueProbes(world, 4, { key: 'k' })
    await queue.cancel((await begin()).id)
    await world.sql('SELECT queue.cancel($1)', [(await begin()).id])
    const moved = await begin()
    await world.sql(`UPDATE queue.jobs SET run_at = run_at - interval '2 hours' WHERE id = $1`, [moved.id])
    await queue.edit(moved.id, { priority: 9 })
    expect(await claim(world, worker)).toMatchObject([{ id: moved.id, priority: 9 }])
    expect(await claim(world, worker)).toEqual([])
  })

  test('holds for what has committed, whatever happens to jobs in between', async () => {
    const choices = fc.noBias(fc.array(fc.nat(9_999), { minLength: 300, maxLength: 300 }))
    const property = fc.asyncProperty(
      fc.constantFrom('block' as const, 'continue' as const),
      choices,
      randomActs,
    )
    await fc.assert(property, seeded('orders of keys', { numRuns: 2, endOnFailure: true }))
  })

  interface Row {
    readonly id: string
    readonly key: string
    readonly kind: string
    readonly status: string
    readonly is_due: boolean
  }

  /** What may start of each key: computed from all jobs in their order. */
  async function firstOfKeys(onRetry: 'block' | 'continue'): Promise<readonly Row[]> {
    const rows =
      await world.sql<Row>(`SELECT id, key, kind, status::text, run_at <= clock_timestamp() AS is_due
      FROM queue.jobs WHERE finished_at IS NULL ORDER BY priority, run_at, id`)
    return [...Map.groupBy(rows, ({ key }) => key).values()].flatMap((jobs) => {
      if (jobs.some(({ status }) => status === 'running')) return []
      const held = onRetry === 'block' ? jobs.find(({ status }) => status === 'retrying') : undefined
      const first = held ?? jobs.find((job) => job.is_due)
      return first?.is_due === true ? [first] : []
    })
  }

  async function randomActs(onRetry: 'block' | 'continue', choices: readonly number[]): Promise<void> {
    const left = choices.values()
    const pick = <Item>(items: readonly Item[]): Item | undefined =>
      items[(left.next().value ?? 0) % items.length]
    await world.reset()
    await inOrder(onRetry)
    const workers = await Promise.all(
      [['probe'], ['other'], both].map(async (kinds) => ({ kinds, id: await registered(world) })),
    )
    let running: ClaimedJob[] = []
    const endOne = async (end: (job: ClaimedJob) => Promise<unknown>): Promise<void> => {
      const job = pick(running)
      running = running.filter((one) => one !== job)
      if (job !== undefined) await end(job)
    }
    const waiting = async (): Promise<string> => {
      const rows = await world.sql<Row>(`SELECT id FROM queue.jobs WHERE status IN ('queued', 'retrying')`)
      return pick(rows)?.id ?? ''
    }
    const retry =
      (waitMs: number) =>
      async ({ lease }: ClaimedJob) => {
        await retryOrDeadLetterJobs(world.database, [{ lease, error: 'e', waitMs, permanent: false }])
      }
    const enqueue = async (): Promise<void> => {
      const options = {
        key: pick(['a', 'b', 'c']) ?? '',
        priority: pick([1, 4, 4, 7]) ?? 4,
        delayMs: pick([0, 0, 0, 3_600_000]) ?? 0,
        maxAttempts: 50,
      }
      await queue.enqueueMany([(pick([other, probe]) ?? probe).create({}, options)])
    }
    const acts = [
      enqueue,
      enqueue,
      enqueue,
      () => endOne((job) => finish([job])),
      () => endOne((job) => finish([job])),
      () => endOne(retry(0)),
      () => endOne(retry(3_600_000)),
      () => endOne(({ lease }) => snoozeJobs(world.database, [{ lease, waitMs: 3_600_000 }])),
      () => endOne(({ lease }) => releaseJobs(world.database, [lease])),
      async () => {
        const id = await waiting()
        if (id !== '') await queue.cancel(id)
      },
      async () => {
        const id = await waiting()
        const change =
          pick([true, false]) === true
            ? { priority: pick([1, 4, 7]) ?? 4 }
            : { runAt: new Date(Date.now() + (pick([0, 3_600_000]) ?? 0)) }
        if (id !== '') await queue.edit(id, change)
      },
      async () => {
        const id = await waiting()
        if (id !== '') await queue.runNow(id)
      },
      async () => {
        await world.sql(
          `UPDATE queue.jobs SET run_at = run_at - interval '2 hours' WHERE finished_at IS NULL`,
        )
        await world.sql(`UPDATE queue.lane_events SET due_at = due_at - interval '2 hours'`)
        await world.sql(`UPDATE queue.lanes SET head_at = head_at - interval '2 hours'`)
      },
    ]
    for (let step = 0; step < 40; step += 1) {
      await pick(acts)?.()
      for (let tries = 0; tries < 5; tries += 1) {
        const may = new Set((await firstOfKeys(onRetry)).map(({ id }) => id))
        const { id, kinds } = (tries < 3 ? pick(workers) : workers[2]) ?? { id: '', kinds: both }
        const started = await claim(world, id, { kinds })
        expect(started.filter((job) => !may.has(job.id))).toEqual([])
        running.push(...started)
      }
      expect(await firstOfKeys(onRetry)).toEqual([])
    }
  }
})

describe('fair', () => {
  const tenantsOf = (jobs: readonly ClaimedJob[], tenantId: string): number =>
    jobs.filter((job) => job.tenantId === tenantId).length

  test.each([
    ['tenant', 1],
    ['tenant', 10],
    ['key', 10],
    ['tenant, without keys', 1],
    ['tenant, without keys', 10],
  ] as const)(
    'by %s: whoever has one job is served soon, in claims of %i, however many others have',
    async (by, limit) => {
      const fairBy = by === 'key' ? by : 'tenant'
      const key = (name: string) => (by === 'tenant, without keys' ? {} : { key: name })
      await enqueueProbes(world, 150, { ...key('one'), tenantId: 'a' })
      await queue.limits.set({ queue: 'default', scope: 'queue', fairBy })
      if (by === 'tenant')
        for (let n = 0; n < 40; n += 1) await enqueueProbes(world, 3, { key: `k${n}`, tenantId: 'a' })
      const worker = await registered(world)
      const before = await claim(world, worker, { limit })
      expect(before).toHaveLength(limit)
      await enqueueProbe(world, { ...key('other'), tenantId: 'b' })
      let others = 0
      for (let claims = 0; claims < 5; claims += 1) {
        const jobs = await claim(world, worker, { limit })
        if (tenantsOf(jobs, 'b') > 0) break
        others += jobs.length
      }
      expect(others).toBeLessThanOrEqual(2 * 2 * limit)
    },
  )

  test.each([
    ['tenant', 'tenant', 1],
    ['tenant', 'tenant', 50],
    ['key', 'key', 10],
    ['tenant, without keys', 'tenant', 1],
    ['tenant, without keys', 'tenant', 50],
  ] as const)('by %s: weights of a %s say its part, in claims of %i', async (by, scope, limit) => {
    const key = (name: string) => (by === 'tenant, without keys' ? {} : { key: name })
    const fairBy = by === 'key' ? by : 'tenant'
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy })
    await queue.limits.set({ queue: 'default', scope, name: 'b', weight: 3 })
    await enqueueProbes(world, 300, { ...key('a'), tenantId: 'a' })
    await enqueueProbes(world, 300, { ...key('b'), tenantId: 'b' })
    const worker = await registered(world)
    const jobs: ClaimedJob[] = []
    while (jobs.length < 200) jobs.push(...(await claim(world, worker, { limit })))
    expect(tenantsOf(jobs, 'b') / tenantsOf(jobs, 'a')).toBeGreaterThan(2.7)
    expect(tenantsOf(jobs, 'b') / tenantsOf(jobs, 'a')).toBeLessThan(3.3)
  })

  test('whoever has one job is served soon, however many others came before it, each by itself', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await enqueueProbes(world, 1_000, { key: 'one', tenantId: 'a' })
    await world.sql(`
      INSERT INTO queue.lane_events (due_at, queue, kind, key, tenant_id, priority)
      SELECT j.run_at, j.queue, j.kind, j.key, j.tenant_id, j.priority
        FROM queue.jobs AS j CROSS JOIN generate_series(1, 10)`)
    await enqueueProbe(world, { key: 'other', tenantId: 'b' })
    const worker = await registered(world)
    const jobs: ClaimedJob[] = []
    while (tenantsOf(jobs, 'b') === 0) jobs.push(...(await claim(world, worker, { limit: 5 })))
    expect(jobs.length - 1).toBeLessThanOrEqual(2 * 2 * 5)
  })

  test('lets all jobs start, with limits beside it, and when it is set and deleted meanwhile', async () => {
    const fair = { queue: 'default', scope: 'queue' } as const
    const worker = await registered(world)
    for (const tenantId of ['a', 'b', undefined]) {
      await enqueueProbes(world, 4, tenantId === undefined ? { key: 'k' } : { key: 'k', tenantId })
      await enqueueProbes(world, 4, tenantId === undefined ? {} : { tenantId })
    }
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
    const ids = new Set<string>()
    for (let claims = 0; claims < 40; claims += 1) {
      if (claims % 10 === 1) await queue.limits.set({ ...fair, fairBy: claims % 20 === 1 ? 'tenant' : 'key' })
      if (claims % 10 === 6) await queue.limits.delete(fair)
      const jobs = await claim(world, worker, { limit: 2 })
      for (const { id } of jobs) ids.add(id)
      await finish(jobs)
    }
    expect(ids.size).toBe(24)
  })
})

describe('a worker that claims on and on', () => {
  /** Claims one job after the other of a line of key `a`, each with what the last one has seen. */
  async function busy(): Promise<() => Promise<string>> {
    await enqueueProbes(world, 1_000, { key: 'a' })
    const workerId = await registered(world)
    const memory = new ClaimMemory(['default'])
    const input = { workerId, memory, kinds: ['probe'], limit: 1, eligible: 'any', ...patient } as const
    return async () => keysOf((await claimJobs(world.database, input)).jobs as readonly ClaimedJob[])
  }
  const claimFor = async (ms: number, next: () => Promise<string>): Promise<void> => {
    for (const since = performance.now(); performance.now() - since < ms; ) expect(await next()).toBe('a')
  }

  test('finds what is committed late within a second', async () => {
    const next = await busy()
    await claimFor(100, next)
    const client = await world.session()
    await client.query('BEGIN')
    await client.query(`WITH late AS (
        INSERT INTO queue.jobs (id, queue, kind, payload, key, run_at)
        VALUES (gen_random_uuid(), 'default', 'probe', '{}', 'late', clock_timestamp()) RETURNING *)
      INSERT INTO queue.lane_events (due_at, queue, kind, key, priority)
      SELECT run_at, queue, kind, key, priority FROM late`)
    await claimFor(500, next)
    await client.query('COMMIT')
    let claimsLater = 0
    const committed = performance.now()
    while ((await next()) !== 'late') if (performance.now() - committed > 1_000) claimsLater += 1
    // Lanes take turns: the claim that has found it may have taken one of the other.
    expect(claimsLater).toBeLessThanOrEqual(2)
  })

  test('finds at once what a change of a limit has opened', async () => {
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'b', maxRunning: 1 })
    await enqueueProbes(world, 2, { key: 'b' })
    expect(keysOf(await claim(world, await registered(world)))).toBe('b')
    const next = await busy()
    await claimFor(500, next)
    await queue.limits.delete({ queue: 'default', scope: 'key', name: 'b' })
    expect([await next(), await next()]).toContain('b')
  })
})

describe('a job that comes back', () => {
  test('waits in its lane for its time, and is found then', async () => {
    await enqueueProbe(world, { key: 'a' })
    const worker = await registered(world)
    const [job] = (await claim(world, worker)) as [ClaimedJob]
    await retryOrDeadLetterJobs(world.database, [
      { lease: job.lease, error: 'e', waitMs: 3_600_000, permanent: false },
    ])
    expect(await claim(world, worker)).toEqual([])
    await world.sql(`UPDATE queue.jobs SET run_at = run_at - interval '2 hours'`)
    await world.sql(`UPDATE queue.lane_events SET due_at = due_at - interval '2 hours'`)
    expect(await claim(world, worker)).toMatchObject([{ attempt: 2 }])
  })
})

describe('the key of a job', () => {
  const order = defineJob({ kind: 'order', payload: z.unknown(), key: '/customer/id', weight: 3 })

  test.each([
    ['a text', { customer: { id: 'acme' } }, 'acme'],
    ['a number', { customer: { id: 1e21 } }, '1e+21'],
    ['a boolean', { customer: { id: false } }, 'false'],
    ['null', { customer: { id: null } }, null],
    ['nothing', {}, null],
  ])('is what the pointer of its kind finds: %s', async (...[, payload, key]) => {
    expect(order.create(payload).key).toBe(key)
    await queue.register([order])
    const [row] = await world.sql<{ id: string }>(`SELECT queue.enqueue('order', $1::jsonb) AS id`, [
      JSON.stringify(payload),
    ])
    expect(await queue.get(row?.id ?? '')).toMatchObject({ key, weight: 3 })
    expect(order.create(payload, { key: 'mine' }).key).toBe('mine')
  })

  test('is no object, and not too long', async () => {
    for (const id of [{}, [], '', 'k'.repeat(256)]) {
      const payload = { customer: { id } }
      expect(issuesOf(() => order.create(payload))).toMatchObject({
        code: 'invalid_job',
        issues: [{ path: ['payload', 'customer', 'id'] }],
      })
    }
  })
})

describe('the limits', () => {
  test('are set, read page by page, and deleted; each change is audited', async () => {
    const acts = queue.actAs({ type: 'token', id: 'token' }).limits
    const rate = { count: 100, perMs: 60_000, burst: 10 }
    const set = await acts.set({ queue: 'mail', scope: 'kind', name: 'send', maxRunning: 5, rate })
    expect(set).toMatchObject({
      queue: 'mail',
      scope: 'kind',
      name: 'send',
      maxRunning: 5,
      rate,
      pausedAt: null,
    })
    await acts.set({ queue: 'mail', scope: 'queue', maxRunning: 7 })
    expect(await queue.limits.get({ queue: 'mail', scope: 'kind', name: 'send' })).toEqual(set)
    const first = await queue.limits.list({ queue: 'mail', limit: 1 })
    expect(first.limits).toEqual([set])
    const second = await queue.limits.list({ queue: 'mail', limit: 1, cursor: first.nextCursor ?? '' })
    expect(second).toMatchObject({ limits: [{ scope: 'queue', name: null }], nextCursor: null })
    await acts.delete({ queue: 'mail', scope: 'kind', name: 'send' })
    await expect(acts.delete({ queue: 'mail', scope: 'kind', name: 'send' })).rejects.toMatchObject({
      code: 'limit_not_found',
    })
    const { entries } = await queue.audit.list()
    expect(entries.map(({ act, target }) => `${act} ${target}`)).toEqual([
      'limit.delete mail kind send',
      'limit.set mail',
      'limit.set mail kind send',
    ])
  })

  test.each([
    [{ scope: 'kind', maxRunning: 1 }, 'name'],
    [{ scope: 'queue', name: 'a', maxRunning: 1 }, 'name'],
    [{ scope: 'kind', name: 'No Kind', maxRunning: 1 }, 'name'],
    [{ scope: 'each_key', paused: true }, 'paused'],
    [{ scope: 'queue', maxRunning: 0 }, 'maxRunning'],
    [{ scope: 'queue', ordered: {} }, 'ordered'],
    [{ scope: 'each_key', fairBy: 'key' }, 'fairBy'],
    [{ scope: 'queue', weight: 2 }, 'weight'],
    [{ scope: 'tenant', name: 'a' }, undefined],
    [{ scope: 'kind', name: 'a', maxWaiting: 2 }, 'maxWaiting'],
    [{ scope: 'queue', maxWaiting: 0 }, 'maxWaiting'],
    [{ scope: 'tenant', name: 'a', weight: 2, maxRunning: 2 }, 'scope'],
    [{ scope: 'queue' }, undefined],
  ] as const)('are refused where they make no sense: %j', async (rule, path) => {
    const setting = queue.limits.set({ queue: 'default', ...rule })
    await expect(setting).rejects.toMatchObject({
      code: 'invalid_limit',
      issues: [{ path: path === undefined ? [] : [path] }],
    })
  })
})

test('their use is told by queue, scope and kind: what runs, what waits, and whether something is held back', async () => {
  await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 9 })
  await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 5 })
  await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
  await queue.limits.set({ queue: 'default', scope: 'key', name: 'c', maxRunning: 3 })
  await queue.limits.set({ queue: 'default', scope: 'tenant', name: 't', weight: 3 })
  await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 3 })
  await enqueueProbes(world, 4, { key: 'a' })
  await enqueueProbes(world, 1, { key: 'b' })
  await enqueueProbes(world, 4)
  const worker = await registered(world)
  const about = { queue: 'default', name: '' }
  const nothing = { running: 0, running_most: 0, waiting: 0, is_holding: false }
  expect(await limitUsage(world.database)).toEqual([
    { ...about, ...nothing, scope: 'each_key', waiting: 5 },
    { ...about, ...nothing, scope: 'key' },
    { ...about, ...nothing, scope: 'kind', name: 'probe', waiting: 9 },
    { ...about, ...nothing, scope: 'queue', waiting: 9 },
  ])
  const jobs = await claim(world, worker)
  expect(jobs).toHaveLength(5)
  const withKey = jobs.filter(({ key }) => key !== null)
  const most = Math.max(...['a', 'b'].map((one) => withKey.filter(({ key }) => key === one).length))
  const [ofKeys, , ofKind, ofQueue] = await limitUsage(world.database)
  expect(ofKeys).toMatchObject({ running: withKey.length, running_most: most, waiting: 5 - withKey.length })
  expect(ofKind).toMatchObject({ running: 5, running_most: 5, waiting: 4, is_holding: true })
  expect(ofQueue).toMatchObject({ running: 5, waiting: 4, is_holding: false })
})

describe('a reconciliation', () => {
  const sweep = async (): Promise<readonly [number, number]> => [
    await reconcileCounters(world.database),
    (await reconcileLanes(world.database, limitsBeginning)).repaired,
  ]
  const long = `now() - interval '2 minutes'`

  test('repairs counters that are wrong, and lets start what they held back', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 3 })
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await enqueueProbes(world, 4, { key: 'a' })
    const worker = await registered(world)
    const running = await claim(world, worker)
    expect(running).toHaveLength(2)
    expect(await sweep()).toEqual([0, 0])
    await world.sql(`UPDATE queue.limit_counters SET running = running + 7`)
    await finish(running)
    expect(await claim(world, worker)).toEqual([])
    expect(await sweep()).toEqual([2, 0])
    expect(await claim(world, worker)).toHaveLength(2)
    await world.sql(`DELETE FROM queue.limit_counters WHERE scope = 'key'`)
    expect(await sweep()).toEqual([1, 0])
    expect(await sweep()).toEqual([0, 0])
  })

  test('finds jobs of which no claim knows, and lanes that are full for no reason', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 1 })
    await enqueueProbes(world, 2, { key: 'lost' })
    await enqueueProbes(world, 2, { key: 'stuck' })
    await world.sql(`UPDATE queue.jobs SET run_at = ${long}; UPDATE queue.lane_events SET due_at = ${long}`)
    const worker = await registered(world)
    const running = await claim(world, worker)
    expect(keysOf(running)).toBe('loststuck')
    await finish(running)
    await world.sql(`DELETE FROM queue.lane_events; UPDATE queue.limit_counters SET running = 0;
      DELETE FROM queue.lanes WHERE key = 'lost'; UPDATE queue.lanes SET turn_at = ${long}`)
    expect(await claim(world, worker)).toEqual([])
    expect(await sweep()).toEqual([0, 2])
    expect(keysOf(await claim(world, worker))).toBe('loststuck')
    expect(await sweep()).toEqual([0, 0])
  })

  test('begins the turns of a fair queue that are not there', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', fairBy: 'tenant' })
    await enqueueProbes(world, 2, { tenantId: 'acme' })
    await enqueueProbes(world, 2, { tenantId: 'acme', key: 'a' })
    const worker = await registered(world)
    expect(await claim(world, worker, { limit: 1 })).toHaveLength(1)
    expect(await reconcileTurns(world.database)).toBe(0)
    await world.sql('DELETE FROM queue.lane_turns')
    expect(await claim(world, worker)).toEqual([])
    // One of the jobs without a key for each priority, and the tenant's own where it still has a lane.
    expect(await reconcileTurns(world.database)).toBe(11)
    expect(await reconcileTurns(world.database)).toBe(0)
    expect(await claim(world, worker)).toHaveLength(3)
  })

  test('goes from page to page over every lane', async () => {
    await enqueueProbes(world, 1, { key: 'a' })
    await world.sql(`INSERT INTO queue.jobs (id, queue, kind, payload, key, run_at)
      SELECT gen_random_uuid(), 'default', 'probe', '{}', 'k' || n, ${long} FROM generate_series(1, 1500) AS n`)
    const first = await reconcileLanes(world.database, limitsBeginning)
    expect(first).toMatchObject({ repaired: 999, next: { waiting: { kind: 'probe' }, full: null } })
    expect(await reconcileLanes(world.database, first.next)).toEqual({ repaired: 501, next: limitsBeginning })
  })
})
