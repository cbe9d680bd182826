// When an expression fires, found in another way than the product's: another library reads the expression, as local times
// without a zone; the offsets of a zone are read from Node; and the rules of the days of change are applied to those.
import { CronExpressionParser } from 'cron-parser'

/** A stretch of time in which a zone has one offset from UTC. */
interface Stretch {
  readonly fromMs: number
  readonly toMs: number
  readonly offsetMs: number
}

const dayMs = 86_400_000
/** No zone is further from UTC. */
const offsetMsMax = 15 * 3_600_000

/** The stretches of a zone from one instant to another. A zone that changes twice within a day would show but one change. */
export function stretchesOf(timeZone: string, fromMs: number, toMs: number): Stretch[] {
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
export function changesOf(stretches: readonly Stretch[]): number[] {
  return stretches.slice(1).map(({ fromMs }) => fromMs)
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

/** Local times by expression and span: those of a decade are read once for all zones. */
const knownTimes = new Map<string, number[]>()

function isLong(fromMs: number, toMs: number): boolean {
  return toMs - fromMs > 365 * dayMs
}

/** The local times of an expression, as if they were UTC. */
function localTimes(cron: string, fromMs: number, toMs: number): number[] {
  const name = `${cron} ${fromMs} ${toMs}`
  const times = knownTimes.get(name) ?? readTimes(cron, fromMs, toMs)
  if (isLong(fromMs, toMs)) knownTimes.set(name, times)
  return times
}

function readTimes(cron: string, fromMs: number, toMs: number): number[] {
  const options = { tz: 'UTC', currentDate: new Date(fromMs - 1_000), endDate: new Date(toMs) }
  const expression = CronExpressionParser.parse(cron, options)
  const times: number[] = []
  while (expression.hasNext()) times.push(expression.next().getTime())
  return times
}

/** Whether each local time counts once, whatever the clock does: seconds, minutes and hours hold no `*` and no step. */
function isFixed(cron: string): boolean {
  return !/[*?/]/.test(cron.trim().split(/\s+/).slice(0, -3).join(' '))
}

/** Every instant of an expression in a zone with these stretches, from one instant to before another. */
export function expectedInstants(
  cron: string,
  stretches: readonly Stretch[],
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
): number[] {
  const fixed = isFixed(cron)
  const offsets = isLong(fromMs, toMs) ? [-offsetMsMax, offsetMsMax] : offsetsBetween(stretches, fromMs, toMs)
  const locals = localTimes(cron, fromMs + Math.min(...offsets), toMs + Math.max(...offsets))
  const instants = locals.flatMap((local) => {
    const found = stretches.flatMap((one) => {
      const instant = local - one.offsetMs
      return instant >= one.fromMs && instant < one.toMs ? [instant] : []
    })
    if (!fixed) return found
    const [first] = found
    return first === undefined ? afterGap(local, stretches) : [first]
  })
  return [...new Set(instants)].filter((ms) => ms >= fromMs && ms < toMs).sort((a, b) => a - b)
}

/** The offsets that hold at some time of a span, and those on either side of a change at its borders. */
function offsetsBetween(stretches: readonly Stretch[], fromMs: number, toMs: number): number[] {
  return stretches.filter((one) => one.fromMs <= toMs && one.toMs >= fromMs).map(({ offsetMs }) => offsetMs)
}

/** The end of the gap that a local time falls into. */
function afterGap(local: number, stretches: readonly Stretch[]): number[] {
  return stretches.slice(1).flatMap(({ fromMs, offsetMs }, n) => {
    const before = stretches[n]?.offsetMs ?? offsetMs
    return local >= fromMs + before && local < fromMs + offsetMs ? [fromMs] : []
  })
}
