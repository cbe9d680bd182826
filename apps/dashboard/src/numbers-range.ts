import type { ErrorPageQuery, Stats, StatsQuery } from '@queue/client'
import type { JobSearch, NumbersSearch } from './search.ts'

/** Of this queue, or this kind; neither: of all. */
export type NumbersAbout = Pick<StatsQuery, 'queue' | 'kind'>

const hourMs = 3_600_000
const dayMs = 24 * hourMs
/** Minutes are kept for so long. */
const minutesKeptMs = 2 * dayMs

/** The ranges that are offered, and the steps in which each is shown. */
export const ranges = {
  '1h': { words: '1 h', ms: hourMs, step: 'minute' },
  '24h': { words: '24 h', ms: dayMs, step: 'hour' },
  '7d': { words: '7 d', ms: 7 * dayMs, step: 'hour' },
  '30d': { words: '30 d', ms: 30 * dayMs, step: 'day' },
} as const satisfies Record<
  string,
  { readonly words: string; readonly ms: number; readonly step: NonNullable<StatsQuery['step']> }
>

export type RangeName = keyof typeof ranges

export const rangeNames = Object.keys(ranges) as readonly RangeName[]

export const stepSeconds = { minute: 60, hour: 3_600, day: 86_400 } as const

/** What is asked for, by an address. The beginning is that of a step, so that all who look ask for the same. */
export function statsQueryOf({ range = '1h', from, to }: NumbersSearch, nowMs: number): StatsQuery {
  if (from !== undefined && to !== undefined) {
    return { from, to, step: stepOf(Date.parse(from), Date.parse(to), nowMs) }
  }
  const { ms, step } = ranges[range]
  const stepMs = stepSeconds[step] * 1_000
  return { step, from: new Date(Math.floor((nowMs - ms) / stepMs) * stepMs).toISOString() }
}

/** The time of which failures are counted, by an address: from the beginning of an hour, as they are counted by hours. */
export function failuresTimeOf(search: NumbersSearch, nowMs: number): Pick<ErrorPageQuery, 'from' | 'to'> {
  const { from, to } = statsQueryOf(search, nowMs)
  const fromMs = Math.floor(Date.parse(from ?? '') / hourMs) * hourMs
  return { from: new Date(fromMs).toISOString(), ...(to !== undefined && { to }) }
}

/** Of so many whole minutes, and of the one that is under way. */
const ratesMs = 5 * 60_000

/** What each queue has done lately. From the beginning of a minute, so that all who look ask for the same. */
export function queueRatesQuery(nowMs: number): StatsQuery {
  const fromMs = Math.floor((nowMs - ratesMs) / 60_000) * 60_000
  return { by: 'queue', step: 'minute', from: new Date(fromMs).toISOString() }
}

/** The finest that is kept so long, and that makes not too many points. */
function stepOf(fromMs: number, toMs: number, nowMs: number): NonNullable<StatsQuery['step']> {
  const spanMs = toMs - fromMs
  if (spanMs <= 6 * hourMs && fromMs > nowMs - minutesKeptMs) return 'minute'
  return spanMs <= 8 * dayMs ? 'hour' : 'day'
}

interface Step extends Pick<Stats, 'step'> {
  readonly about: NumbersAbout
}

/** The address of the jobs that were created within a step. */
export function createdIn(at: string, { step, about }: Step): JobSearch {
  const until = new Date(Date.parse(at) + stepSeconds[step] * 1_000)
  return { ...about, created_after: at, created_before: until.toISOString() }
}
