import { Cron } from 'croner'
import { runAtMsMax, scheduleJitterMsMax, scheduleMissedCountedMax } from '../domain/limits.ts'
import { type ZoneOffsets, zoneOffsets } from './zone-offsets.ts'

/** When a schedule is due: by a cron expression in a time zone, or at each multiple of an interval. */
export interface Timing {
  /** Five or six fields; the first of six is the second. Null with `everyMs`. */
  readonly cron: string | null
  readonly timeZone: string
  readonly everyMs: number | null
  readonly startsAt: Date | null
  /** No instant is at or after this one. */
  readonly endsAt: Date | null
}

/** A series of instants, in milliseconds since 1970. They depend on the database's clock only, never on this process's. */
export interface Instants {
  /** The first instant after `afterMs`; null when there is none. */
  next(afterMs: number): number | null
  /** The last `count` instants at or before `untilMs`, oldest first. */
  last(count: number, untilMs: number): number[]
  /**
   * The instant that this process fires for one that a process has stored. Another release of Node can have other time zone data,
   * and so have stored the instant of the same local time some hours off. If this series goes on within that time, its next
   * instant is the one that was meant, and fires instead. Otherwise the stored one fires. So each local time fires once.
   */
  settle(storedMs: number): number
  /**
   * The number of instants from one instant to another, both included. Those of an expression are counted up to
   * `scheduleMissedCountedMax`.
   */
  count(fromMs: number, toMs: number): number
}

const cronerOptions = { mode: '5-or-6-parts', paused: true } as const

/** The last instant of any schedule: with its jitter it still fits into a JSON date-time. */
const endOfTimeMs = runAtMsMax - scheduleJitterMsMax

/** The instants of a timing. Throws where its expression cannot be parsed, or its time zone is unknown. */
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
    settle: (storedMs) => {
      const instant = series.settle(storedMs)
      return instant < endMs ? instant : storedMs
    },
    count: series.count,
  }
}

/** The first instants after `afterMs`, at most `count`. */
export function instantsAfter(timing: Timing, afterMs: number, count: number): number[] {
  const instants = instantsOf(timing)
  const result: number[] = []
  for (let next = instants.next(afterMs); next !== null; next = instants.next(next)) {
    result.push(next)
    if (result.length === count) break
  }
  return result
}

/** The multiples of the interval, counted from the start, or else from 1970. So the last instant need not be stored. */
function intervalSeries(everyMs: number, startsAt: Date | null): Instants {
  const originMs = startsAt?.getTime() ?? 0
  const atOrBefore = (ms: number): number => originMs + Math.floor((ms - originMs) / everyMs) * everyMs
  return {
    next: (afterMs) => atOrBefore(afterMs) + everyMs,
    last: (count, untilMs) =>
      Array.from({ length: count }, (_, n) => atOrBefore(untilMs) - (count - 1 - n) * everyMs),
    settle: (storedMs) => storedMs,
    count: (fromMs, toMs) => Math.floor((toMs - fromMs) / everyMs) + 1,
  }
}

/**
 * A parsed expression in a time zone, with instants computed so far: computing one takes a tenth of a millisecond, and
 * many schedules share an expression.
 */
interface CachedExpression {
  readonly matches: Matches
  /** The next instant after each of these. */
  readonly nextInstants: Map<number, number | null>
}

/** More instants than a firing after a short gap needs. */
const nextInstantsMax = 256

/** The instants that match an expression, without bounds. */
interface Matches {
  next(afterMs: number): number | null
  /** The last `count` at or before `untilMs`, oldest first. */
  last(count: number, untilMs: number): number[]
}

/** The last value of each field, from the second on. */
const lastValues = [59, 59, 23, 31, 12, 7] as const

/** The expression with an end for each step that has only a start: `1/6` is `1-59/6`, which croner wants to be written out. */
function withEndsOfSteps(cron: string): string {
  const fields = cron.trim().split(/\s+/)
  const last = lastValues.slice(-fields.length)
  return fields.map((field, n) => field.replaceAll(/(?<=^|,)(\w+)\/(?=\d)/g, `$1-${last[n]}/`)).join(' ')
}

/** The fields of an expression, from the last one on. */
const fieldNames = ['day of the week', 'month', 'day of the month', 'hour', 'minute', 'second'] as const

/** The field that keeps an expression from being parsed, as it was written; undefined if none does so alone. */
export function faultyField(cron: string): { readonly name: string; readonly text: string } | undefined {
  const fields = cron.trim().split(/\s+/)
  const index = fields.findIndex(
    (field, n) => !isParsed(fields.map((_, other) => (other === n ? field : '*')).join(' ')),
  )
  const [text, name] = [fields[index], fieldNames[fields.length - 1 - index]]
  return text === undefined || name === undefined ? undefined : { name, text }
}

function isParsed(cron: string): boolean {
  try {
    newExpression(cron, 'UTC')
    return true
  } catch {
    return false
  }
}

function newExpression(cron: string, timeZone: string): Cron {
  return new Cron(withEndsOfSteps(cron), { ...cronerOptions, timezone: timeZone })
}

/**
 * The instants of an expression in a zone. Where its seconds, minutes and hours have no `*` and no step, it names local
 * times: one that occurs twice fires once, and one that the clock skips fires when the clock goes on. Otherwise every
 * instant whose local time matches fires.
 */
function matchesOf(cron: string, timeZone: string): Matches {
  const fields = cron.trim().split(/\s+/)
  const isFixed = !fields.slice(0, -3).some((field) => /[*?/]/.test(field))
  if (!isFixed) return elapsedMatches(newExpression(cron, timeZone))
  const isForAnyDay = [fields.at(-3), fields.at(-1)].every((field) => field === '*' || field === '?')
  return localMatches(newExpression(cron, 'UTC'), { zone: zoneOffsets(timeZone), isForAnyDay })
}

function elapsedMatches(expression: Cron): Matches {
  return {
    next: (afterMs) => nextOf(expression, afterMs),
    last: (count, untilMs) => previousOf(expression, count, untilMs),
  }
}

interface LocalRules {
  readonly zone: ZoneOffsets
  /** Whether every day matches. Otherwise a day that the clock skips has no run: the expression asks for that day. */
  readonly isForAnyDay: boolean
}

/** The instants of the local times that `calendar` finds, as if the zone were UTC. Later times have no earlier instants. */
function localMatches(calendar: Cron, { zone, isForAnyDay }: LocalRules): Matches {
  return {
    next: (afterMs) => {
      let local: number | null = afterMs + zone.at(afterMs)
      while ((local = nextOf(calendar, local)) !== null) {
        const { instant, change, isOnSkippedDay } = zone.localTime(local)
        if (instant > afterMs && (isForAnyDay || !isOnSkippedDay)) return instant
        // Local times that occur a second time after `afterMs` have fired at their first.
        if (instant <= afterMs && change !== undefined)
          local = Math.max(local, change.atMs + change.before - 1)
      }
      return null
    },
    last: (count, untilMs) => {
      // Before the clock was set back it showed later times.
      const latestLocal = untilMs + Math.max(zone.at(untilMs), zone.at(untilMs - dayMs))
      for (let wanted = count + 1; ; wanted = 4 * wanted + 100) {
        const locals = previousOf(calendar, wanted, latestLocal)
        const times = locals.map((local) => zone.localTime(local))
        const instants = times.flatMap(({ instant, isOnSkippedDay }) =>
          instant <= untilMs && (isForAnyDay || !isOnSkippedDay) ? [instant] : [],
        )
        const distinct = [...new Set(instants)]
        if (distinct.length >= count || locals.length < wanted) return distinct.slice(-count)
      }
    },
  }
}

const dayMs = 86_400_000

/** How far two releases of the time zone data can place one local time apart; by multiples of the step. */
const zoneShiftMsMax = 3 * 3_600_000
const zoneShiftStepMs = 900_000

function nextOf(expression: Cron, afterMs: number): number | null {
  return expression.nextRun(new Date(afterMs))?.getTime() ?? null
}

/** croner excludes its reference time, and works in whole seconds. */
function previousOf(expression: Cron, count: number, untilMs: number): number[] {
  return expression
    .previousRuns(count, new Date((Math.floor(untilMs / 1_000) + 1) * 1_000))
    .map((instant) => instant.getTime())
    .reverse()
}

/**
 * The most expressions in the cache. They are kept in the order of their last use, and the least recently used one is
 * dropped.
 */
const expressionsMax = 2_000
const expressions = new Map<string, CachedExpression>()

function cachedExpression({ cron, timeZone }: Pick<Timing, 'cron' | 'timeZone'>): CachedExpression {
  const name = `${timeZone} ${cron}`
  const cached = expressions.get(name) ?? {
    matches: matchesOf(cron ?? '', timeZone),
    nextInstants: new Map(),
  }
  expressions.delete(name)
  expressions.set(name, cached)
  const [oldest] = expressions.keys()
  if (expressions.size > expressionsMax && oldest !== undefined) expressions.delete(oldest)
  return cached
}

function cronSeries(timing: Timing): Instants {
  const { matches, nextInstants } = cachedExpression(timing)
  return {
    next: (afterMs) => {
      const cached = nextInstants.get(afterMs)
      if (cached !== undefined) return cached
      const next = matches.next(afterMs)
      if (nextInstants.size === nextInstantsMax) nextInstants.clear()
      nextInstants.set(afterMs, next)
      return next
    },
    last: matches.last,
    settle: (storedMs) => {
      if (timing.timeZone === 'UTC') return storedMs
      const next = matches.next(storedMs - 1)
      const shiftMs = (next ?? storedMs) - storedMs
      return shiftMs <= zoneShiftMsMax && shiftMs % zoneShiftStepMs === 0 ? storedMs + shiftMs : storedMs
    },
    count: (fromMs, toMs) => {
      let count = 1
      for (let next = matches.next(fromMs); next !== null && next <= toMs; next = matches.next(next)) {
        count += 1
        if (count === scheduleMissedCountedMax) break
      }
      return count
    },
  }
}
