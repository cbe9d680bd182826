// Computes when an expression fires in another way than the product: another library reads the expression as local
// times without a zone, the offsets of a zone come from Node, and the rules for days of change are applied to both.
import { CronExpressionParser } from 'cron-parser'

/** A period in which a zone has one offset from UTC. */
interface OffsetPeriod {
  readonly fromMs: number
  readonly toMs: number
  readonly offsetMs: number
}

const dayMs = 86_400_000
/** The maximum offset of any zone from UTC. */
const offsetMsMax = 15 * 3_600_000

/** The offset periods of a zone between two instants. Two changes within a day would count as one. */
export function offsetPeriodsOf(timeZone: string, fromMs: number, toMs: number): OffsetPeriod[] {
  const offsetAt = offsetsOf(timeZone)
  const changes: number[] = []
  for (let day = fromMs; day < toMs; day += dayMs) {
    if (offsetAt(day) !== offsetAt(day + dayMs)) changes.push(changeBetween(offsetAt, day, day + dayMs))
  }
  const starts = [fromMs, ...changes]
  return starts.map((start, n) => ({
    fromMs: start,
    toMs: starts[n + 1] ?? toMs,
    offsetMs: offsetAt(start),
  }))
}

/** The instants at which the offset changes. */
export function changesOf(periods: readonly OffsetPeriod[]): number[] {
  return periods.slice(1).map(({ fromMs }) => fromMs)
}

function offsetsOf(timeZone: string): (ms: number) => number {
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
  return (ms) => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    return Date.UTC(year, month - 1, day, hour, minute, second) - Math.floor(ms / 1_000) * 1_000
  }
}

function changeBetween(offsetAt: (ms: number) => number, fromMs: number, toMs: number): number {
  const before = offsetAt(fromMs)
  let [low, high] = [fromMs, toMs]
  while (high - low > 1_000) {
    const middle = Math.floor((low + high) / 2_000) * 1_000
    if (offsetAt(middle) === before) low = middle
    else high = middle
  }
  return high
}

/** The local times of long spans, by expression and span: they are read once for all zones. */
const longTimes = new Map<string, number[]>()

function isLong(fromMs: number, toMs: number): boolean {
  return toMs - fromMs > 365 * dayMs
}

/** The local times of an expression, as if they were UTC. */
function localTimes(cron: string, fromMs: number, toMs: number): number[] {
  const name = `${cron} ${fromMs} ${toMs}`
  const times = longTimes.get(name) ?? readTimes(cron, fromMs, toMs)
  if (isLong(fromMs, toMs)) longTimes.set(name, times)
  return times
}

function readTimes(cron: string, fromMs: number, toMs: number): number[] {
  const options = { tz: 'UTC', currentDate: new Date(fromMs - 1_000), endDate: new Date(toMs) }
  const expression = CronExpressionParser.parse(cron, options)
  const times: number[] = []
  while (expression.hasNext()) times.push(expression.next().getTime())
  return times
}

/** Whether each local time counts once whatever the clock does: seconds, minutes and hours have no `*` and no step. */
function isFixed(cron: string): boolean {
  return !/[*?/]/.test(cron.trim().split(/\s+/).slice(0, -3).join(' '))
}

/** All instants of an expression in a zone with these offset periods, from one instant to before another. */
export function expectedInstants(
  cron: string,
  periods: readonly OffsetPeriod[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): number[] {
  const fixed = isFixed(cron)
  const offsets = isLong(fromMs, toMs) ? [-offsetMsMax, offsetMsMax] : offsetsBetween(periods, fromMs, toMs)
  const locals = localTimes(cron, fromMs + Math.min(...offsets), toMs + Math.max(...offsets))
  const instants = locals.flatMap((local) => {
    const candidates = periods.flatMap((period) => {
      const instant = local - period.offsetMs
      return instant >= period.fromMs && instant < period.toMs ? [instant] : []
    })
    if (!fixed) return candidates
    const [first] = candidates
    return first === undefined ? endOfGap(local, periods) : [first]
  })
  return [...new Set(instants)].filter((ms) => ms >= fromMs && ms < toMs).sort((a, b) => a - b)
}

/** The offsets within a span, and those on both sides of a change at its ends. */
function offsetsBetween(periods: readonly OffsetPeriod[], fromMs: number, toMs: number): number[] {
  return periods
    .filter((period) => period.fromMs <= toMs && period.toMs >= fromMs)
    .map(({ offsetMs }) => offsetMs)
}

/** The end of the gap in which a local time falls, or nothing. */
function endOfGap(local: number, periods: readonly OffsetPeriod[]): number[] {
  return periods.slice(1).flatMap(({ fromMs, offsetMs }, n) => {
    const before = periods[n]?.offsetMs ?? offsetMs
    return local >= fromMs + before && local < fromMs + offsetMs ? [fromMs] : []
  })
}
