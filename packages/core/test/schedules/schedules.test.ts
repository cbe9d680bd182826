import { afterAll, beforeEach, describe, expect, test } from '@jest/globals'
import { until, untilSomeoneWaitsFor } from '@queue/dev-postgres'
import { z } from 'zod'
import { createIdMint } from '../../src/database/id-mint.ts'
import { InvalidInput } from '../../src/domain/errors.ts'
import { defineJob } from '../../src/domain/job-definition.ts'
import { upgradeFrom } from '../../src/domain/payload-upgrade.ts'
import { createFullQueues } from '../../src/flow/full-queues.ts'
import type { NewSchedule } from '../../src/schedules/definition.ts'
import { type FiringReport, fireDue, fireWithin } from '../../src/schedules/fire-due.ts'
import { scheduledRunOf } from '../../src/schedules/job-of-schedule.ts'
import type { KnownKinds } from '../../src/schedules/kind-fault.ts'
import { nextDueMs } from '../../src/schedules/next-due.ts'
import { claim, newWorker, probe } from '../support/builders.ts'
import { openWorld, within } from '../support/world.ts'
import { internalsOf } from '../../src/enqueue/queue-internals.ts'

const world = await openWorld()
afterAll(() => world.close())
beforeEach(() => world.reset())

const { schedules } = world.queue
const secondMs = 1_000
const hourMs = 3_600_000
const mintIds = createIdMint()
const { full } = internalsOf(world.queue)
const noKinds: KnownKinds = new Map()
const strict = defineJob({
  kind: 'strict',
  payload: z.strictObject({ to: z.string() }),
  queue: 'mail',
  priority: 2,
})

function everySecond(overrides: Partial<NewSchedule> = {}): NewSchedule {
  return { name: 'tick', everyMs: secondMs, definition: probe, payload: { n: 1 }, ...overrides }
}

/** A start for hourly schedules. Without one, intervals count from 1970, and each full hour would be an instant. */
const halfAnHourAgo = new Date(Date.now() - hourMs / 2)

/** A schedule whose last and next instants are far away, whenever the test runs. */
function hourly(overrides: Partial<NewSchedule> = {}): NewSchedule {
  return everySecond({ everyMs: hourMs, startsAt: halfAnHourAgo, ...overrides })
}

function fire(kinds = noKinds): Promise<FiringReport> {
  return fireDue(world.database, { mintIds, full, kinds })
}

/** Moves the schedule's next instant so far into the past, rounded to a second. */
async function makeLate(name: string, ms: number): Promise<void> {
  await world.sql(
    `UPDATE queue.schedules SET
       next_run_at = to_timestamp(floor(extract(epoch FROM now()) - $2::float8 / 1000)),
       due_at = to_timestamp(floor(extract(epoch FROM now()) - $2::float8 / 1000)) + (due_at - next_run_at)
     WHERE name = $1`,
    [name, ms],
  )
}

async function instantsOfJobs(): Promise<string[]> {
  const rows = await world.sql<{ idempotency_key: string }>(
    'SELECT idempotency_key FROM queue.all_jobs ORDER BY idempotency_key',
  )
  return rows.map(
    (row) => scheduledRunOf({ idempotencyKey: row.idempotency_key })?.instant.toISOString() ?? '',
  )
}

async function issuesOf(write: Promise<unknown>): Promise<Record<string, string>> {
  const error = await write.then(
    () => undefined,
    (thrown: unknown) => thrown,
  )
  expect(error).toBeInstanceOf(InvalidInput)
  const { code, issues } = error as InvalidInput
  expect(code).toBe('invalid_schedule')
  return Object.fromEntries(issues.map(({ path, message }) => [path.join('.'), message]))
}

describe('a schedule', () => {
  test('with a misspelt option is refused with the name that was probably meant', async () => {
    const report = { name: 'report', everyMs: 5_000, definition: strict, payload: { to: 'ada' } }
    await schedules.create(report)
    const misspelt = (members: object) => members as Partial<NewSchedule>
    const timing = { '': /called "jiterMs": did you mean jitterMs\?/ }
    const work = {
      options: misspelt({ prioritty: 1 }) as NonNullable<NewSchedule['options']>,
      definition: strict,
      payload: { to: 'ada' },
    }
    const option = { '': /called "prioritty": did you mean priority\?/ }
    for (const [write, issues] of [
      [() => schedules.create({ ...report, name: 'other', ...misspelt({ jiterMs: 1 }) }), timing],
      [() => schedules.create({ ...report, name: 'other', ...work }), option],
      [() => schedules.update('report', misspelt({ jiterMs: 1 })), timing],
      [() => schedules.update('report', work), option],
      [() => schedules.preview({ everyMs: 5_000, ...misspelt({ jiterMs: 1 }) }), timing],
      [
        () => schedules.sync([], { source: 'a', revision: 1, ...misspelt({ pruned: true }) }),
        { '': /called "pruned": did you mean prune\?/ },
      ],
    ] as const) {
      const found = await issuesOf(write())
      for (const [path, message] of Object.entries(issues)) expect(found[path]).toMatch(message)
    }
  })

  test('is created with the defaults of its kind, described in words, and read back', async () => {
    const created = await schedules.create({
      name: 'report',
      cron: '0 2 * * 1-5',
      timeZone: 'Europe/Berlin',
      definition: strict,
      payload: { to: 'ada' },
      options: { maxAttempts: 7, weight: 5 },
    })
    expect(created).toMatchObject({
      kind: 'strict',
      payload: { to: 'ada' },
      options: {
        queue: 'mail',
        priority: 2,
        maxAttempts: 7,
        timeoutMs: null,
        retryPolicy: null,
        metadata: null,
        expiresInMs: null,
        weight: 5,
      },
      description: 'at 02:00, Monday through Friday, Europe/Berlin',
      missed: 'once',
      overlap: 'allow',
      source: '',
      pausedAt: null,
    })
    expect(created.nextRunAt?.getTime()).toBeGreaterThan(created.createdAt.getTime())
    expect(await schedules.get('report')).toEqual(created)
    expect(await schedules.get('no such')).toBeUndefined()
    await expect(schedules.create(everySecond({ name: 'report' }))).rejects.toMatchObject({
      code: 'schedule_exists',
    })
  })

  test.each<[string, Partial<NewSchedule>, Record<string, RegExp>]>([
    [
      'neither expression nor interval',
      { everyMs: null },
      { cron: /set either an expression or an interval/ },
    ],
    ['both', { cron: '* * * * *' }, { cron: /not both/ }],
    ['text that is no expression', { cron: 'at noon', everyMs: null }, { cron: /accepted: five fields/ }],
    ['a minute of 60', { cron: '60 * * * *', everyMs: null }, { cron: /minute.*accepted: five fields/ }],
    ['seven fields', { cron: '0 0 0 1 1 * 2030', everyMs: null }, { cron: /accepted: five fields/ }],
    ['a nickname', { cron: '@daily', everyMs: null }, { cron: /accepted: five fields/ }],
    ['an expression that never fires', { cron: '0 0 30 2 *', everyMs: null }, { cron: /never fires/ }],
    ['an unknown zone', { cron: '0 0 * * *', everyMs: null, timeZone: 'Mars/Base' }, { timeZone: /IANA/ }],
    ['an offset for a zone', { cron: '0 0 * * *', everyMs: null, timeZone: '+01:00' }, { timeZone: /IANA/ }],
    ['a zone for an interval', { timeZone: 'Europe/Berlin' }, { timeZone: /requires a cron expression/ }],
    ['an interval under a second', { everyMs: 999 }, { everyMs: />=1000/ }],
    [
      'an end before its start',
      { startsAt: new Date('2030-01-02'), endsAt: new Date('2030-01-01') },
      { endsAt: /must be after the start/ },
    ],
    ['an end in the past', { endsAt: new Date('2020-01-01') }, { endsAt: /leaves no run/ }],
    ['a jitter as long as its interval', { jitterMs: 1_000 }, { jitterMs: /less than.*1000 ms/ }],
    ['a policy that there is not', { missed: 'some' as never }, { missed: /all/ }],
    ['a misspelled option', { timezone: 'UTC' } as never, { '': /timezone/ }],
    ['a name with a space', { name: 'two words' }, { name: /must match/ }],
    [
      'a payload that its kind refuses',
      { definition: strict, payload: { to: 1 } },
      { 'payload.to': /string/ },
    ],
    ['a payload that is too large', { payload: 'x'.repeat(65_536) }, { payload: /larger than 65536 bytes/ }],
    ['an option out of bounds', { options: { priority: 10 } }, { priority: /<=9/ }],
  ])('refuses %s, with the path, and says what is accepted', async (_what, over, expected) => {
    const issues = await issuesOf(schedules.create(everySecond(over)))
    expect(Object.keys(issues)).toEqual(Object.keys(expected))
    for (const [path, pattern] of Object.entries(expected)) expect(issues[path]).toMatch(pattern)
    expect((await schedules.list()).schedules).toEqual([])
  })

  test('lists by name, in pages, and by source and kind', async () => {
    for (const name of ['c', 'a', 'b']) await schedules.create(everySecond({ name }))
    await schedules.sync([everySecond({ name: 'd', definition: strict, payload: { to: 'x' } })], {
      source: 'billing',
      revision: 1,
    })
    const first = await schedules.list({ limit: 3 })
    expect(first.schedules.map(({ name }) => name)).toEqual(['a', 'b', 'c'])
    const second = await schedules.list({ limit: 3, cursor: first.nextCursor ?? '' })
    expect(second).toMatchObject({ schedules: [{ name: 'd' }], nextCursor: null })
    expect((await schedules.list({ source: 'billing' })).schedules).toHaveLength(1)
    expect((await schedules.list({ kind: 'probe' })).schedules).toHaveLength(3)
    await expect(schedules.list({ cursor: 'x' })).rejects.toMatchObject({ code: 'invalid_cursor' })
  })

  test('previews the next instants, of a name and of a timing', async () => {
    const timing = { cron: '*/10 * * * *', endsAt: new Date(Date.now() + hourMs) }
    const { description, instants } = await schedules.preview(timing)
    expect(description).toBe('every 10 minutes, UTC')
    expect(instants.length).toBeGreaterThanOrEqual(5)
    expect(instants.length).toBeLessThanOrEqual(6)
    await schedules.create({ name: 'ten', ...timing, definition: probe, payload: null })
    expect((await schedules.preview('ten')).instants).toEqual(instants)
    expect((await schedules.preview({ everyMs: 1_000 })).instants).toHaveLength(20)
    await expect(schedules.preview('nobody')).rejects.toMatchObject({ code: 'schedule_not_found' })
    await issuesOf(schedules.preview({ cron: '61 * * * *' }))
  })

  test.each(['update', 'delete', 'pause', 'resume', 'runNow'] as const)(
    'that does not exist cannot be changed: %s',
    async (act) => {
      for (const name of ['nobody', 'no name\u0000'])
        await expect(schedules[act](name, {})).rejects.toMatchObject({ code: 'schedule_not_found' })
    },
  )
})

describe('a firing', () => {
  test('enqueues one job for the instant, moves on, and comes once for two that race', async () => {
    const { nextRunAt } = await schedules.create(hourly())
    await makeLate('tick', 500)
    const reports = await Promise.all([fire(), fire(), fire()])
    expect(reports.flatMap(({ fired }) => fired)).toHaveLength(1)
    const [job] = (await world.queue.list()).jobs
    const after = await schedules.get('tick')
    expect(after).toMatchObject({ lastJobId: job?.id, firedCount: 1, missedCount: 0 })
    expect(after?.nextRunAt).toEqual(nextRunAt)
    expect(scheduledRunOf(job as never)).toEqual({ schedule: 'tick', instant: after?.lastRunAt })
  })

  test('that never commits leaves the instant to the next one', async () => {
    await schedules.create(hourly())
    await makeLate('tick', 500)
    const session = await world.session()
    await session.query('BEGIN')
    const killed = await fireWithin(within(session), { mintIds, full, kinds: noKinds })
    expect(killed.fired).toHaveLength(1)
    expect((await fire()).fired).toEqual([])
    await session.query('ROLLBACK')
    expect((await fire()).fired).toHaveLength(1)
    expect(await instantsOfJobs()).toHaveLength(1)
  })

  test('of an instant that has a job already makes no second one', async () => {
    await schedules.create(hourly())
    await makeLate('tick', 500)
    await world.sql(`CREATE TABLE saved AS SELECT next_run_at, due_at FROM queue.schedules`)
    await fire()
    await world.sql(
      `UPDATE queue.schedules SET (next_run_at, due_at) = (SELECT next_run_at, due_at FROM saved)`,
    )
    await world.sql('DROP TABLE saved')
    await fire()
    const instants = await instantsOfJobs()
    expect(new Set(instants).size).toBe(instants.length)
  })

  test('finds its instant free: no caller can have taken its key in advance', async () => {
    await schedules.create(hourly())
    await makeLate('tick', 500)
    const [row] = await world.sql<{ ms: number }>(
      `SELECT extract(epoch FROM next_run_at)::float8 * 1000 AS ms FROM queue.schedules`,
    )
    const idempotencyKey = `schedule:tick@${new Date(row?.ms ?? 0).toISOString()}`
    const refused = { issues: [{ path: ['idempotencyKey'], message: expect.stringContaining('schedule:') }] }
    await expect(world.queue.enqueue(probe, {}, { idempotencyKey })).rejects.toMatchObject(refused)
    expect(() => probe.create({}, { idempotencyKey })).toThrow(/schedule:/)
    await expect(schedules.runNow('tick', { idempotencyKey })).rejects.toMatchObject(refused)
    await expect(
      world.sql(`SELECT queue.enqueue('probe', '{}', idempotency_key => $1)`, [idempotencyKey]),
    ).rejects.toMatchObject({ code: '22023', message: expect.stringContaining('schedule:') })
    const [fired] = (await fire()).fired
    expect(await world.queue.get(fired?.jobId ?? '')).toMatchObject({ idempotencyKey, payload: { n: 1 } })
  })

  test('with missed: once makes up for an hour with one job, and counts the rest', async () => {
    await schedules.create(everySecond({ missed: 'once' }))
    await makeLate('tick', hourMs)
    expect((await fire()).fired).toHaveLength(1)
    const { firedCount, missedCount } = (await schedules.get('tick')) ?? {}
    expect(firedCount).toBe(1)
    expect(missedCount).toBeGreaterThanOrEqual(3_599)
    expect(missedCount).toBeLessThanOrEqual(3_630)
  })

  test('with missed: all makes up for the latest thousand instants of an hour', async () => {
    await schedules.create(everySecond({ missed: 'all' }))
    await makeLate('tick', hourMs)
    const { fired, missed } = await fire()
    expect(fired).toHaveLength(1_000)
    expect(missed.all).toBeGreaterThanOrEqual(2_600)
    const instants = await instantsOfJobs()
    expect(Date.parse(instants.at(-1) ?? '') - Date.parse(instants[0] ?? '')).toBe(999_000)
    const { lastRunAt, nextRunAt } = (await schedules.get('tick')) ?? {}
    expect(lastRunAt?.toISOString()).toBe(instants.at(-1))
    expect(nextRunAt?.getTime()).toBe((lastRunAt?.getTime() ?? 0) + secondMs)
  })

  test('with missed: all drops instants older than the window, and counts them', async () => {
    await schedules.create(
      everySecond({ missed: 'all', missedWindowMs: 60_000, cron: '*/10 * * * * *', everyMs: null }),
    )
    await world.sql(`UPDATE queue.schedules SET next_run_at = date_trunc('minute', now()) - interval '1 hour',
                            due_at = date_trunc('minute', now()) - interval '1 hour'`)
    const { fired, missed } = await fire()
    expect(fired.length).toBeGreaterThanOrEqual(6)
    expect(fired.length).toBeLessThanOrEqual(7)
    expect(fired.length + missed.all).toBeGreaterThanOrEqual(360)
    expect(fired.length + missed.all).toBeLessThanOrEqual(370)
  })

  test('fires a local time once, at its own instant, whatever time zone data stored the next one', async () => {
    const local = new Date(Date.now() + 30 * 60_000)
    const inZone = new Intl.DateTimeFormat('en', {
      timeZone: 'Africa/Casablanca',
      hourCycle: 'h23',
      hour: 'numeric',
      minute: 'numeric',
    }).formatToParts(local)
    const [hour, minute] = ['hour', 'minute'].map((unit) => inZone.find(({ type }) => type === unit)?.value)
    const daily = { cron: `${minute} ${hour} * * *`, timeZone: 'Africa/Casablanca', everyMs: null }
    const instant = (await schedules.create(everySecond(daily))).nextRunAt?.getTime() ?? 0
    const store = (ms: number) =>
      world.sql(
        'UPDATE queue.schedules SET (next_run_at, due_at) = (to_timestamp($1::float8), to_timestamp($1::float8))',
        [ms / 1_000],
      )
    // With data by which the zone is an hour further east, the time is an hour earlier.
    await store(instant - hourMs)
    expect(await fire()).toMatchObject({ fired: [], missed: { once: 0 } })
    expect((await schedules.get('tick'))?.nextRunAt?.getTime()).toBe(instant)
    // With data by which it is an hour further west, the time of yesterday is an hour later.
    await store(instant - 23 * hourMs)
    expect((await fire()).fired).toHaveLength(1)
    expect((await schedules.get('tick'))?.nextRunAt?.getTime()).toBe(instant)
    expect((await fire()).fired).toEqual([])
  })

  test.each([
    ['0 0 1 13 *', 'the month cannot be 13'],
    ['0 0 1 0 *', 'the month cannot be 0'],
    ['0 0 1 20/2 *', 'the month cannot be 20/2'],
    ['0 0 1 dec-jan *', 'the month cannot be dec-jan'],
    ['0 0 32 1 *', 'the day of the month cannot be 32'],
    ['0 0 * * 8', 'the day of the week cannot be 8'],
    ['0 25 * * *', 'the hour cannot be 25'],
    ['99 0 0 1 1 *', 'the second cannot be 99'],
  ])('refuses %s with the field as it was written', async (cron, reason) => {
    const refused = schedules.create(everySecond({ cron, everyMs: null }))
    await expect(refused).rejects.toMatchObject({ message: expect.stringContaining(reason) })
  })

  test('with missed: skip fires an instant up to a minute late, and none that is later', async () => {
    await schedules.create(hourly({ missed: 'skip' }))
    const setLateBy = (ms: number) =>
      world.sql(
        `UPDATE queue.schedules SET next_run_at = now() - $1::float8 * interval '1 ms', due_at = now() - $1::float8 * interval '1 ms'`,
        [ms],
      )
    // On a busy machine more than a second may pass between the two statements.
    await until('an instant that is nearly a minute late is fired', async () => {
      await setLateBy(59_000)
      return (await fire()).fired.length === 1
    })
    await setLateBy(61_000)
    expect(await fire()).toMatchObject({ fired: [], missed: { skip: 1 } })
    expect((await schedules.get('tick'))?.nextRunAt?.getTime()).toBeGreaterThan(Date.now() - 1_000)
  })

  test('with overlap: skip leaves a run out while the job before has not ended', async () => {
    await schedules.create(hourly({ overlap: 'skip' }))
    await makeLate('tick', 500)
    expect((await fire()).fired).toHaveLength(1)
    await claim(world, await newWorker(world))
    for (let n = 0; n < 3; n += 1) {
      await makeLate('tick', 500)
      expect(await fire()).toMatchObject({ fired: [], skipped: 1 })
    }
    await expect(schedules.runNow('tick')).rejects.toMatchObject({ code: 'schedule_overlaps' })
    await world.sql(
      `UPDATE queue.jobs SET status = 'succeeded', finished_at = now(), locked_by = NULL, locked_at = NULL`,
    )
    await makeLate('tick', 500)
    expect((await fire()).fired).toHaveLength(1)
    expect(await schedules.get('tick')).toMatchObject({ firedCount: 2, skippedCount: 3 })
  })

  test('skips a run whose queue is full, and counts it', async () => {
    await schedules.create(hourly({ options: { queue: 'small' } }))
    await makeLate('tick', 500)
    expect((await fire()).fired).toHaveLength(1)
    await world.queue.limits.set({ queue: 'small', scope: 'queue', maxWaiting: 1 })
    await makeLate('tick', 500)
    const deps = { mintIds, full: createFullQueues(world.database), kinds: noKinds }
    expect(await fireDue(world.database, deps)).toMatchObject({
      fired: [],
      refused: 1,
      skipped: 0,
      locked: 1,
    })
    expect(await schedules.get('tick')).toMatchObject({ firedCount: 1, skippedCount: 1 })
    expect((await schedules.get('tick'))?.nextRunAt?.getTime()).toBeGreaterThan(Date.now())
  })

  test('with overlap: skip and missed: all starts one of the runs that it could make up for', async () => {
    await schedules.create(everySecond({ overlap: 'skip', missed: 'all' }))
    await makeLate('tick', 10_000)
    const report = await fire()
    expect(report.fired).toHaveLength(1)
    expect(report.skipped).toBeGreaterThanOrEqual(9)
  })

  test('is delayed by the jitter of its instant, the same in every process', async () => {
    const { nextRunAt } = await schedules.create(hourly({ jitterMs: hourMs - 1 }))
    const [row] = await world.sql<{ jitter: number }>(
      `SELECT extract(epoch FROM due_at - next_run_at)::float8 * 1000 AS jitter FROM queue.schedules`,
    )
    expect(row?.jitter).toBeGreaterThanOrEqual(0)
    expect(row?.jitter).toBeLessThan(hourMs)
    await schedules.delete('tick')
    const recreated = await schedules.create(hourly({ jitterMs: hourMs - 1 }))
    const [same] = await world.sql<{ jitter: number }>(
      `SELECT extract(epoch FROM due_at - next_run_at)::float8 * 1000 AS jitter FROM queue.schedules`,
    )
    if (recreated.nextRunAt?.getTime() === nextRunAt?.getTime()) expect(same).toEqual(row)
  })

  test('is delayed by no jitter to the end of the schedule or after it', async () => {
    const startsAt = new Date(Date.now() + hourMs)
    const endsAt = new Date(startsAt.getTime() + 500)
    const names = Array.from({ length: 20 }, (_, n) => `j${n}`)
    for (const name of names) {
      await schedules.create(everySecond({ name, everyMs: 10_000, startsAt, endsAt, jitterMs: 8_000 }))
    }
    expect(await world.sql('SELECT name FROM queue.schedules WHERE due_at >= ends_at')).toEqual([])
  })

  test('keeps the milliseconds of its start from one instant to the next', async () => {
    const startsAt = new Date(Math.floor(Date.now() / 1_000) * 1_000 - 60_000 + 123)
    for (let n = 0; n < 20; n += 1) {
      const started = { startsAt: new Date(startsAt.getTime() + 7 * n), missed: 'all' as const }
      await schedules.create(everySecond({ name: `s${n}`, ...started }))
    }
    await world.sql(
      `UPDATE queue.schedules SET next_run_at = next_run_at - interval '5 s', due_at = due_at - interval '5 s'`,
    )
    await fire()
    for (const instant of await instantsOfJobs())
      expect(((Date.parse(instant) - startsAt.getTime()) % 1_000) % 7).toBe(0)
    for (const { lastRunAt, nextRunAt } of (await schedules.list()).schedules)
      expect(nextRunAt?.getTime()).toBe((lastRunAt?.getTime() ?? 0) + secondMs)
  })

  test('ends with the schedule: after its last instant it is never due again', async () => {
    await schedules.create(everySecond({ endsAt: new Date(Date.now() + 60_000) }))
    await makeLate('tick', 500)
    await world.sql(`UPDATE queue.schedules SET ends_at = next_run_at + interval '1 ms'`)
    expect((await fire()).fired).toHaveLength(1)
    expect(await schedules.get('tick')).toMatchObject({ nextRunAt: null, firedCount: 1 })
    expect(await nextDueMs(world.database)).toBeNull()
  })

  test('of a schedule with a zone unknown to this process pauses it, and fires the others', async () => {
    await schedules.create(hourly({ name: 'lost', cron: '0 * * * *', everyMs: null }))
    await schedules.create(hourly())
    await makeLate('lost', 500)
    await makeLate('tick', 500)
    await world.sql(`UPDATE queue.schedules SET time_zone = 'Mars/Olympus' WHERE name = 'lost'`)
    const report = await fire()
    expect(report).toMatchObject({ fired: [{ schedule: 'tick' }], paused: [{ schedule: 'lost' }] })
    expect((await schedules.get('lost'))?.pausedReason).toMatch(
      /the timing of the schedule cannot be computed: .*Mars/,
    )
  })

  test('of a schedule whose kind now refuses its payload pauses it and says why', async () => {
    await schedules.create(hourly({ definition: strict, payload: { to: 'ada' } }))
    await makeLate('tick', 500)
    const kinds: KnownKinds = new Map([
      ['strict', { payload: z.strictObject({ to: z.email() }), version: 1, upgrade: {} }],
    ])
    expect(await fire(kinds)).toMatchObject({ fired: [], paused: [{ schedule: 'tick' }] })
    const paused = await schedules.get('tick')
    expect(paused?.pausedReason).toMatch(/strict refuses its payload: payload.to/)
    expect(paused?.pausedAt).not.toBeNull()
    expect(await fire(kinds)).toMatchObject({ fired: [] })
    const mended = await schedules.update('tick', { definition: strict, payload: { to: 'ada@example.com' } })
    expect(mended).toMatchObject({ pausedAt: null, pausedReason: null })
    await makeLate('tick', 500)
    expect((await fire(kinds)).fired).toHaveLength(1)
  })

  test('of a schedule whose kind is retired pauses it and says so, and fires those of other kinds', async () => {
    await world.queue.register([strict])
    await schedules.create(hourly({ name: 'old', definition: strict, payload: { to: 'ada' } }))
    await schedules.create(hourly())
    await world.queue.kinds.retire('strict')
    await makeLate('old', 500)
    await makeLate('tick', 500)
    expect(await fire()).toMatchObject({ fired: [{ schedule: 'tick' }], paused: [{ schedule: 'old' }] })
    expect((await schedules.get('old'))?.pausedReason).toBe('the kind strict (version 1) is retired')
    await world.queue.register([strict], { restore: true })
    await schedules.resume('old')
    await makeLate('old', 500)
    expect((await fire()).fired).toHaveLength(1)
  })

  test('whose job the database refuses pauses that schedule, and fires the others', async () => {
    await world.sql(`ALTER TABLE queue.jobs ADD CONSTRAINT no_mail CHECK (queue <> 'mail')`)
    try {
      await schedules.create(hourly({ name: 'refused', definition: strict, payload: { to: 'a' } }))
      await schedules.create(hourly({ name: 'taken' }))
      await makeLate('refused', 500)
      await makeLate('taken', 500)
      const report = await fire()
      expect(report.fired.map(({ schedule }) => schedule)).toEqual(['taken'])
      expect(report.paused).toMatchObject([{ schedule: 'refused' }])
      expect(report.paused[0]?.reason).toContain('23514')
    } finally {
      await world.sql(`ALTER TABLE queue.jobs DROP CONSTRAINT no_mail`)
    }
  })
})

describe('a schedule of a kind with versions', () => {
  const firstSchema = z.strictObject({ name: z.string() })
  const secondSchema = z.strictObject({ first: z.string(), last: z.string() })
  const definitionV1 = defineJob({ kind: 'greet', payload: firstSchema })
  const definitionV2 = defineJob({
    kind: 'greet',
    version: 2,
    payload: secondSchema,
    upgrade: { 1: upgradeFrom(firstSchema, ({ name }) => ({ first: name, last: '' })) },
  })
  const ada = { first: 'Ada', last: 'L' }

  test('makes jobs of the newest version that accepts its payload, or of the named one', async () => {
    const newest = await schedules.create(hourly({ definition: definitionV2, payload: ada }))
    expect(newest.kindVersion).toBe(2)
    const named = await schedules.create(
      hourly({ name: 'named', definition: definitionV2, payload: { name: 'Ada' }, options: { version: 1 } }),
    )
    expect(named.kindVersion).toBe(1)
    await issuesOf(
      schedules.create(
        hourly({ name: 'none', definition: definitionV2, payload: ada, options: { version: 3 } }),
      ),
    )
    await makeLate('tick', 500)
    await makeLate('named', 500)
    const { fired } = await fire(new Map([['greet', definitionV2]]))
    const jobs = await Promise.all(fired.map(({ jobId }) => world.queue.get(jobId)))
    expect(new Set(jobs.map((job) => job?.kindVersion))).toEqual(new Set([1, 2]))
  })

  test('is updated to the version of the release that syncs it', async () => {
    const of = (definition: NewSchedule['definition'], revision: number, payload: unknown) =>
      schedules.sync([hourly({ definition, payload })], { source: 'app', revision })
    await of(definitionV1, 1, { name: 'Ada' })
    expect(await of(definitionV2, 2, ada)).toMatchObject({ updated: ['tick'] })
    expect(await of(definitionV2, 3, ada)).toMatchObject({ unchanged: ['tick'] })
    expect(await of(definitionV1, 1, { name: 'Ada' })).toMatchObject({ outcome: 'outdated' })
    expect(await schedules.get('tick')).toMatchObject({ kindVersion: 2, payload: ada })
  })
})

describe('a change', () => {
  test('of a schedule that is due starts anew where it changes the times, and fires as changed where not', async () => {
    await schedules.create(hourly())
    const due = () =>
      world.sql(
        `UPDATE queue.schedules SET next_run_at = now() - interval '5 s', due_at = now() - interval '5 s'`,
      )
    await due()
    const moved = await schedules.update('tick', { everyMs: 2 * hourMs })
    expect(moved.nextRunAt?.getTime()).toBeGreaterThan(Date.now() - 1_000)
    expect((await fire()).fired).toEqual([])
    await due()
    await schedules.update('tick', { definition: strict, payload: { to: 'new' } })
    expect((await fire()).fired).toHaveLength(1)
    expect((await world.queue.list()).jobs).toMatchObject([{ kind: 'strict', payload: { to: 'new' } }])
  })

  test.each([
    ['payload', { payload: { to: 'new' } }],
    ['options', { options: { priority: 1 } }],
  ])('of its %s without the definition that checks it is refused', async (_member, changes) => {
    await schedules.create(hourly())
    const before = await schedules.get('tick')
    expect(await issuesOf(schedules.update('tick', changes as never))).toHaveProperty('definition')
    expect(await schedules.get('tick')).toEqual(before)
  })

  test('from an interval to an expression and back removes the other one', async () => {
    await schedules.create(everySecond())
    expect(await schedules.update('tick', { cron: '0 0 * * *', timeZone: 'Asia/Tokyo' })).toMatchObject({
      cron: '0 0 * * *',
      everyMs: null,
    })
    expect(await schedules.update('tick', { everyMs: 5_000 })).toMatchObject({ cron: null, timeZone: 'UTC' })
    await issuesOf(schedules.update('tick', { everyMs: null }))
    expect(await schedules.get('tick')).toMatchObject({ everyMs: 5_000 })
  })

  test('waits for a firing that is under way: a pause while firing lets it end, and nothing follows', async () => {
    await schedules.create(hourly())
    await makeLate('tick', 500)
    const session = await world.session()
    await session.query('BEGIN')
    await fireWithin(within(session), { mintIds, full, kinds: noKinds })
    let paused = false
    const pausing = schedules.pause('tick').then(() => (paused = true))
    await world.sql('SELECT pg_sleep(0.1)')
    expect(paused).toBe(false)
    await session.query('COMMIT')
    await pausing
    await makeLate('tick', 500)
    expect((await fire()).fired).toEqual([])
    expect(await nextDueMs(world.database)).toBeNull()
    expect(await instantsOfJobs()).toHaveLength(1)
  })

  test('by resume continues from now, and makes up for nothing', async () => {
    await schedules.create(everySecond({ missed: 'all' }))
    await schedules.pause('tick')
    await makeLate('tick', hourMs)
    const { pausedAt, nextRunAt } = await schedules.resume('tick')
    expect(pausedAt).toBeNull()
    expect(nextRunAt?.getTime()).toBeGreaterThan(Date.now() - 5_000)
    const { fired } = await fire()
    expect(fired.length).toBeLessThan(10)
    expect((await schedules.resume('tick')).nextRunAt).not.toBeNull()
  })

  test.each([
    ['update', () => schedules.update('tick', { everyMs: 1_000 })],
    ['resume', () => schedules.resume('tick')],
  ] as const)('by %s that has waited for the row counts from when it has it', async (_name, change) => {
    await schedules.create(everySecond({ everyMs: 2_000 }))
    await schedules.pause('tick')
    const session = await world.session()
    await session.query('BEGIN')
    await session.query(`SELECT FROM queue.schedules WHERE name = 'tick' FOR UPDATE`)
    const changed = change()
    await untilSomeoneWaitsFor(session, await world.session())
    await world.sql('SELECT pg_sleep(2.1)')
    const [now] = await world.sql<{ ms: number }>(
      'SELECT extract(epoch FROM clock_timestamp())::float8 * 1000 AS ms',
    )
    await session.query('COMMIT')
    expect((await changed).nextRunAt?.getTime()).toBeGreaterThan(now?.ms ?? Number.NaN)
  })

  test('by a function of the schedule sees what the change before it has written', async () => {
    await schedules.create(hourly({ options: { priority: 3, weight: 2 } }))
    const change = (options: object) =>
      schedules.update('tick', (current) => ({
        definition: probe,
        payload: current.payload,
        options: { priority: current.options.priority, weight: current.options.weight, ...options },
      }))
    await Promise.all([change({ priority: 5 }), change({ weight: 7 })])
    expect(await schedules.get('tick')).toMatchObject({ options: { priority: 5, weight: 7 } })
  })

  test('after the end keeps an instant that is still due, and moves none to after the end', async () => {
    await schedules.create(hourly())
    await world.sql(
      `UPDATE queue.schedules SET next_run_at = now() - interval '5 s', due_at = now() - interval '5 s', ends_at = now() - interval '4 s'`,
    )
    await schedules.update('tick', { definition: strict, payload: { to: 'new' } })
    expect((await fire()).fired).toHaveLength(1)
    expect((await world.queue.list()).jobs).toMatchObject([{ kind: 'strict' }])
    // It was the last one.
    expect(await issuesOf(schedules.update('tick', { missed: 'all' }))).toHaveProperty('endsAt')
  })

  test('by a repeat of run now gets its job, although its jobs may not overlap', async () => {
    await schedules.create(hourly({ overlap: 'skip' }))
    const { job } = await schedules.runNow('tick', { idempotencyKey: 'once' })
    const repeated = await schedules.runNow('tick', { idempotencyKey: 'once' })
    expect(repeated).toMatchObject({ replayed: true, job: { id: job.id } })
    await expect(schedules.runNow('tick', { idempotencyKey: 'again' })).rejects.toMatchObject({
      code: 'schedule_overlaps',
    })
    expect((await world.queue.list()).jobs).toHaveLength(1)
  })

  test('run now makes a job at once, also of a paused schedule, and one per idempotency key', async () => {
    await schedules.create(hourly())
    await schedules.pause('tick')
    const { job } = await schedules.runNow('tick', { idempotencyKey: 'once' })
    const repeated = await schedules.runNow('tick', { idempotencyKey: 'once' })
    expect(repeated).toMatchObject({ replayed: true, job: { id: job.id } })
    expect(await schedules.get('tick')).toMatchObject({ lastJobId: job.id, lastRunAt: null, firedCount: 0 })
  })
})

describe('a sync', () => {
  const options = { source: 'billing', revision: 5, prune: true }
  const nightly = everySecond({ name: 'nightly', cron: '0 2 * * *', everyMs: null })
  const eachHour = hourly({ name: 'hourly' })

  test('creates, updates, keeps and prunes schedules of its source only', async () => {
    await schedules.create(everySecond({ name: 'by-hand' }))
    await schedules.sync([everySecond({ name: 'theirs' })], { source: 'shipping', revision: 1 })
    expect(await schedules.sync([nightly, eachHour], options)).toMatchObject({
      outcome: 'synced',
      created: ['hourly', 'nightly'],
    })
    const before = await schedules.get('nightly')
    await schedules.pause('nightly')
    const changed = await schedules.sync([nightly, { ...eachHour, everyMs: 2 * hourMs }], options)
    expect(changed).toMatchObject({ updated: ['hourly'], unchanged: ['nightly'], deleted: [] })
    const after = await schedules.get('nightly')
    expect(after?.nextRunAt).toEqual(before?.nextRunAt)
    expect(after?.pausedAt).not.toBeNull()
    expect(await schedules.sync([eachHour], { ...options, revision: 6 })).toMatchObject({
      deleted: ['nightly'],
    })
    const names = (await schedules.list()).schedules.map(({ name }) => name)
    expect(names).toEqual(['by-hand', 'hourly', 'theirs'])
  })

  test.each<[string, NonNullable<NewSchedule['options']>]>([
    ['metadata', { metadata: { team: 'billing', region: 'eu' } }],
    ['an expiry', { expiresInMs: 60_000 }],
    ['a unique key', { unique: { key: 'invoices', scope: 'live' } }],
    ['a weight', { weight: 3 }],
    ['a key', { key: 'c-1' }],
    ['a queue', { queue: 'reports' }],
    ['a priority', { priority: 1 }],
    ['a number of attempts', { maxAttempts: 9 }],
    ['a timeout', { timeoutMs: 5_000 }],
    ['a retry policy', { retryPolicy: { type: 'fixed', baseMs: 1_000 } }],
  ])(
    'that adds or drops %s updates the schedule, and repeated changes nothing',
    async (_option, jobOptions) => {
      const withOption: NewSchedule = { ...eachHour, options: jobOptions }
      const changes: string[] = []
      for (const schedule of [eachHour, withOption, withOption, eachHour, eachHour]) {
        const { created, updated, unchanged } = await schedules.sync([schedule], options)
        const entries = Object.entries({ created, updated, unchanged })
        changes.push(...entries.filter(([, names]) => names.length > 0).map(([change]) => change))
      }
      expect(changes).toEqual(['created', 'updated', 'unchanged', 'updated', 'unchanged'])
    },
  )

  test('from an older revision changes nothing, also where the newer one has left no schedule', async () => {
    await schedules.sync([nightly], options)
    await schedules.sync([], { ...options, revision: 6 })
    expect(await schedules.sync([nightly], options)).toEqual({
      outcome: 'outdated',
      revision: 6,
      created: [],
      updated: [],
      unchanged: [],
      deleted: [],
    })
    expect((await schedules.list()).schedules).toEqual([])
  })

  test('of two revisions that race ends with the newer one', async () => {
    await Promise.all([
      schedules.sync([nightly], { ...options, revision: 8 }),
      schedules.sync([eachHour], { ...options, revision: 9 }),
      schedules.sync([nightly], { ...options, revision: 7 }),
    ])
    expect((await schedules.list()).schedules).toMatchObject([{ name: 'hourly', revision: 9 }])
  })

  test('is all or nothing, and names the path of each fault', async () => {
    const wrong = [eachHour, { ...nightly, cron: 'x' }, eachHour]
    const issues = await issuesOf(schedules.sync(wrong, options))
    expect(Object.keys(issues)).toEqual(['schedules.1.cron', 'schedules.2.name'])
    await schedules.create(eachHour)
    await expect(schedules.sync([nightly, eachHour], options)).rejects.toMatchObject({
      code: 'schedule_exists',
    })
    expect((await schedules.list()).schedules.map(({ name }) => name)).toEqual(['hourly'])
    await issuesOf(schedules.sync([], { ...options, source: 'not a name' }))
  })
})

test('schedules that are all due at once fire in batches, each once', async () => {
  await world.sql(`
    INSERT INTO queue.schedules (name, kind, payload, options, every_ms, next_run_at, due_at)
    SELECT 's' || n, 'probe', '{}', '{"queue":"default","priority":4,"max_attempts":3,"timeout_ms":null,"retry_policy":null}',
           60000, now(), now() FROM generate_series(1, 2000) AS n`)
  let fired = 0
  for (let more = true; more; ) {
    const report = await fire()
    fired += report.fired.length
    more = report.more
  }
  expect(fired).toBe(2_000)
})
