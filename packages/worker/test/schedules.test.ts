import { describe, expect, jest, test } from '@jest/globals'
import { type NewSchedule, scheduledRunOf } from '@queue/core'
import { createNotifier, databaseOf } from '@queue/core/internal'
import { handle } from '@queue/executor'
import { eventually } from '@queue/test-database'
import { createScheduleLoop } from '../src/schedule-loop.ts'
import { testJob, useWorld } from './support/world.ts'

const world = useWorld()

const tick: NewSchedule = { name: 'tick', everyMs: 1_000, definition: testJob, payload: { n: 1 } }

async function runs(name: string): Promise<number[]> {
  const { jobs } = await world.database.queue.list({ limit: 200 })
  return jobs
    .flatMap((job) => scheduledRunOf(job) ?? [])
    .filter(({ schedule }) => schedule === name)
    .map(({ instant }) => instant.getTime())
    .sort((a, b) => a - b)
}

/** A scheduling loop on a database without schedules, which counts its queries. */
function loopWithoutSchedules(receivesNotifications: () => boolean) {
  const { logger, observer, database } = world
  let queryCount = 0
  const run = (): Promise<unknown[]> => {
    queryCount += 1
    return Promise.resolve([{ due_ms: null }])
  }
  const loop = createScheduleLoop({
    database: { ...databaseOf(database.queue), run } as never,
    notifier: createNotifier(databaseOf(database.queue)),
    reporting: { logger, observer },
    definitions: new Map(),
    receivesNotifications,
  })
  return { loop, queryCount: () => queryCount }
}

describe('where there is no schedule, a worker', () => {
  test('looks for one every 5 s, and every 30 s where it is told of a new one', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] })
    let receivesNotifications = false
    const { loop, queryCount } = loopWithoutSchedules(() => receivesNotifications)
    try {
      loop.start()
      await jest.advanceTimersByTimeAsync(0)
      expect(queryCount()).toBe(1)
      await jest.advanceTimersByTimeAsync(5_000)
      expect(queryCount()).toBe(2)
      await jest.advanceTimersByTimeAsync(4_999)
      expect(queryCount()).toBe(2)
      receivesNotifications = true
      await jest.advanceTimersByTimeAsync(1)
      expect(queryCount()).toBe(3)
      await jest.advanceTimersByTimeAsync(29_999)
      expect(queryCount()).toBe(3)
      // Without notifications it polls every 5 s.
      receivesNotifications = false
      loop.wake()
      await jest.advanceTimersByTimeAsync(0)
      expect(queryCount()).toBe(4)
      await jest.advanceTimersByTimeAsync(5_000)
      expect(queryCount()).toBe(5)
    } finally {
      jest.useRealTimers()
      await loop.stop()
    }
  })

  test('without notifications fires the first one soon', async () => {
    await world.work(() => undefined, { notifications: false })
    const before = performance.now()
    await world.database.queue.schedules.create(tick)
    await eventually(async () => (await runs('tick')).length > 0)
    expect(performance.now() - before).toBeLessThan(15_000)
  })
})

describe('a worker', () => {
  test('fires what is due, beside others, and each instant once', async () => {
    const workers = await Promise.all([1, 2, 3].map(() => world.work(() => undefined)))
    await world.database.queue.schedules.create(tick)
    await eventually(async () => (await runs('tick')).length >= 3)
    await Promise.all(workers.map((worker) => worker.stop()))
    const instants = await runs('tick')
    expect(new Set(instants).size).toBe(instants.length)
    expect(instants.every((ms) => ms % 1_000 === 0)).toBe(true)
    const { firedCount } = (await world.database.queue.schedules.get('tick')) ?? {}
    expect(firedCount).toBe(instants.length)
  })

  test('runs the jobs of its schedules', async () => {
    const payloads: unknown[] = []
    await world.work((job) => void payloads.push(job.payload))
    await world.database.queue.schedules.create(tick)
    await eventually(() => payloads.length > 0)
    expect(payloads[0]).toEqual({ n: 1 })
  })

  test('fires a new schedule long before its next poll', async () => {
    await world.work(() => undefined)
    const before = performance.now()
    await world.database.queue.schedules.create(tick)
    await eventually(async () => (await runs('tick')).length > 0)
    // Behind a pooler there are no notifications, and the poll finds it.
    expect(performance.now() - before).toBeLessThan(15_000)
  })

  test('registers its schedules, and an older release does not change those of a newer one', async () => {
    const handlers = [handle(testJob, () => undefined)]
    const release = (revision: number, list: readonly NewSchedule[]) =>
      world.create({ handlers }, { schedules: { source: 'app', revision, prune: true, list } }).start()
    await release(2, [tick])
    await release(1, [{ ...tick, name: 'old' }])
    const { schedules } = await world.database.queue.schedules.list()
    expect(schedules).toMatchObject([{ name: 'tick', source: 'app', revision: 2 }])
    await expect(release(3, [{ ...tick, everyMs: 1 }])).rejects.toMatchObject({ code: 'invalid_schedule' })
  })

  test('pauses a schedule whose payload its handler refuses, with the reason', async () => {
    const { schedules } = world.database.queue
    await schedules.create(tick)
    await world.database.pool.query(`UPDATE queue.schedules SET payload = '"no object"'`)
    await world.work(() => undefined)
    await eventually(async () => (await schedules.get('tick'))?.pausedReason ?? false)
    // The row changes a moment before the worker gets the answer and logs it.
    await eventually(() =>
      world.logger.lines.some(({ message }) => message.startsWith('a schedule was paused')),
    )
    expect(await runs('tick')).toEqual([])
  })
})
