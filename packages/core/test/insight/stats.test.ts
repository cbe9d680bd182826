import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until } from '@queue/dev-postgres'
import fc from 'fast-check'
import type { QueueDatabase } from '../../src/database/connect.ts'
import { bucketOf, percentilesOf } from '../../src/domain/histogram.ts'
import { statsSeriesMax, statsTalliesMax } from '../../src/domain/limits.ts'
import { type CountsRow, separateSeries } from '../../src/insight/add-counts.ts'
import { createJobCounter } from '../../src/insight/job-counter.ts'
import { pruneStats } from '../../src/insight/prune-stats.ts'
import { scopeQueue } from '../../src/tenants/scoped-queue.ts'
import { enqueueProbe, enqueueProbes, newWorker, runningJob } from '../support/builders.ts'
import { openWorld } from '../support/world.ts'

const world = await openWorld()
const { queue, database } = world
afterAll(() => world.close())
beforeEach(() => world.reset())

const seriesOf = (kind: string, tenantId: string | null = null, name = 'default') => ({
  queue: name,
  kind,
  tenantId,
})
const minuteMs = 60_000
const hourMs = 60 * minuteMs

/** Milliseconds since 1970 by the database's clock. */
async function now(): Promise<number> {
  const [row] = await world.sql<{ ms: number }>(
    `SELECT floor(extract(epoch FROM now()) * 1000)::float8 AS ms`,
  )
  return row?.ms ?? 0
}

/** Counts what `run` reports, flushes, and returns how many counts were dropped. */
async function countWith(
  run: (counter: ReturnType<typeof createJobCounter>) => void,
  target: QueueDatabase = database,
): Promise<number> {
  let dropped = 0
  const counter = createJobCounter({ database: target, onDropped: (counts) => (dropped += counts) })
  run(counter)
  await counter.flush()
  return dropped
}

describe('percentiles', () => {
  test('are within 5 % of the exact ones, whatever the durations', () => {
    const duration = fc.oneof(
      fc.double({ min: 0.011, max: 10, noNaN: true }),
      fc.double({ min: 1, max: 90 * 86_400_000, noNaN: true }),
    )
    const property = fc.property(fc.array(duration, { minLength: 1, maxLength: 400 }), (durations) => {
      const buckets = new Map<number, number>()
      for (const ms of durations) buckets.set(bucketOf(ms), (buckets.get(bucketOf(ms)) ?? 0) + 1)
      const sorted = durations.toSorted((a, b) => a - b)
      const exact = (share: number) => sorted[Math.ceil(share * sorted.length) - 1] as number
      const shown = percentilesOf(buckets)
      for (const [name, share] of [
        ['p50', 0.5],
        ['p95', 0.95],
        ['p99', 0.99],
      ] as const) {
        expect(Math.abs((shown?.[name] ?? 0) / exact(share) - 1)).toBeLessThan(0.05)
      }
    })
    fc.assert(property, { numRuns: 1_000 })
  })

  test('ignore invalid durations', () => {
    expect([-1, 0, Number.NaN, Number.POSITIVE_INFINITY].map((ms) => Number.isInteger(bucketOf(ms)))).toEqual(
      Array.from({ length: 4 }, () => true),
    )
    expect(percentilesOf(new Map())).toBeNull()
  })
})

describe('what was counted', () => {
  test('is in its minute and its hour, of its tenant and of all, by whatever number of processes', async () => {
    const atMs = (await now()) - 5 * minuteMs
    for (const tenantId of ['acme', 'acme', null]) {
      await countWith((counter) => {
        counter.started({
          ...seriesOf('probe', tenantId),
          claimedAt: new Date(atMs),
          waitUs: 200_000,
        })
        counter.ended(seriesOf('probe', tenantId), { how: 'succeeded', atMs, runMs: 1_000 })
      })
    }
    const total = { started: 3, succeeded: 3, failed: 0, waitMs: { p95: 192.4 }, runMs: { p50: 972.3 } }
    for (const step of ['minute', 'hour', 'day'] as const) {
      const stats = await queue.stats({ step })
      expect(stats).toMatchObject({ step, total, series: [] })
      const series = [{ queue: 'default', kind: 'probe', ...total }]
      expect(await queue.stats({ step, by: 'series' })).toMatchObject({ step, total, series, points: [] })
      expect(await queue.stats({ step, by: 'queue' })).toMatchObject({
        total,
        series: [{ queue: 'default', kind: null, ...total }],
        points: [],
      })
      expect(await queue.stats({ step, queue: 'default' })).toMatchObject({ total })
      const points = stats.points.filter(({ started }) => started > 0)
      expect(points).toMatchObject([{ at: expect.any(Date), ...total }])
      expect(stats.points.every(({ at }) => at >= stats.from && at < stats.to)).toBe(true)
    }
    expect(await queue.stats({ tenantId: 'acme' })).toMatchObject({ total: { started: 2, succeeded: 2 } })
    expect(await queue.stats({ tenantId: 'other' })).toMatchObject({ total: { started: 0, waitMs: null } })
    expect(await queue.stats({ kind: 'probe', queue: 'default' })).toMatchObject({ total })
    expect(await queue.stats({ kind: 'other' })).toMatchObject({ total: { started: 0 } })
    expect(await queue.stats({ kind: 'other', by: 'series' })).toMatchObject({ series: [] })
  })

  test('is not in a range that ends before it, and adjoining ranges add up', async () => {
    const startMs = Math.floor((await now()) / minuteMs) * minuteMs - 10 * minuteMs
    await countWith((counter) => {
      for (const atMs of [startMs - minuteMs, startMs + 40_000]) {
        counter.started({
          ...seriesOf('probe', null),
          claimedAt: new Date(atMs),
          waitUs: 0,
        })
      }
    })
    const cut = new Date(startMs + 20_000)
    for (const step of ['minute', 'hour', 'day'] as const) {
      const before = await queue.stats({ step, to: cut, from: new Date(startMs - 86_400_000) })
      const after = await queue.stats({ step, from: cut })
      expect(before.to.getTime()).toBeLessThanOrEqual(cut.getTime())
      expect(after.from).toEqual(before.to)
      expect([before.total.started + after.total.started, step === 'minute' && before.total.started]).toEqual(
        [2, step === 'minute' && 1],
      )
    }
  })

  test('is enqueued in the minute of its creation, once, at its first claim or its cancel', async () => {
    const startedJob = await runningJob(world)
    const [cancelled, tenantJob] = [
      await enqueueProbe(world),
      await enqueueProbe(world, { tenantId: 'acme' }),
    ]
    await world.sql(`UPDATE queue.jobs SET created_at = date_trunc('minute', now()) - interval '7 minutes'`)
    await queue.cancel(cancelled.id)
    await scopeQueue(queue, { tenantId: 'acme' }).cancel(tenantJob.id)
    // This job was counted at its claim, and has not ended yet.
    await queue.cancel(startedJob.id)
    const counted = async () => (await queue.stats()).points.filter((point) => point.enqueued > 0)
    await until('the cancels are counted', async () => (await queue.stats()).total.cancelled === 2)
    expect(await counted()).toMatchObject([{ enqueued: 2, cancelled: 0 }])
    expect((await queue.stats({ tenantId: 'acme' })).total).toMatchObject({ enqueued: 1, cancelled: 1 })
    await countWith((counter) => {
      for (const token of [1, 2])
        counter.claimed({ ...seriesOf('probe'), lease: { jobId: 'j', token }, createdAt: new Date() })
    })
    expect((await queue.stats()).total.enqueued).toBe(3)
  })

  test('asks the database for nothing where there is nothing, and for one statement a flush otherwise', async () => {
    const statements: unknown[] = []
    const recording = observedDatabase((statement) => statements.push(statement))
    const counter = createJobCounter({ database: recording })
    await counter.flush()
    expect(statements).toHaveLength(0)
    const atMs = await now()
    for (const flushes of [1, 2, 3]) {
      for (let job = 0; job < 1_000; job += 1)
        counter.ended(seriesOf('probe', `t${job % 10}`), { how: 'succeeded', atMs })
      await counter.flush()
      // The first flush also asks which series are kept separate.
      expect(statements).toHaveLength(flushes + 1)
    }
    expect((await queue.stats()).total.succeeded).toBe(3_000)
  })

  test('is kept where the database refuses it, and dropped where nobody knows', async () => {
    const atMs = await now()
    let failure: Error | undefined
    const failing = observedDatabase(() => {
      if (failure !== undefined) throw failure
    })
    let dropped = 0
    const counter = createJobCounter({ database: failing, onDropped: (counts) => (dropped += counts) })
    const endSome = () => {
      for (let job = 0; job < 5; job += 1) counter.ended(seriesOf('probe'), { how: 'failed', atMs, runMs: 3 })
    }
    endSome()
    failure = Object.assign(new Error('refused'), { code: '42501', severity: 'ERROR' })
    await counter.flush()
    endSome()
    failure = undefined
    await counter.flush()
    expect([dropped, (await queue.stats()).total.failed]).toEqual([0, 10])
    endSome()
    failure = new Error('Connection terminated')
    await counter.flush()
    failure = undefined
    await counter.flush()
    expect([dropped, (await queue.stats()).total.failed]).toEqual([5, 10])
  })

  test('is dropped beyond the maximum of a process, and the drop is counted', async () => {
    const refused = Object.assign(new Error('refused'), { code: '42501', severity: 'ERROR' })
    const failing = observedDatabase(() => {
      throw refused
    })
    const atMs = await now()
    const dropped = await countWith((counter) => {
      for (let tenant = 0; tenant < statsTalliesMax + 7; tenant += 1)
        counter.ended(seriesOf('probe', `t${tenant}`), { how: 'succeeded', atMs })
    }, failing)
    expect(dropped).toBeGreaterThanOrEqual(7)
  })
})

describe('series', () => {
  test(`are ${statsSeriesMax}, and one for all others, by however many processes that ask at once`, async () => {
    const names = Array.from({ length: 3 * statsSeriesMax }, (_, index) => `k${index}`)
    const separateByProcess = await Promise.all(
      [0, 1, 2].map((part) =>
        separateSeries(
          database,
          names.slice(part * statsSeriesMax).map((kind) => `q/${kind}`),
        ),
      ),
    )
    expect(new Set(separateByProcess.flatMap((set) => [...set])).size).toBe(statsSeriesMax)
    const atMs = await now()
    await countWith((counter) => {
      for (const kind of names) counter.ended(seriesOf(kind, null, 'q'), { how: 'succeeded', atMs })
    })
    const { series, total } = await queue.stats({ by: 'series' })
    expect((await queue.stats()).total.succeeded).toBe(names.length)
    expect((await queue.stats({ queue: 'q' })).total.succeeded).toBe(statsSeriesMax)
    expect(total.succeeded).toBe(names.length)
    expect(series).toHaveLength(statsSeriesMax + 1)
    expect(series.find(({ kind }) => kind === null)).toMatchObject({
      queue: null,
      succeeded: names.length - statsSeriesMax,
    })
    // Series that were not used for 90 days give up their place.
    await world.sql(`UPDATE queue.job_stats_series SET last_used = (
      SELECT jsonb_object_agg(key, value::integer - 91) FROM jsonb_each(last_used))`)
    expect([...(await separateSeries(database, ['q/new']))]).toEqual(['q/new'])
  })
})

describe('statistics past their retention', () => {
  const row = (period: string, age: string): Promise<unknown> =>
    world.sql(
      `INSERT INTO queue.job_stats (period, at, queue, kind, succeeded)
       VALUES ('${period}', date_trunc('${period}', now() - interval '${age}', 'UTC'), '*', '*', 1)`,
    )

  test('are removed: minutes after 48 hours, hours after 90 days; and none are added', async () => {
    await row('minute', '47 hours')
    await row('minute', '49 hours')
    await row('hour', '49 hours')
    await row('hour', '91 days')
    // The lists do not show them either.
    const ages = { from: new Date(0) }
    expect((await queue.stats({ ...ages, step: 'minute' })).total.succeeded).toBe(1)
    expect((await queue.stats({ ...ages, step: 'day' })).total.succeeded).toBe(1)
    expect(await pruneStats(database)).toBe(2)
    expect(await pruneStats(database)).toBe(0)
    const atMs = await now()
    await countWith((counter) => {
      for (const hours of [1, 50, 91 * 24]) {
        counter.ended(seriesOf('probe'), { how: 'succeeded', atMs: atMs - hours * hourMs })
      }
    })
    const periods = await world.sql<CountsRow>(
      "SELECT period, sum(succeeded)::integer AS succeeded FROM queue.job_stats WHERE queue = '*' GROUP BY period ORDER BY period",
    )
    expect(periods).toEqual([
      { period: 'hour', succeeded: 3 },
      { period: 'minute', succeeded: 2 },
    ])
  })
})

describe('the expected start', () => {
  /** Inserts `starts` starts in each of the last minutes, after a wait of `waitedMs`. */
  const insertStarts = (starts: number, waitedMs: number) =>
    world.sql(
      `INSERT INTO queue.job_stats (period, at, queue, kind, started, wait_buckets)
       SELECT 'minute', date_trunc('minute', now(), 'UTC') - minute * interval '1 minute', 'default', '*', $1::integer,
              jsonb_build_object($2::text, $1::integer)
         FROM generate_series(0, 6) AS minute`,
      [starts, bucketOf(waitedMs)],
    )

  test('is its place divided by the rate in minutes in which jobs had to wait', async () => {
    await newWorker(world)
    const ahead = await enqueueProbes(world, 3, { priority: 1 })
    const [first, , last] = await enqueueProbes(world, 3)
    await enqueueProbe(world, { priority: 9 })
    const delayed = await enqueueProbe(world, { priority: 5, delayMs: 86_400_000 })
    expect(await queue.expectedStart(first?.id ?? '')).toEqual({
      place: 3,
      startsPerMinute: null,
      expectedAt: null,
      unknown: 'no_rate',
    })
    await insertStarts(1, 10)
    // Jobs that start without a wait do not show how many could have started.
    expect(await queue.expectedStart(last?.id ?? '')).toMatchObject({ place: 5, unknown: 'no_rate' })
    await world.sql('DELETE FROM queue.job_stats')
    await insertStarts(2, 60_000)
    const atMs = await now()
    const start = await queue.expectedStart(last?.id ?? '')
    expect(start).toMatchObject({ place: 5, startsPerMinute: 2, unknown: null })
    expect(Math.abs((start?.expectedAt?.getTime() ?? 0) - atMs - 150_000)).toBeLessThan(60_000)
    expect((await queue.expectedStart(delayed.id))?.expectedAt).toEqual(delayed.runAt)
    await queue.pause('default')
    expect(await queue.expectedStart(last?.id ?? '')).toMatchObject({ place: 5, unknown: 'queue_paused' })
    await queue.resume('default')
    await queue.cancel(ahead[0]?.id ?? '')
    expect(await queue.expectedStart(ahead[0]?.id ?? '')).toMatchObject({
      place: null,
      unknown: 'not_waiting',
    })
    expect(await queue.expectedStart(first?.id ?? '')).toMatchObject({ place: 2 })
    expect(await queue.expectedStart('01900000-0000-7000-8000-000000000000')).toBeUndefined()
    expect(await queue.expectedStart('none')).toBeUndefined()
  })

  test('counts jobs in the order of claims, up to 10 000, and shows a bounded caller nothing of other jobs', async () => {
    await newWorker(world)
    const job = await enqueueProbe(world, { priority: 4, tenantId: 'acme' })
    const before = `INSERT INTO queue.jobs (id, kind, payload, priority, run_at)
       SELECT gen_random_uuid(), 'probe', '{}', $1, now() - interval '1 hour' FROM generate_series(1, $2)`
    await world.sql(before, [2, 6_000])
    await world.sql(before, [4, 4_000])
    expect(await queue.expectedStart(job.id)).toMatchObject({ place: 10_000 })
    await world.sql(before, [0, 1])
    expect(await queue.expectedStart(job.id)).toMatchObject({ place: null, unknown: 'too_many_before' })
    const acmeQueue = scopeQueue(queue, { tenantId: 'acme' })
    expect(await acmeQueue.expectedStart(job.id)).toMatchObject({ place: null, unknown: 'out_of_bounds' })
    expect(await scopeQueue(queue, { tenantId: 'other' }).expectedStart(job.id)).toBeUndefined()
  })
})

describe('what needs somebody', () => {
  test('is nothing in a sound queue', async () => {
    await newWorker(world)
    await enqueueProbes(world, 3)
    expect(await queue.attention()).toEqual([])
  })

  test('lists what alerts watch, the worst first, with its start, its count and what ends it', async () => {
    const job = (name: string, ago: string, jobs = 1) =>
      world.sql(
        `INSERT INTO queue.jobs (id, queue, kind, payload, run_at)
         SELECT gen_random_uuid(), $1, 'probe', '{}', now() - $2::interval FROM generate_series(1, $3)`,
        [name, ago, jobs],
      )
    await newWorker(world)
    await job('default', '10 minutes', 1_500)
    await job('forgotten', '2 minutes')
    await job('fresh', '10 seconds')
    await job('paused', '1 minute', 2)
    await world.sql(
      `INSERT INTO queue.jobs (id, kind, payload, priority, run_at)
       VALUES (gen_random_uuid(), 'strange', '{}', 0, now() - interval '2 minutes')`,
    )
    await world.sql(
      `INSERT INTO queue.queues (name, paused_at) VALUES ('paused', now() - interval '2 hours')`,
    )
    await world.sql(
      `INSERT INTO queue.job_stats (period, at, queue, kind, succeeded, failed, retried)
       VALUES ('minute', date_trunc('minute', now(), 'UTC'), 'default', 'failing', 60, 5, 20),
              ('minute', date_trunc('minute', now(), 'UTC'), 'default', 'sound', 990, 5, 20)`,
    )
    await world.sql(
      `INSERT INTO queue.workers (id, hostname, pid, version, zone_version, queues, kinds, concurrency, state, lease_expires_at)
       VALUES ('gone', 'h', 1, 'v', '2026a', '{default}', '{probe}', 1, 'lost', now() - interval '5 minutes')`,
    )
    await world.sql(
      `INSERT INTO queue.schedules (name, kind, payload, options, every_ms, paused_at, paused_reason)
       VALUES ('stopped', 'probe', '{}', '{}', 60000, now(), 'its kind is gone'), ('paused', 'probe', '{}', '{}', 60000, now(), NULL)`,
    )
    const items = await queue.attention()
    expect(items.map(({ condition, queue: name, kind, count }) => [condition, name ?? kind, count])).toEqual([
      ['queue_unserved', 'forgotten', 1],
      ['schedules_stopped', null, 1],
      ['queue_paused_for_long', 'paused', 2],
      ['queue_backlog_old', 'default', 1_000],
      ['workers_lost', null, 1],
      ['kind_unserved', 'default', 1],
      ['jobs_failing', 'failing', 25],
    ])
    expect(items[3]).toMatchObject({
      severity: 'warning',
      countIsCapped: true,
      since: expect.any(Date),
      ends: expect.any(String),
      runbook: 'queue-backlog-old',
    })
  })
})

/** A database that passes each statement to `onStatement`, which may throw. */
function observedDatabase(onStatement: (statement: unknown) => void): QueueDatabase {
  return {
    ...database,
    run: async (statement, frequency) => {
      onStatement(statement)
      return database.run(statement, frequency)
    },
  }
}
