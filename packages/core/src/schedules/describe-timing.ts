import cronstrue from 'cronstrue'
import type { Timing } from './timing.ts'

const units = [
  { name: 'day', ms: 86_400_000 },
  { name: 'hour', ms: 3_600_000 },
  { name: 'minute', ms: 60_000 },
  { name: 'second', ms: 1_000 },
  { name: 'millisecond', ms: 1 },
] as const

/** A description of when a schedule is due: `at 02:00, Monday through Friday, Europe/Berlin`. */
export function describeTiming({ cron, timeZone, everyMs }: Timing): string {
  if (everyMs !== null) return describeInterval(everyMs)
  return `${describeExpression(cron ?? '')}, ${timeZone}`
}

function describeInterval(everyMs: number): string {
  const unit = units.find(({ ms }) => everyMs % ms === 0) ?? units[4]
  const count = everyMs / unit.ms
  return count === 1 ? `every ${unit.name}` : `every ${count} ${unit.name}s`
}

/** The description of an expression; the expression itself where it cannot be described. */
function describeExpression(cron: string): string {
  try {
    const words = cronstrue.toString(cron, { use24HourTimeFormat: true })
    const description = matchesEitherDay(cron) ? words.replace(', and ', ', or ') : words
    return description.charAt(0).toLowerCase() + description.slice(1)
  } catch {
    return cron
  }
}

/** Whether both the day of the month and the day of the week are restricted. A day then matches if either does. */
function matchesEitherDay(cron: string): boolean {
  const [dayOfMonth, , dayOfWeek] = cron.trim().split(/\s+/).slice(-3)
  return [dayOfMonth, dayOfWeek].every((field) => field !== '*' && field !== '?')
}
