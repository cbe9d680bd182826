import { defineJob, type NewSchedule, type Queue, scheduledRunOf } from '@queue/core'
import { handle } from '@queue/worker'
import { z } from 'zod'

export const report = defineJob({ kind: 'report', payload: z.object({ to: z.email() }) })
export const importOrders = defineJob({ kind: 'import_orders', payload: z.object({ shop: z.string() }) })
const closeBooks = defineJob({ kind: 'close_books', payload: z.object({}) })

/** Every night at 02:00 in Berlin, in summer and in winter. On the day on which 02:00 does not exist, it runs at 03:00. */
const nightly: NewSchedule = {
  name: 'nightly-report',
  cron: '0 2 * * *',
  timeZone: 'Europe/Berlin',
  definition: report,
  payload: { to: 'ada@example.com' },
}

/** Every ten minutes. While an import is running, waiting or retrying, further runs are skipped. */
const everyTenMinutes: NewSchedule = {
  name: 'import-orders',
  everyMs: 600_000,
  overlap: 'skip',
  definition: importOrders,
  payload: { shop: 'north' },
}

/** At 08:00 on each of the first ten days of a month. The handler works only on one of them: see `handleCloseBooks`. */
const monthly: NewSchedule = {
  name: 'close-books',
  cron: '0 8 1-10 * *',
  timeZone: 'Europe/Berlin',
  definition: closeBooks,
  payload: {},
}

export const schedules = [nightly, everyTenMinutes, monthly]

const dayInBerlin = new Intl.DateTimeFormat('en-CA', { timeZone: 'Europe/Berlin' })

/** Whether the instant is on the first working day of its month in Berlin. Holidays are given as `2026-01-01`. */
export function isFirstWorkingDay(instant: Date, holidays: ReadonlySet<string>): boolean {
  const today = dayInBerlin.format(instant)
  const day = new Date(`${today.slice(0, 8)}01T00:00:00Z`)
  const isFree = (): boolean =>
    [0, 6].includes(day.getUTCDay()) || holidays.has(day.toISOString().slice(0, 10))
  while (isFree()) day.setUTCDate(day.getUTCDate() + 1)
  return day.toISOString().startsWith(today)
}

/** On other days the job does nothing and succeeds. The day is that of the scheduled instant, even if the job runs late. */
export function handleCloseBooks(queue: Queue, holidays: ReadonlySet<string>, close: () => Promise<void>) {
  return handle(closeBooks, async ({ id, createdAt }) => {
    const job = await queue.get(id)
    const run = job === undefined ? undefined : scheduledRunOf(job)
    if (!isFirstWorkingDay(run?.instant ?? createdAt, holidays)) return { closed: false }
    await close()
    return { closed: true }
  })
}
