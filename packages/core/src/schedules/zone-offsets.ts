// The offsets of a time zone from UTC, and the instants at which its local times occur.

const dayMs = 86_400_000
/** More than the offset of any zone from UTC: at this distance from a local time lie the offsets before and after it. */
const offsetMsMax = 15 * 3_600_000

/** A change of a zone's offset. Instants and offsets are in milliseconds. */
interface OffsetChange {
  readonly atMs: number
  readonly before: number
  readonly after: number
}

/** A local time in a zone, in milliseconds since 1970 as if the zone were UTC. */
export interface LocalTime {
  /** The first instant at which it occurs; if the clock skips it, the instant at which the clock goes on. */
  readonly instant: number
  /** The change of the clock near it, if there is one. */
  readonly change: OffsetChange | undefined
  /** Whether the clock skips all of its day, as that of Samoa skipped 30 December 2011. */
  readonly isOnSkippedDay: boolean
}

/** The local times of one zone. */
export interface ZoneOffsets {
  /** The offset from UTC at an instant. */
  at(instant: number): number
  /** When a local time occurs. Assumes at most one change of the clock within 15 hours of it. */
  localTime(local: number): LocalTime
}

export function zoneOffsets(timeZone: string): ZoneOffsets {
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  })
  const at = (instant: number): number => {
    const whole = Math.floor(instant / 1_000) * 1_000
    const parts = Object.fromEntries(format.formatToParts(whole).map(({ type, value }) => [type, value]))
    const [year, month, day, hour, minute, second] = unitNames.map((name) => Number(parts[name])) as Units
    return Date.UTC(year, month - 1, day, hour, minute, second) - whole
  }
  const changeNear = (local: number): OffsetChange | undefined => {
    const [earlyMs, lateMs] = [local - offsetMsMax, local + offsetMsMax]
    const [before, after] = [at(earlyMs), at(lateMs)]
    return before === after ? undefined : { atMs: changeBetween(at, earlyMs, lateMs), before, after }
  }
  return {
    at,
    localTime: (local) => {
      const change = changeNear(local)
      if (change === undefined) return { instant: local - at(local), change, isOnSkippedDay: false }
      const { atMs, before, after } = change
      if (local - before < atMs) return { instant: local - before, change, isOnSkippedDay: false }
      if (local - after >= atMs) return { instant: local - after, change, isOnSkippedDay: false }
      const day = Math.floor(local / dayMs) * dayMs
      const isOnSkippedDay = day >= atMs + before && day + dayMs <= atMs + after
      return { instant: atMs, change, isOnSkippedDay }
    },
  }
}

const unitNames = ['year', 'month', 'day', 'hour', 'minute', 'second'] as const
type Units = [year: number, month: number, day: number, hour: number, minute: number, second: number]

/** The first whole second with the later offset, between two instants with different ones. */
function changeBetween(at: (instant: number) => number, earlyMs: number, lateMs: number): number {
  const before = at(earlyMs)
  let [low, high] = [Math.floor(earlyMs / 1_000), Math.ceil(lateMs / 1_000)]
  while (high - low > 1) {
    const middle = Math.floor((low + high) / 2)
    if (at(middle * 1_000) === before) low = middle
    else high = middle
  }
  return high * 1_000
}
