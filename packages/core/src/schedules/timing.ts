import { createRequire } from 'node:module'
import type * as Croner from 'croner'
import { runAtMsMax, scheduleJitterMsMax, scheduleMissedCountedMax } from '../domain/limits.ts'

/** When a schedule is due: by an expression in a time zone, or at every multiple of an interval. */
export interface Timing {
  /** Five or six fields; with six the first is the second. Null with `everyMs`. */
  readonly cron: string | null
  readonly timeZone: string
  readonly everyMs: number | null
  readonly startsAt: Date | null
  /** No instant at or after this one. */
  readonly endsAt: Date | null
}

/** Instants are milliseconds since 1970: they come from the database's clock, and this process's own has no part in them. */
export interface Instants {
  /** The first instant after `afterMs`; null when there is none. */
  next(afterMs: number): number | null
  /** The last `count` instants at or before `untilMs`, oldest first. */
  last(count: number, untilMs: number): number[]
  /** How many there are from one instant to another, both included; those of an expression up to `scheduleMissedCountedMax`. */
  count(fromMs: number, toMs: number): number
}

/**
 * A time that occurs twice is taken once, and one that does not exist at the next that does, where seconds, minutes and hours
 * hold no `*` and no step. Otherwise every instant counts whose local time matches.
 */
const rules = { mode: '5-or-6-parts', fixedTimeRule: 'no-wildcard', paused: true } as const

/** No run comes after the last instant that a date-time of JSON can say, its jitter included. */
const endOfTimeMs = runAtMsMax - scheduleJitterMsMax

/** The instants of a timing. Throws where its expression cannot be read, or its zone is unknown. */
export function instantsOf(timing: Timing): Instants {
  const { startsAt, endsAt } = timing
  const series = timing.everyMs === null ? cronSeries(timing) : intervalSeries(timing.everyMs, startsAt)
  const startMs = startsAt?.getTime() ?? Number.NEGATIVE_INFINITY
  const endMs = Math.min(endsAt?.getTime() ?? endOfTimeMs, endOfTimeMs)
  return {
    next: (afterMs) => {
      const instant = series.next(Math.max(afterMs, startMs - 1))
      return instant === null || instant >= endMs ? null : instant
    },
    last: (count, untilMs) =>
      series.last(count, Math.min(untilMs, endMs - 1)).filter((instant) => instant >= startMs),
    count: series.count,
  }
}

/** The first instants after `afterMs`, `count` at most. */
export function instantsAfter(timing: Timing, afterMs: number, count: number): number[] {
  const instants = instantsOf(timing)
  const found: number[] = []
  for (let next = instants.next(afterMs); next !== null; next = instants.next(next)) {
    found.push(next)
    if (found.length === count) break
  }
  return found
}

/** Multiples of the interval, counted from the start, and without one from 1970: nobody has to remember the last. */
function intervalSeries(everyMs: number, startsAt: Date | null): Instants {
  const originMs = startsAt?.getTime() ?? 0
  const atOrBefore = (ms: number): number => originMs + Math.floor((ms - originMs) / everyMs) * everyMs
  return {
    next: (afterMs) => atOrBefore(afterMs) + everyMs,
    last: (count, untilMs) =>
      Array.from({ length: count }, (_, n) => atOrBefore(untilMs) - (count - 1 - n) * everyMs),
    count: (fromMs, toMs) => Math.floor((toMs - fromMs) / everyMs) + 1,
  }
}

/** What one expression in one zone has given: computing an instant takes a tenth of a millisecond, and many schedules share one. */
interface KnownExpression {
  readonly expression: Croner.Cron
  /** The instants that follow others. */
  readonly following: Map<number, number | null>
}

/** More instants than a firing after a short gap asks for. */
const followingMax = 256

/** Loaded with the first expression: it takes 3 MB, which a worker without schedules does without. */
const require = createRequire(import.meta.url)

function newExpression(cron: string, timeZone: string): Croner.Cron {
  const { Cron } = require('croner') as typeof Croner
  return new Cron(cron, { ...rules, timezone: timeZone })
}

/** Expressions are kept in the order of their last use, and the oldest is dropped beyond this many. */
const knownMax = 2_000
const known = new Map<string, KnownExpression>()

function knownExpression({ cron, timeZone }: Pick<Timing, 'cron' | 'timeZone'>): KnownExpression {
  const name = `${timeZone} ${cron}`
  const found = known.get(name) ?? {
    expression: newExpression(cron ?? '', timeZone),
    following: new Map(),
  }
  known.delete(name)
  known.set(name, found)
  const [oldest] = known.keys()
  if (known.size > knownMax && oldest !== undefined) known.delete(oldest)
  return found
}

function cronSeries(timing: Timing): Instants {
  const { expression, following } = knownExpression(timing)
  const compute = (afterMs: number): number | null => expression.nextRun(new Date(afterMs))?.getTime() ?? null
  return {
    next: (afterMs) => {
      const found = following.get(afterMs)
      if (found !== undefined) return found
      const next = compute(afterMs)
      if (following.size === followingMax) following.clear()
      following.set(afterMs, next)
      return next
    },
    // The reference is excluded, and counts to the second.
    last: (count, untilMs) =>
      expression
        .previousRuns(count, new Date((Math.floor(untilMs / 1_000) + 1) * 1_000))
        .map((instant) => instant.getTime())
        .reverse(),
    count: (fromMs, toMs) => {
      let found = 1
      for (let next = compute(fromMs); next !== null && next <= toMs; next = compute(next)) {
        found += 1
        if (found === scheduleMissedCountedMax) break
      }
      return found
    },
  }
}
