import type { Queue, Stats } from '@queue/client'

/** What has happened to the jobs of one queue within a time, in seconds. */
export interface QueueRates {
  readonly counts: Stats['total']
  readonly seconds: number
}

/** The rates of the queues, by name. What is counted together, beyond the queues that are kept apart, is nobody's. */
export function ratesByQueue({ series, from, to }: Stats): ReadonlyMap<string, QueueRates> {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1_000
  return new Map(
    series.flatMap(({ queue, ...counts }) => (queue === null ? [] : [[queue, { counts, seconds }]])),
  )
}

/** Of how many seconds the API counts what became due newly. */
const newlySeconds = 300
/** What is started within so many seconds is the flow of a queue that keeps up, and no backlog. */
const flowSeconds = 10

/**
 * In how many milliseconds nothing waits any more that is due, if jobs go on coming and starting as in the last minutes: `never`
 * where as many come as start, or none can start, and `unknown` where nothing tells. What has come is what has become due and still
 * waits, and what was created or failed within that time and has been started: retries come again.
 */
export function clearsInMs(queue: Queue, rates: QueueRates | undefined): number | 'never' | 'unknown' {
  const { ready, newly_ready: newly, oldest_ready_seconds: oldest, workers, paused_at: pausedAt } = queue
  if (ready === 0) return 0
  if (workers === 0 || pausedAt !== null) return 'never'
  if (rates === undefined) return (oldest ?? 0) < newlySeconds ? 'unknown' : 'never'
  const { counts, seconds } = rates
  const outPerSecond = (counts.started + counts.cancelled) / seconds
  if (ready <= outPerSecond * flowSeconds) return (ready / outPerSecond) * 1_000
  const inPerSecond = newly / newlySeconds + (counts.enqueued + counts.retried) / seconds
  return outPerSecond > inPerSecond ? (ready / (outPerSecond - inPerSecond)) * 1_000 : 'never'
}
