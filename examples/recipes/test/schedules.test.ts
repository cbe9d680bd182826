import { afterAll, beforeEach, expect, test } from '@jest/globals'
import type { Schedule } from '@queue/core'
import { createTestDatabase, drain, eventually, moveTime } from '@queue/testing'
import { createWorker, handle } from '@queue/worker'
import { handleCloseBooks, importOrders, isFirstWorkingDay, report, schedules } from '../src/schedules.ts'

const database = await createTestDatabase()
const { pool, queue } = database
afterAll(() => database.close())
beforeEach(async () => {
  await pool.query('TRUNCATE queue.schedules, queue.schedule_sources, queue.jobs, queue.ended_jobs')
  await queue.schedules.sync(schedules, { source: 'recipes', revision: 1 })
})

const dayMs = 86_400_000
const minuteMs = 60_000
const holidays = new Set(['2026-01-01', '2027-01-01', '2026-05-01', '2026-10-01'])

async function stateOf(name: string): Promise<Partial<Schedule>> {
  return (await queue.schedules.get(name)) ?? {}
}

/** Runs a worker that fires schedules and serves none of their queues, until `isDone` holds. */
async function runWorkerUntil(isDone: () => Promise<boolean>): Promise<void> {
  const handlers = [handle(report, () => undefined)]
  const worker = createWorker({ pool, concurrency: 1, handlers, queues: ['none'] })
  await worker.start()
  try {
    await eventually(isDone)
  } finally {
    await worker.stop()
  }
}

function untilFired(name: string, count: number): Promise<void> {
  return runWorkerUntil(async () => ((await stateOf(name)).firedCount ?? 0) >= count)
}

test('the nightly report runs at 02:00 in Berlin, or at 03:00 if 02:00 does not exist', async () => {
  const time = new Intl.DateTimeFormat('en-GB', {
    timeZone: 'Europe/Berlin',
    hour: '2-digit',
    minute: '2-digit',
  })
  const { instants, description } = await queue.schedules.preview('nightly-report')
  expect(description).toBe('at 02:00, Europe/Berlin')
  for (const at of instants) expect(time.format(at)).toMatch(/^02:00$|^03:00$/)
  // From one night to the next it is 25 hours when the clocks go back.
  await moveTime(database, dayMs + 60 * minuteMs)
  await untilFired('nightly-report', 1)
  const attempts = await drain(database, { handlers: [handle(report, () => undefined)] })
  expect(attempts).toMatchObject([{ kind: 'report', outcome: 'succeeded' }])
})

test('the import runs every ten minutes, but not while another import runs', async () => {
  await moveTime(database, 10 * minuteMs)
  await untilFired('import-orders', 1)
  // Its job has not ended, so the run that is due now is skipped.
  await moveTime(database, 10 * minuteMs)
  await runWorkerUntil(async () => ((await stateOf('import-orders')).skippedCount ?? 0) >= 1)
  expect(await drain(database, { handlers: [handle(importOrders, () => 'done')] })).toHaveLength(1)
  await moveTime(database, 10 * minuteMs)
  await untilFired('import-orders', 2)
})

test('the books are closed once a month, on its first working day', async () => {
  const days = Array.from({ length: 365 }, (_, n) => new Date(Date.parse('2026-01-01T07:30:00Z') + n * dayMs))
  const closing = days
    .filter((day) => isFirstWorkingDay(day, holidays))
    .map((day) => day.toISOString().slice(5, 10))
  expect(closing).toEqual([
    '01-02',
    '02-02',
    '03-02',
    '04-01',
    '05-04',
    '06-01',
    '07-01',
    '08-03',
    '09-01',
    '10-02',
    '11-02',
    '12-01',
  ])
  const { instants } = await queue.schedules.preview('close-books')
  const complete = instants.slice(instants.findIndex((at) => at.getUTCDate() === 1)).slice(0, 10)
  expect(complete.filter((at) => isFirstWorkingDay(at, holidays))).toHaveLength(1)

  await moveTime(database, 31 * dayMs)
  await untilFired('close-books', 1)
  let closed = 0
  const close = async (): Promise<void> => void (closed += 1)
  const { lastRunAt } = await stateOf('close-books')
  const handlers = [
    handle(report, () => null),
    handle(importOrders, () => null),
    handleCloseBooks(queue, holidays, close),
  ]
  const attempts = await drain(database, { handlers })
  expect(attempts.some(({ kind }) => kind === 'close_books')).toBe(true)
  expect(closed).toBe(isFirstWorkingDay(lastRunAt ?? new Date(), holidays) ? 1 : 0)
})
