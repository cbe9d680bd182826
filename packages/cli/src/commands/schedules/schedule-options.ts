import type { ScheduleTiming } from '@queue/client'
import { choice, duration, text, timestamp, type Valued, type ValuesOf } from '@queue/commands'
import { toMembers } from '../enqueue/job-options.ts'
import { filterOf } from '../reads/jobs.ts'

/** Accepts `none`, which removes a value from a schedule. */
function orNone<Value>(option: Valued<Value>): Valued<Value | null> {
  return {
    ...option,
    summary: `${option.summary}; none removes it`,
    read: (input) => (input === 'none' ? null : option.read(input)),
  }
}

/** When a schedule runs, and what happens to late runs. */
export const timingOptions = {
  cron: text(
    'EXPRESSION',
    'cron expression: minute hour day-of-month month day-of-week, optionally with seconds first',
  ),
  'time-zone': text('ZONE', 'time zone of the expression, such as Europe/Berlin; default: UTC'),
  every: duration('DURATION', 'interval between two runs, instead of an expression'),
  'starts-at': orNone(timestamp('TIME', 'no run before this time')),
  'ends-at': orNone(timestamp('TIME', 'no run at or after this time')),
  jitter: duration('DURATION', 'maximum random delay of each run'),
  missed: choice(
    'POLICY',
    ['skip', 'once', 'all'],
    'what happens to missed runs: none, one or all are made up for; default: once',
  ),
  'missed-window': orNone(duration('DURATION', 'maximum lateness of a run')),
  overlap: choice(
    'POLICY',
    ['allow', 'skip'],
    'whether a run can start while the job of the previous run has not ended; default: allow',
  ),
} as const

export const optionsOfTiming = Object.keys(timingOptions) as readonly (keyof typeof timingOptions)[]

/** The timing options, in the names of the API. */
export function timingOf(values: ValuesOf<typeof timingOptions>): ScheduleTiming {
  return toMembers(filterOf(values, optionsOfTiming))
}
