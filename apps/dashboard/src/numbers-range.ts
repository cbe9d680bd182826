import type { ErrorPageQuery, Stats, StatsQuery } from '@queue/client'
import { dayMs, hourMs, ranges } from './ranges.ts'
import type { JobSearch, NumbersSearch } from './search.ts'

/** The queue or the kind whose numbers are shown; all jobs if empty. */
export type NumbersScope = Pick<StatsQuery, 'queue' | 'kind'>

/** How long the API keeps counts per minute. */
const minutesKeptMs = 2 * dayMs

export const stepSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const

/** The query for the range in an address. It begins at the start of a step, so that all viewers share one cached response. */
export function statsQueryOf({ range = '1h', from, to }: NumbersSearch, nowMs: number): StatsQuery {
  if (from !== undefined && to !== undefined) {
    return { from, to, step: stepOf(Date.parse(from), Date.parse(to), nowMs) }
  }
  const { ms, step } = ranges[range]
  const stepMs = stepSeconds[step] * 1_000
  return { step, from: new Date(Math.floor((nowMs - ms) / stepMs) * stepMs).toISOString() }
}

/** The time range of failure counts for an address. It begins at the start of an hour, because failures are counted per hour. */
export function failuresTimeOf(search: NumbersSearch, nowMs: number): Pick<ErrorPageQuery, 'from' | 'to'> {
  const { from, to } = statsQueryOf(search, nowMs)
  const fromMs = Math.floor(Date.parse(from ?? '') / hourMs) * hourMs
  return { from: new Date(fromMs).toISOString(), ...(to !== undefined && { to }) }
}

/** The rates cover these whole minutes, plus the current one. */
const ratesMs = 5 * 60_000

/** The recent counts of each queue. It begins at the start of a minute, so that all viewers share one cached response. */
export function queueRatesQuery(nowMs: number): StatsQuery {
  const fromMs = Math.floor((nowMs - ratesMs) / 60_000) * 60_000
  return { by: 'queue', step: 'minute', from: new Date(fromMs).toISOString() }
}

/** The finest step that is still kept and does not make too many points. */
function stepOf(fromMs: number, toMs: number, nowMs: number): NonNullable<StatsQuery['step']> {
  const spanMs = toMs - fromMs
  if (spanMs <= 6 * hourMs && fromMs > nowMs - minutesKeptMs) return 'minute'
  return spanMs <= 8 * dayMs ? 'hour' : 'day'
}

interface Step extends Pick<Stats, 'step'> {
  readonly scope: NumbersScope
}

/** The search for the jobs that were created within a step. */
export function createdIn(at: string, { step, scope }: Step): JobSearch {
  const until = new Date(Date.parse(at) + stepSeconds[step] * 1_000)
  return { ...scope, created_after: at, created_before: until.toISOString() }
}
