import { createRequire } from 'node:module'
import type Cronstrue from 'cronstrue'
import type { Timing } from './timing.ts'

/** Loaded when an expression is first said in words: a worker without schedules does without its memory. */
const require = createRequire(import.meta.url)

const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
  { name: 'second', ms: 1_000 },
  { name: 'millisecond', ms: 1 },
] as const

/** When a schedule is due, in words: `at 02:00, Monday through Friday, Europe/Berlin`. */
export function describeTiming({ cron, timeZone, everyMs }: Timing): string {
  if (everyMs !== null) return describeInterval(everyMs)
  return `${describeExpression(cron ?? '')}, ${timeZone}`
}

function describeInterval(everyMs: number): string {
  const unit = units.find(({ ms }) => everyMs % ms === 0) ?? units[4]
  const count = everyMs / unit.ms
  return count === 1 ? `every ${unit.name}` : `every ${count} ${unit.name}s`
}

/** The expression itself where there are no words for it. */
function describeExpression(cron: string): string {
  try {
    const cronstrue = require('cronstrue') as typeof Cronstrue
    const words = cronstrue.toString(cron, { use24HourTimeFormat: true })
    const aloud = eitherDay(cron) ? words.replace(', and ', ', or ') : words
    return aloud.charAt(0).toLowerCase() + aloud.slice(1)
  } catch {
    return cron
  }
}

/** Where both the day of the month and the day of the week are bound, either of them makes a day match. */
function eitherDay(cron: string): boolean {
  const [dayOfMonth, , dayOfWeek] = cron.trim().split(/\s+/).slice(-3)
  return [dayOfMonth, dayOfWeek].every((field) => field !== '*' && field !== '?')
}
