import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { seeded } from '@queue/dev-postgres'
import { transactionSession } from '@queue/postgres'
import fc from 'fast-check'
import { databaseOn } from '../../src/database/connect.ts'
import type { JobOptions } from '../../src/domain/job-definition.ts'
import type { ClaimedJob } from '../../src/domain/job.ts'
import { errorVersionsMax } from '../../src/domain/limits.ts'
import { addCounts, noCounts } from '../../src/insight/add-counts.ts'
import type { ErrorRange } from '../../src/insight/error-trends.ts'
import { type ErrorFilter, listErrors } from '../../src/insight/list-errors.ts'
import { pruneErrors } from '../../src/insight/prune-errors.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { retryOrDeadLetterJobs } from '../../src/transitions/retry-or-dead-letter-jobs.ts'
import { claim, enqueueProbes, newWorker } from '../support/builders.ts'
import { rowsRead } from '../support/plans.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(async () => {
  await world.reset()
  // A test that runs across the end of an hour would count in two hours.
  const leftMs = hourMs - (Date.now() % hourMs)
  if (leftMs < testMsMax) await sleep(leftMs)
})

const { queue, database } = world
const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** More than a test of this file takes on a busy machine. */
const testMsMax = 30_000
const [cause, otherCause] = ['a'.repeat(16), 'b'.repeat(16)] as const

const failureOf = ({ lease }: ClaimedJob, fingerprint: string = cause) => ({
  lease,
  error: `Error: ${fingerprint}`,
  cause: { errorClass: 'Error', fingerprint },
  waitMs: 0,
  permanent: true,
})

interface FailureOptions extends Pick<JobOptions, 'tenantId'> {
  readonly version?: string
  readonly fingerprint?: string
}

/** Makes `count` jobs fail now, at one worker, in one statement. */
async function failJobs(
  count: number,
  { version = '1.0.0', fingerprint, ...options }: FailureOptions = {},
): Promise<void> {
  await enqueueProbes(world, count, options)
  const jobs = await claim(world, await newWorker(world, { version }))
  await retryOrDeadLetterJobs(
    database,
    jobs.map((job) => failureOf(job, fingerprint)),
  )
}

/** Moves all counts back by whole hours, as if time had passed. */
async function passHours(hours: number): Promise<void> {
  await world.sql(
    `WITH old AS (DELETE FROM queue.job_error_days RETURNING *), seen AS (
       SELECT o.error_id, o.version, o.tenant_id, h.count, o.day + (h.n - 1 - $1) * interval '1 hour' AS at
         FROM old AS o CROSS JOIN LATERAL unnest(o.hours) WITH ORDINALITY AS h (count, n) WHERE h.count > 0
     ), days AS (
       SELECT error_id, version, tenant_id, date_trunc('day', at, 'UTC') AS day, sum(count) AS count FROM seen GROUP BY 1, 2, 3, 4
     )
     INSERT INTO queue.job_error_days (error_id, version, tenant_id, day, count, hours)
     SELECT d.*, ARRAY(SELECT coalesce((SELECT sum(s.count) FROM seen AS s
                                         WHERE (s.error_id, s.version, s.at) = (d.error_id, d.version, d.day + n * interval '1 hour')), 0)::int
                         FROM generate_series(0, 23) AS n)
       FROM days AS d`,
    [hours],
  )
  await world.sql(
    `UPDATE queue.job_errors SET first_seen_at = first_seen_at - $1 * interval '1 hour', last_seen_at = last_seen_at - $1 * interval '1 hour'`,
    [hours],
  )
}

interface WrittenDay {
  readonly fingerprint: string
  readonly tenant: string
  readonly day: number
  readonly version: string
  readonly hours: readonly number[]
}

/**
 * Random failures of eight causes in the hours of five days, each with three versions; every other cause belongs to a
 * tenant.
 */
function daysBefore(today: number): fc.Arbitrary<WrittenDay[]> {
  const keys = Array.from('01234567').flatMap((digit) =>
    [0, 1, 2, 3, 4].flatMap((age) =>
      ['', '1.0.0', '1.1.0'].map((version) => ({
        fingerprint: digit.repeat(16),
        tenant: Number(digit) % 2 === 0 ? 'acme' : '',
        day: today - age * dayMs,
        version,
      })),
    ),
  )
  const count = fc.oneof({ weight: 4, arbitrary: fc.constant(0) }, fc.integer({ min: 1, max: 3 }))
  const hours = fc.array(count, { minLength: 24, maxLength: 24, size: 'max' })
  return fc.tuple(...keys.map(() => hours)).map((hoursByKey) =>
    keys.map((key, index) => ({
      ...key,
      hours: (hoursByKey[index] ?? []).map((failures, hour) =>
        key.day + hour * hourMs > Date.now() ? 0 : failures,
      ),
    })),
  )
}

/** `[fingerprint, count]` of the causes with failures in the time, in the order of a list sorted by count. */
function countsInRange(rows: readonly WrittenDay[], { from, to }: ErrorRange): (readonly [string, number])[] {
  const isIn = (at: number): boolean => at >= from.getTime() && at < to.getTime()
  return [...Map.groupBy(rows, ({ fingerprint }) => fingerprint)]
    .map(([fingerprint, days]) => {
      const counts = days.flatMap(({ day, hours }) => hours.filter((_, hour) => isIn(day + hour * hourMs)))
      return [fingerprint, sum(counts)] as const
    })
    .filter(([, count]) => count > 0)
    .toSorted(([one, most], [other, next]) => next - most || (one < other ? 1 : -1))
}

/** Inserts groups that were last seen now, with these days; a group without failures is left out. */
async function writeDays(rows: readonly WrittenDay[]): Promise<void> {
  const days = rows
    .map(({ day, ...row }) => ({ ...row, day: new Date(day), count: sum(row.hours) }))
    .filter(({ count }) => count > 0)
  await world.sql(
    `WITH days AS (
       SELECT * FROM json_to_recordset($1::json) AS d (fingerprint text, tenant text, day timestamptz, version text, count int, hours int[])
     ), groups AS (
       INSERT INTO queue.job_errors (tenant_id, queue, fingerprint, kind, error_class, count, first_seen_at, last_seen_at, worker_versions,
                                     sampled_at, sample_job_id, sample_error)
       SELECT tenant, 'default', fingerprint, 'probe', 'Error', sum(count), min(day), now(), '{}', now(), gen_random_uuid(), 'Error'
         FROM days GROUP BY tenant, fingerprint
       RETURNING id, tenant_id, fingerprint
     )
     INSERT INTO queue.job_error_days (error_id, tenant_id, day, version, count, hours)
     SELECT g.id, g.tenant_id, d.day, d.version, d.count, d.hours FROM days AS d JOIN groups AS g USING (fingerprint)`,
    [JSON.stringify(days)],
  )
}

const ago = (ms: number): Date => new Date(Date.now() - ms)
const hourOf = (at: Date): number => Math.floor(at.getTime() / hourMs) * hourMs
const sum = (counts: readonly number[]): number => counts.reduce((total, count) => total + count, 0)

async function listInRange(filter: ErrorFilter) {
  const { groups } = await queue.errors(filter)
  return groups.map(({ fingerprint, inRange: counts }) => [fingerprint, counts?.count])
}

/** The counts of each cause: of its group, of its days, and of their hours. */
function readCounts(): Promise<
  { fingerprint: string; count: number; days: number; hours: number; rows: number }[]
> {
  return world.sql(
    `SELECT e.fingerprint, e.count::int, sum(d.count)::int AS days, sum((SELECT sum(h) FROM unnest(d.hours) AS h))::int AS hours,
            count(*)::int AS rows
       FROM queue.job_errors AS e LEFT JOIN queue.job_error_days AS d ON d.error_id = e.id
      GROUP BY e.tenant_id, e.queue, e.fingerprint ORDER BY e.fingerprint`,
  )
}

describe('the failures of a cause', () => {
  test('are counted by the hour and the version of the worker, exactly, by processes that fail at once', async () => {
    await enqueueProbes(world, 300, { maxAttempts: 1 })
    const { seed } = seeded('failures at once')
    const sizes = fc.sample(fc.integer({ min: 1, max: 12 }), { seed, numRuns: 300 })
    const causes = fc.sample(fc.integer({ min: 0, max: 4 }), { seed, numRuns: 300 })
    const workers = await Promise.all(
      ['1.0.0', '1.1.0', '1.2.0'].map((version) => newWorker(world, { version })),
    )
    const expected = new Map<string, number>()
    const fingerprints = ['1', '2', '3', '4', '5'].map((digit) => digit.repeat(16))
    await Promise.all(
      workers.map(async (worker) => {
        for (;;) {
          const jobs = await claim(world, worker, { limit: sizes.pop() ?? 1 })
          if (jobs.length === 0) return
          const writes = jobs.map((job) => failureOf(job, fingerprints[causes.pop() ?? 0]))
          for (const { cause: of } of writes)
            expected.set(of.fingerprint, (expected.get(of.fingerprint) ?? 0) + 1)
          // Sent again after a lost reply, it counts nothing.
          await retryOrDeadLetterJobs(database, writes)
          await retryOrDeadLetterJobs(database, writes)
        }
      }),
    )
    expect(sum([...expected.values()])).toBe(300)
    expect(await readCounts()).toEqual(
      fingerprints.map((fingerprint) => {
        const count = expected.get(fingerprint)
        return { fingerprint, count, days: count, hours: count, rows: expect.any(Number) }
      }),
    )
    const { groups } = await queue.errors({ from: ago(0), by: 'version' })
    for (const group of groups) {
      expect(group.inRange).toMatchObject({ count: group.count, trend: [group.count] })
      expect(sum((group.inRange?.versions ?? []).map(({ count }) => count))).toBe(group.count)
    }
  })

  test('count nothing where the statement that records them is undone', async () => {
    await failJobs(1)
    await enqueueProbes(world, 1)
    const jobs = await claim(world, await newWorker(world))
    const session = await world.session()
    await session.query('BEGIN')
    const within = databaseOn(transactionSession(session), 'queue')
    await retryOrDeadLetterJobs(
      within,
      jobs.map((job) => failureOf(job)),
    )
    await session.query('ROLLBACK')
    expect(await readCounts()).toMatchObject([{ count: 1, days: 1, hours: 1 }])
  })

  test('of more versions than are counted apart on a day are counted with no version, and none is lost', async () => {
    const versions = Array.from({ length: errorVersionsMax + 3 }, (_, index) => `1.${index}.0`)
    for (const version of versions) await failJobs(2, { version })
    await failJobs(1, { version: '1.0.0' })
    const total = 2 * versions.length + 1
    expect(await readCounts()).toMatchObject([
      { count: total, days: total, hours: total, rows: errorVersionsMax + 1 },
    ])
    const [group] = (await queue.errors({ from: ago(0), by: 'version' })).groups
    expect(group?.firstVersion).toBe('1.0.0')
    expect(group?.workerVersions).toHaveLength(errorVersionsMax)
    const versionCounts = group?.inRange?.versions ?? []
    const separate = versions.slice(0, errorVersionsMax)
    expect(versionCounts.map(({ version }) => version)).toEqual([...separate, null])
    expect(versionCounts.map(({ count }) => count)).toEqual([
      3,
      ...Array<number>(errorVersionsMax - 1).fill(2),
      6,
    ])
    // On the next day other versions may be the first.
    await passHours(24)
    await failJobs(1, { version: '2.0.0' })
    expect((await queue.errors({ from: ago(0), by: 'version' })).groups[0]?.inRange?.versions).toEqual([
      { version: '2.0.0', count: 1, trend: [1] },
    ])
  })

  test('of one statement with a thousand causes take linear time', async () => {
    await enqueueProbes(world, 1_000)
    const jobs = await claim(world, await newWorker(world))
    await retryOrDeadLetterJobs(
      database,
      jobs.map((job, index) => failureOf(job, index.toString(16).padStart(16, '0'))),
    )
    const groups = await readCounts()
    expect(groups).toHaveLength(1_000)
    expect(new Set(groups.map(({ count, days, hours }) => [count, days, hours].join()))).toEqual(
      new Set(['1,1,1']),
    )
  })
})

describe('a time', () => {
  test('has the failures from the hour in which it begins to the hour in which it ends', async () => {
    await failJobs(1)
    await passHours(3)
    await failJobs(2)
    await passHours(2)
    await failJobs(4)
    const at = (hours: number): Date => new Date(hourOf(ago(hours * hourMs)) + hourMs / 2)
    expect(await listInRange({ from: at(5) })).toEqual([[cause, 7]])
    expect(await listInRange({ from: at(4) })).toEqual([[cause, 6]])
    expect(await listInRange({ from: at(1) })).toEqual([[cause, 4]])
    expect(await listInRange({ from: at(4), to: at(1) })).toEqual([[cause, 2]])
    expect(await listInRange({ to: at(4) })).toEqual([[cause, 1]])
    // A group without failures in the time is left out.
    expect(await listInRange({ from: at(4), to: at(3) })).toEqual([])
    expect(await listInRange({ from: at(-1) })).toEqual([])
    const [group] = (await queue.errors({ from: at(5) })).groups
    expect(group?.inRange?.trend).toEqual([1, 0, 0, 2, 0, 4])
    expect(group?.count).toBe(7)
    expect((await queue.errors()).groups).toMatchObject([{ inRange: null }])
  })

  test.each([1, 24, 46, 48, 24 * 7, 24 * 14, 24 * 30, 24 * 400])(
    'of %d hours has a trend of at most 48 points, whose sum is the count, and all that was seen',
    async (hours) => {
      const seen = [
        [3, 534],
        [2, 150],
        [4, 30],
        [1, 0],
      ] as const
      for (const [index, [count, age]] of seen.entries()) {
        await failJobs(count)
        await passHours(age - (seen[index + 1]?.[1] ?? age))
      }
      const from = ago(hours * hourMs)
      const { groups, range } = await queue.errors({ from })
      if (range === null) throw new Error('a time was asked for')
      const points = Math.ceil((range.to.getTime() - range.from.getTime()) / range.stepMs)
      expect(points).toBeLessThanOrEqual(48)
      expect(range.stepMs % hourMs).toBe(0)
      expect(range.from.getTime() % range.stepMs).toBe(0)
      if (hours < 700) expect(range.from.getTime()).toBeLessThanOrEqual(from.getTime())
      expect(range.from.getTime()).toBeGreaterThan(
        Math.max(from.getTime(), ago(31 * dayMs).getTime()) - range.stepMs,
      )
      const [group] = groups
      expect(group?.inRange?.trend).toHaveLength(points)
      const isIn = (age: number): boolean => hourOf(ago(age * hourMs)) >= range.from.getTime()
      const expected = seen.filter(([, age]) => isIn(age)).map(([count]) => count)
      expect(group?.inRange?.count).toBe(sum(expected))
      expect(sum(group?.inRange?.trend ?? [])).toBe(sum(expected))
    },
  )

  test('sorts causes by the failures of its own hours, wherever it begins and ends', async () => {
    const { seed } = seeded('hours of a time')
    const today = Math.floor(Date.now() / dayMs) * dayMs
    const rows = fc.sample(daysBefore(today), { seed, numRuns: 1 }).flat()
    await writeDays(rows)
    const instant = fc.integer({ min: -2, max: 5 * 48 }).map((half) => today + dayMs - (half * hourMs) / 2)
    const pairs = fc.sample(fc.tuple(instant, instant), { seed, numRuns: 60 })
    for (const pair of pairs) {
      const from = new Date(Math.min(...pair))
      const to = new Date(Math.max(...pair))
      for (const filter of [{ from, to }, { from }, { from, to, tenantId: 'acme' }] as ErrorFilter[]) {
        const { groups, range } = await queue.errors({ ...filter, sort: 'count' })
        if (range === null) throw new Error('a time was asked for')
        const found = groups.map(({ fingerprint, inRange: counts }) => [fingerprint, counts?.count])
        const visibleRows = rows.filter(({ tenant }) => tenant === (filter.tenantId ?? tenant))
        expect({ filter, found }).toEqual({ filter, found: countsInRange(visibleRows, range) })
      }
    }
  })

  test('gives the share of the attempts of the kind that failed with this cause, by the statistics of its hours', async () => {
    await failJobs(5)
    const row = {
      ...noCounts,
      period: 'hour',
      queue: 'default',
      kind: 'probe',
      tenant_id: '',
      wait_buckets: {},
      run_buckets: {},
    } as const
    const at = hourOf(new Date())
    expect((await queue.errors({ from: ago(0) })).groups[0]?.inRange?.share).toBeNull()
    await addCounts(database, [
      { ...row, at, succeeded: 12, failed: 5, retried: 3, cancelled: 9, started: 90 },
      { ...row, at: at - 2 * hourMs, succeeded: 80 },
      { ...row, at, kind: 'another', succeeded: 1_000 },
      { ...row, at, kind: '*', succeeded: 1_000 },
    ])
    expect((await queue.errors({ from: ago(0) })).groups[0]?.inRange?.share).toBe(0.25)
    expect((await queue.errors({ from: ago(2 * hourMs) })).groups[0]?.inRange?.share).toBe(0.05)
    // The hour that begins where the time ends does not belong to it.
    await passHours(2)
    const ended = { from: new Date(at - 2 * hourMs), to: new Date(at) }
    expect((await queue.errors(ended)).groups[0]?.inRange?.share).toBe(5 / 80)
  })
})

describe('a list', () => {
  async function failThreeCauses(): Promise<void> {
    await failJobs(9, { fingerprint: otherCause })
    await passHours(50)
    await failJobs(3)
    await passHours(2)
    await failJobs(1, { fingerprint: otherCause })
    await failJobs(2, { fingerprint: 'c'.repeat(16) })
  }

  test.each([
    [{ sort: 'last' }, 'cba'],
    [{ sort: 'first' }, 'cab'],
    [{ sort: 'count' }, 'bac'],
    [{ sort: 'count', from: ago(10 * hourMs) }, 'acb'],
    [{ sort: 'first', from: ago(10 * hourMs) }, 'cab'],
    [{ from: ago(0) }, 'cb'],
  ] as const)('of %j continues where the page before ended', async (filter, order) => {
    await failThreeCauses()
    const found: string[] = []
    let cursor: string | null | undefined
    do {
      const page = await queue.errors({ ...filter, limit: 1, ...(cursor && { cursor }) })
      found.push(...page.groups.map(({ fingerprint }) => fingerprint[0] ?? ''))
      cursor = page.nextCursor
    } while (cursor !== null)
    expect(found.join('')).toBe(order)
  })

  test('refuses a cursor of another order', async () => {
    await failThreeCauses()
    const { nextCursor: cursor } = await queue.errors({ limit: 1, sort: 'count' })
    for (const sort of ['last', 'first'] as const) {
      await expect(queue.errors({ cursor: cursor ?? '', sort })).rejects.toMatchObject({
        code: 'invalid_cursor',
      })
    }
  })

  test('shows each caller only failures within its bounds', async () => {
    await failJobs(1, { tenantId: 'acme' })
    await failJobs(2, { tenantId: 'evil' })
    await failJobs(4)
    for (const [tenantId, count] of [
      ['acme', 1],
      ['evil', 2],
    ] as const) {
      const scoped = scopeQueue(queue, { tenantId })
      const { groups } = await scoped.errors({ from: ago(0), by: 'version' })
      expect(groups).toMatchObject([
        { tenantId, inRange: { count, versions: [{ version: '1.0.0', count }] } },
      ])
    }
    expect((await listErrors(database, { from: ago(0), tenantId: 'acme' })).groups).toHaveLength(1)
  })
})

describe('what is read', () => {
  const groups = 400
  const days = 31

  beforeEach(async () => {
    await world.sql(
      `INSERT INTO queue.job_errors (queue, fingerprint, kind, error_class, count, first_seen_at, last_seen_at, worker_versions,
                                     sampled_at, sample_job_id, sample_error)
       SELECT 'default', left(md5(n::text), 16), 'probe', 'Error', 24 * $2, now() - interval '30 days', now(), '{}', now(),
              gen_random_uuid(), 'Error' FROM generate_series(1, $1) AS n`,
      [groups, days],
    )
    await world.sql(
      `INSERT INTO queue.job_error_days (error_id, day, version, count, hours)
       SELECT e.id, date_trunc('day', now(), 'UTC') - n * interval '24 hours', '', 24, array_fill(1, ARRAY[24])
         FROM queue.job_errors AS e, generate_series(0, $1 - 1) AS n`,
      [days],
    )
    await world.sql('VACUUM ANALYZE queue.job_errors, queue.job_error_days')
  })

  test.each([
    ['a page of a day', { from: ago(20 * hourMs) }, groups + 10 * 2],
    ['a page of a month', { from: ago(30 * dayMs) }, groups + 10 * days],
    [
      'the causes that failed most in a day',
      { from: ago(20 * hourMs), sort: 'count' },
      2 * groups + 2 * groups + 10 * 2,
    ],
    [
      'the causes that failed most in a month',
      { from: ago(30 * dayMs), sort: 'count' },
      groups + days * groups + 10 * days,
    ],
  ] as const)('for %s grows with its rows, and not with those of others', async (_what, filter, rows) => {
    const read = await rowsRead(await world.session(), database, (db) =>
      listErrors(db, { ...filter, limit: 9 }),
    )
    expect(read).toBeGreaterThan(0)
    // Index entries that lead to rows of the table count as read too.
    expect(read).toBeLessThanOrEqual(2 * rows)
  })
})

describe('prune', () => {
  test('removes days past their retention, and groups with all their days', async () => {
    await failJobs(1)
    await passHours(24 * 31 + 1)
    await failJobs(2)
    await failJobs(1, { fingerprint: otherCause })
    expect(await pruneErrors(database, null)).toBe(0)
    expect(await readCounts()).toMatchObject([
      { fingerprint: cause, count: 3, days: 2, hours: 2 },
      { fingerprint: otherCause, count: 1, days: 1 },
    ])
    await passHours(24 * 3)
    await failJobs(1, { fingerprint: otherCause })
    expect(await pruneErrors(database, 2 * dayMs)).toBe(1)
    expect(await readCounts()).toMatchObject([{ fingerprint: otherCause, count: 2, days: 2 }])
    expect(await world.sql('SELECT count(*)::int AS days FROM queue.job_error_days')).toEqual([{ days: 2 }])
  })
})
