import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { z } from 'zod'
import { ClaimMemory } from '../../src/claims/claim-memory.ts'
import { defineJob } from '../../src/domain/job-definition.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { limitUsage } from '../../src/insight/limit-usage.ts'
import { claimJobs } from '../../src/transitions/claim-jobs.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import {
  claim,
  enqueueProbe,
  enqueueProbes,
  finishAll,
  newWorker,
  patient,
  probe,
} from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { queue } = world

const finish = (jobs: readonly ClaimedJob[]) => finishAll(world, jobs)

const keysOf = (jobs: readonly ClaimedJob[]): string =>
  jobs
    .map(({ key }) => key ?? '-')
    .toSorted()
    .join('')

const catchError = (act: () => unknown): unknown => {
  try {
    return act()
  } catch (error) {
    return error
  }
}

describe('max_running', () => {
  test('of each key holds for each key separately, and not for jobs without a key', async () => {
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
    await enqueueProbes(world, 5, { key: 'a' })
    await enqueueProbes(world, 5, { key: 'b' })
    await enqueueProbes(world, 5)
    const worker = await newWorker(world)
    const first = await claim(world, worker)
    expect(keysOf(first)).toBe('-----aabb')
    expect(await claim(world, worker)).toEqual([])
    await finish(first.filter(({ key }) => key === 'a'))
    expect(keysOf(await claim(world, worker))).toBe('aa')
  })

  test('of a key counts jobs of every kind and priority, separately for each tenant', async () => {
    const otherJob = defineJob({ kind: 'other', payload: z.unknown() })
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', maxRunning: 2 })
    await enqueueProbes(world, 2, { key: 'a', priority: 1 })
    await enqueueProbes(world, 2, { key: 'a' })
    await enqueueProbes(world, 3, { key: 'b' })
    await queue.enqueueMany([otherJob.create({}, { key: 'a' })])
    await enqueueProbes(world, 3, { key: 'a', tenantId: 't' })
    const worker = await newWorker(world)
    const kinds = ['probe', 'other']
    const jobs = await claim(world, worker, { kinds })
    expect(keysOf(jobs)).toBe('aaaabbb')
    expect(jobs.filter(({ key, tenantId }) => key === 'a' && tenantId === null)).toMatchObject([
      { priority: 1 },
      { priority: 1 },
    ])
    expect(await claim(world, worker, { kinds })).toEqual([])
  })

  test('is listed with the number of its running jobs; for a key, those of the tenant with the most', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 9 })
    await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 5 })
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', maxRunning: 2 })
    await enqueueProbes(world, 3, { key: 'a' })
    await enqueueProbes(world, 1, { key: 'a', tenantId: 't' })
    await enqueueProbes(world, 2)
    const worker = await newWorker(world)
    const running = async () =>
      (await queue.limits.list()).limits.map((limit) => [limit.scope, limit.running] as const)
    const idle = [
      ['each_key', null],
      ['key', 0],
      ['queue', 0],
    ]
    expect(await running()).toEqual(idle)
    const jobs = await claim(world, worker)
    expect(await running()).toEqual([
      ['each_key', null],
      ['key', 2],
      ['queue', 5],
    ])
    await finish(jobs)
    await finish(await claim(world, worker))
    expect(await claim(world, worker)).toEqual([])
    expect(await running()).toEqual(idle)
  })

  test('of a queue and of a kind in it hold at once, for jobs with and without a key', async () => {
    await enqueueProbe(world, { key: 'a' })
    const worker = await newWorker(world)
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

  test('a full kind does not hold back another, however long its line', async () => {
    const otherJob = defineJob({ kind: 'other', payload: z.unknown() })
    await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 1 })
    await enqueueProbes(world, 300)
    await queue.enqueueMany([otherJob.create({})])
    const worker = await newWorker(world)
    const kinds = (await claim(world, worker, { kinds: ['probe', 'other'], limit: 50 })).map(
      ({ kind }) => kind,
    )
    expect(kinds.toSorted()).toEqual(['other', 'probe'])
  })

  test('counts what ran before it was set, and lets what runs beyond it go on', async () => {
    await enqueueProbes(world, 3, { key: 'a' })
    const worker = await newWorker(world)
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

  test('a key below its limit continues, however few jobs each claim takes', async () => {
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', maxRunning: 100 })
    await queue.limits.set({
      queue: 'default',
      scope: 'key',
      name: 'b',
      rate: { count: 1, perMs: 1, burst: 100 },
    })
    for (const key of ['a', 'b', 'c']) await enqueueProbes(world, 3, { key })
    const worker = await newWorker(world)
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
      const worker = await newWorker(world)
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
    const worker = await newWorker(world)
    expect(keysOf(await claim(world, worker, { limit: 10 }))).toBe('a')
    await enqueueProbes(world, 1, { key: 'b' })
    expect(keysOf(await claim(world, worker, { limit: 10 }))).toBe('b')
  })
})

describe('rate', () => {
  const perHour = { count: 1, perMs: 3_600_000, burst: 3 }
  /** Lets hours pass for the token buckets. */
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
      const worker = await newWorker(world)
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

  test('says when the next job may start, also if that instant comes while the claim runs', async () => {
    // The bucket refills a token about as often as claims follow each other.
    await queue.limits.set({ queue: 'default', scope: 'queue', rate: { count: 330, perMs: 1_000, burst: 1 } })
    await enqueueProbes(world, 600)
    const workerId = await newWorker(world)
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

  test('says when the next job may start', async () => {
    await queue.limits.set({ queue: 'default', scope: 'queue', rate: { count: 1, perMs: 60_000, burst: 1 } })
    await enqueueProbes(world, 2)
    const { jobs, retryInMs } = await claimJobs(world.database, {
      workerId: await newWorker(world),
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

describe('paused', () => {
  test.each([
    ['a kind', { scope: 'kind', name: 'probe' }],
    ['a key', { scope: 'key', name: 'a' }],
    ['a queue', { scope: 'queue' }],
  ] as const)('%s: none of its jobs starts until it is resumed', async (...[, target]) => {
    await enqueueProbes(world, 2, { key: 'a' })
    const worker = await newWorker(world)
    const limit = await queue.limits.set({ queue: 'default', ...target, paused: true })
    expect(limit.pausedAt).toBeInstanceOf(Date)
    expect(await claim(world, worker)).toEqual([])
    await queue.limits.delete({ queue: 'default', ...target })
    expect(await claim(world, worker)).toHaveLength(2)
  })
})

test('jobs of a paused kind, each with its own key, do not hold up another kind', async () => {
  const otherJob = defineJob({ kind: 'other', payload: z.unknown() })
  await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', paused: true })
  await queue.enqueueMany(Array.from({ length: 30 }, (_, n) => probe.create({}, { key: `k${n}` })))
  await queue.enqueueMany([otherJob.create({}, { key: 'o' })])
  const worker = await newWorker(world)
  const started: ClaimedJob[] = []
  for (let claims = 0; claims < 8; claims += 1)
    started.push(...(await claim(world, worker, { kinds: ['probe', 'other'], limit: 10 })))
  expect(started.map(({ kind }) => kind)).toEqual(['other'])
  await queue.limits.delete({ queue: 'default', scope: 'kind', name: 'probe' })
  expect(await claim(world, worker)).toHaveLength(30)
})

describe('a worker that claims without pause', () => {
  /** Claims jobs of a long lane of key `a`, one at a time, each claim with the memory of the last; returns the key. */
  async function createClaimer(): Promise<() => Promise<string>> {
    await enqueueProbes(world, 1_000, { key: 'a' })
    const workerId = await newWorker(world)
    const memory = new ClaimMemory(['default'])
    const input = { workerId, memory, kinds: ['probe'], limit: 1, eligible: 'any', ...patient } as const
    return async () => keysOf((await claimJobs(world.database, input)).jobs as readonly ClaimedJob[])
  }
  const claimFor = async (ms: number, next: () => Promise<string>): Promise<void> => {
    for (const since = performance.now(); performance.now() - since < ms; ) expect(await next()).toBe('a')
  }

  test('finds a job that is committed late within a second', async () => {
    const next = await createClaimer()
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
    let lateClaims = 0
    const committed = performance.now()
    while ((await next()) !== 'late') if (performance.now() - committed > 1_000) lateClaims += 1
    // Lanes take turns, so the claim that found the job may have taken one of the other lane first.
    expect(lateClaims).toBeLessThanOrEqual(2)
  })

  test('finds at once a job that a changed limit lets start', async () => {
    await queue.limits.set({ queue: 'default', scope: 'key', name: 'b', maxRunning: 1 })
    await enqueueProbes(world, 2, { key: 'b' })
    expect(keysOf(await claim(world, await newWorker(world)))).toBe('b')
    const next = await createClaimer()
    await claimFor(500, next)
    await queue.limits.delete({ queue: 'default', scope: 'key', name: 'b' })
    expect([await next(), await next()]).toContain('b')
  })
})

describe('a job that comes back', () => {
  test('waits in its lane until it is due, and is claimed then', async () => {
    await enqueueProbe(world, { key: 'a' })
    const worker = await newWorker(world)
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

  test('is not an object, and not too long', async () => {
    for (const id of [{}, [], '', 'k'.repeat(256)]) {
      const payload = { customer: { id } }
      expect(catchError(() => order.create(payload))).toMatchObject({
        code: 'invalid_job',
        issues: [{ path: ['payload', 'customer', 'id'] }],
      })
    }
  })
})

describe('a change of a limit', () => {
  const target = { queue: 'default', scope: 'key', name: 'a' } as const
  const rate = { count: 3, perMs: 1_000, burst: 2 }

  test('leaves what it does not name as it is, and removes what it sets to null', async () => {
    await queue.limits.set({ ...target, maxRunning: 5, rate, weight: 2 })
    const { pausedAt } = await queue.limits.change({ ...target, paused: true })
    expect(pausedAt).not.toBeNull()
    expect(await queue.limits.change({ ...target, maxRunning: 1, rate: null })).toMatchObject({
      maxRunning: 1,
      rate: null,
      weight: 2,
      pausedAt,
    })
    expect(await queue.limits.change({ ...target, paused: false })).toMatchObject({
      maxRunning: 1,
      pausedAt: null,
    })
  })

  test('sets the limit where there is none, and deletes it where nothing is left of it', async () => {
    expect(await queue.limits.change({ ...target, paused: true })).toMatchObject({ maxRunning: null })
    expect((await queue.limits.get(target))?.pausedAt).not.toBeNull()
    const emptied = await queue.limits.change({ ...target, paused: false })
    expect(emptied).toMatchObject({ ...target, maxRunning: null, pausedAt: null })
    expect(await queue.limits.get(target)).toBeUndefined()
    const again = queue.limits.change({ ...target, paused: false })
    await expect(again).rejects.toMatchObject({ code: 'invalid_limit' })
    await expect(queue.limits.change({ ...target, scope: 'queue', paused: true })).rejects.toMatchObject({
      code: 'invalid_limit',
    })
  })

  test('is made only to the version that its caller has read, and each change makes another', async () => {
    const { limits } = queue
    const first = await limits.set({ ...target, maxRunning: 1 }, { ifUpdatedAt: null })
    const changed = { code: 'limit_changed' }
    await expect(limits.set({ ...target, maxRunning: 2 }, { ifUpdatedAt: null })).rejects.toMatchObject(
      changed,
    )
    const versions = [first]
    for (let n = 2; n <= 20; n += 1) {
      const { updatedAt } = versions.at(-1) ?? first
      versions.push(await limits.change({ ...target, maxRunning: n }, { ifUpdatedAt: updatedAt }))
    }
    expect(new Set(versions.map(({ updatedAt }) => updatedAt.getTime())).size).toBe(20)
    const last = versions.at(-1) ?? first
    for (const { updatedAt } of versions.slice(0, -1)) {
      const options = { ifUpdatedAt: updatedAt }
      await expect(limits.set({ ...target, maxRunning: 99 }, options)).rejects.toMatchObject(changed)
      await expect(limits.change({ ...target, paused: true }, options)).rejects.toMatchObject(changed)
      await expect(limits.delete(target, options)).rejects.toMatchObject(changed)
    }
    expect(await limits.get(target)).toEqual(last)
    await limits.delete(target, { ifUpdatedAt: last.updatedAt })
    const gone = limits.set({ ...target, maxRunning: 1 }, { ifUpdatedAt: last.updatedAt })
    await expect(gone).rejects.toMatchObject(changed)
    expect(await limits.get(target)).toBeUndefined()
  })

  test.each([
    { ifUpdatedat: new Date() },
    { ifUpdatedAt: '2026-01-15T09:30:00.000Z' },
    { ifUpdatedAt: new Date('x') },
  ])('is refused with the options %j, and nothing is written', async (options) => {
    const { limits } = queue
    const set = await limits.set({ ...target, maxRunning: 1 })
    const refused = { code: 'invalid_options' }
    await expect(limits.set({ ...target, maxRunning: 1 }, options as object)).rejects.toMatchObject(refused)
    await expect(limits.change({ ...target, maxRunning: 1 }, options as object)).rejects.toMatchObject(
      refused,
    )
    await expect(limits.delete(target, options as object)).rejects.toMatchObject(refused)
    expect(await limits.get(target)).toEqual(set)
  })

  test('beside a change of each other member keeps both', async () => {
    const changes = { maxRunning: 7, rate, weight: 3, paused: true } as const
    const members = Object.keys(changes) as (keyof typeof changes)[]
    for (const first of members) {
      for (const second of members.filter((member) => member !== first)) {
        await queue.limits.set({ ...target, maxRunning: 1, weight: 1 })
        await Promise.all(
          [first, second].map((member) => queue.limits.change({ ...target, [member]: changes[member] })),
        )
        const { pausedAt, ...limit } = (await queue.limits.get(target)) ?? { pausedAt: null }
        expect({ ...limit, paused: pausedAt !== null }).toMatchObject({
          [first]: changes[first],
          [second]: changes[second],
        })
      }
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
    expect(first.limits).toEqual([{ ...set, running: 0 }])
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

test('the use of limits is counted by queue, scope and kind: running jobs, waiting jobs, and whether jobs are held back', async () => {
  await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 9 })
  await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 5 })
  await queue.limits.set({ queue: 'default', scope: 'each_key', maxRunning: 2 })
  await queue.limits.set({ queue: 'default', scope: 'key', name: 'c', maxRunning: 3 })
  await queue.limits.set({ queue: 'default', scope: 'tenant', name: 't', weight: 3 })
  await queue.limits.set({ queue: 'mail', scope: 'queue', maxWaiting: 3 })
  await enqueueProbes(world, 4, { key: 'a' })
  await enqueueProbes(world, 1, { key: 'b' })
  await enqueueProbes(world, 4)
  const worker = await newWorker(world)
  const queueLimit = { queue: 'default', name: '' }
  const noUsage = { running: 0, running_most: 0, waiting: 0, is_holding: false }
  expect(await limitUsage(world.database)).toEqual([
    { ...queueLimit, ...noUsage, scope: 'each_key', waiting: 5 },
    { ...queueLimit, ...noUsage, scope: 'key' },
    { ...queueLimit, ...noUsage, scope: 'kind', name: 'probe', waiting: 9 },
    { ...queueLimit, ...noUsage, scope: 'queue', waiting: 9 },
  ])
  const jobs = await claim(world, worker)
  expect(jobs).toHaveLength(5)
  const withKey = jobs.filter(({ key }) => key !== null)
  const mostOfOneKey = Math.max(...['a', 'b'].map((name) => withKey.filter(({ key }) => key === name).length))
  const [ofKeys, , ofKind, ofQueue] = await limitUsage(world.database)
  expect(ofKeys).toMatchObject({
    running: withKey.length,
    running_most: mostOfOneKey,
    waiting: 5 - withKey.length,
  })
  expect(ofKind).toMatchObject({ running: 5, running_most: 5, waiting: 4, is_holding: true })
  expect(ofQueue).toMatchObject({ running: 5, waiting: 4, is_holding: false })
})

test('a job that has ended counts nowhere, although no claim has applied its end', async () => {
  await queue.limits.set({ queue: 'default', scope: 'queue', maxRunning: 3 })
  await queue.limits.set({ queue: 'default', scope: 'kind', name: 'probe', maxRunning: 3 })
  await queue.limits.set({ queue: 'default', scope: 'key', name: 'a', maxRunning: 1 })
  await enqueueProbes(world, 2)
  await enqueueProbes(world, 2, { key: 'a' })
  const worker = await newWorker(world)
  const jobs = await claim(world, worker)
  const runningOf = async () =>
    (await queue.limits.list()).limits.map(({ scope, running }) => [scope, running])
  expect(await runningOf()).toEqual([
    ['key', 1],
    ['kind', 3],
    ['queue', 3],
  ])
  const holding = async () =>
    (await limitUsage(world.database)).flatMap(({ scope, is_holding: isHolding }) =>
      isHolding ? [scope] : [],
    )
  expect(await holding()).toEqual(['kind', 'queue'])
  await queue.pause('default')
  await finishAll(world, jobs)
  expect(await runningOf()).toEqual([
    ['key', 0],
    ['kind', 0],
    ['queue', 0],
  ])
  expect(await holding()).toEqual([])
})
