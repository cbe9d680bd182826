import type { Queue, Stats } from '@queue/client'

/** The counts of one queue over a number of seconds. */
export interface QueueRates {
  readonly counts: Stats['total']
  readonly seconds: number
}

/** The rates by queue name. The series without a queue sums up the queues beyond the limit, so it is dropped. */
export function ratesByQueue({ series, from, to }: Stats): ReadonlyMap<string, QueueRates> {
  const seconds = (Date.parse(to) - Date.parse(from)) / 1_000
  return new Map(
    series.flatMap(({ queue, ...counts }) => (queue === null ? [] : [[queue, { counts, seconds }]])),
  )
}

/** The window in which the API counts `newly_ready` jobs. */
const newlyReadySeconds = 300
/** A backlog that starts within this time is the normal flow of a queue that keeps up. */
const flowSeconds = 10

/**
 * In how many milliseconds no due job waits any more, if jobs arrive and start as in the last minutes. `never` if as many arrive as
 * start, or none can start. `unknown` if there are no counts. Arrivals are the jobs that became due and still wait, plus the jobs that
 * were enqueued or retried in that time.
 */
export function clearsInMs(queue: Queue, rates: QueueRates | undefined): number | 'never' | 'unknown' {
  const { ready, newly_ready: newlyReady, oldest_ready_seconds: oldest, workers, paused_at: pausedAt } = queue
  if (ready === 0) return 0
  if (workers === 0 || pausedAt !== null) return 'never'
  if (rates === undefined) return (oldest ?? 0) < newlyReadySeconds ? 'unknown' : 'never'
  const { counts, seconds } = rates
  const startsPerSecond = (counts.started + counts.cancelled) / seconds
  if (ready <= startsPerSecond * flowSeconds) return (ready / startsPerSecond) * 1_000
  const arrivalsPerSecond = newlyReady / newlyReadySeconds + (counts.enqueued + counts.retried) / seconds
  return startsPerSecond > arrivalsPerSecond
    ? (ready / (startsPerSecond - arrivalsPerSecond)) * 1_000
    : 'never'
}
