import type { ScheduleTiming } from '@queue/client'
import type { ScheduleTimingOptions } from '@queue/core'
import { toFilter } from '../doors/wire.ts'
import { choice, duration, instant, text, type Valued, type ValuesOf } from '../options.ts'
import { filterOf, toMembers } from './jobs.ts'

/** `none` takes away what the schedule has. */
function orNone<Value>(option: Valued<Value>): Valued<Value | null> {
  return {
    ...option,
    summary: `${option.summary}; none takes it away`,
    read: (given) => (given === 'none' ? null : option.read(given)),
  }
}

/** When a schedule fires, and what becomes of runs that are late. */
export const timingOptions = {
  cron: text('EXPRESSION', 'minute hour day-of-month month day-of-week, or six fields with the second first'),
  'time-zone': text('ZONE', 'where the expression counts, such as Europe/Berlin; default: UTC'),
  every: duration('DURATION', 'the time between two runs, in place of an expression'),
  'starts-at': orNone(instant('INSTANT', 'no run before it')),
  'ends-at': orNone(instant('INSTANT', 'no run at it or after it')),
  jitter: duration('DURATION', 'each run comes up to so much later'),
  missed: choice(
    'POLICY',
    ['skip', 'once', 'all'],
    'what becomes of runs that fell into a gap; default: once',
  ),
  'missed-window': orNone(duration('DURATION', 'how late a run may begin')),
  overlap: choice(
    'POLICY',
    ['allow', 'skip'],
    'whether a run may begin beside the one before; default: allow',
  ),
} as const

export const optionsOfTiming = Object.keys(timingOptions) as readonly (keyof typeof timingOptions)[]

/** What was given of it, in the names of the API. */
export function timingOf(values: ValuesOf<typeof timingOptions>): ScheduleTiming {
  return toMembers(filterOf(values, optionsOfTiming))
}

const memberNames = [
  'cron',
  'time_zone',
  'every_ms',
  'starts_at',
  'ends_at',
  'jitter_ms',
  'missed',
  'missed_window_ms',
  'overlap',
] as const satisfies readonly (keyof ScheduleTiming)[]

/** The timing of a document of the API, for the library. */
export function toTiming(given: ScheduleTiming): ScheduleTimingOptions {
  const members = memberNames.flatMap((name) => (given[name] === undefined ? [] : [[name, given[name]]]))
  const { startsAt, endsAt, ...timing } = toFilter(Object.fromEntries(members))
  return { ...timing, ...instantsOf({ startsAt, endsAt }) }
}

function instantsOf(given: Readonly<Record<string, unknown>>): ScheduleTimingOptions {
  const texts = Object.entries(given).filter(([, value]) => value !== undefined)
  return Object.fromEntries(
    texts.map(([name, value]) => [name, typeof value === 'string' ? new Date(value) : value]),
  )
}
