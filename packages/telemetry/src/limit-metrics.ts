import { Counter, Gauge } from 'prom-client'
import { assertRegistry, createBoundedLabel, type MetricsRegistry } from './metrics-registry.ts'

/** The use of the limits of one queue and scope, or of one kind. */
export interface LimitReading {
  readonly queue: string
  readonly scope: string
  /** The name of the kind; empty for other scopes. */
  readonly name: string
  readonly running: number
  /** The running jobs of the key that has the most. */
  readonly running_most: number
  readonly waiting: number
  /** Whether the limit makes jobs wait now. */
  readonly is_holding: boolean
}

const labelNames = ['queue', 'scope', 'name'] as const

/** The longest time since the last scrape that is counted, because after a longer gap it is unknown what happened meanwhile. */
const heldSecondsMax = 60

/**
 * `queue_limit_running`, `queue_limit_running_most`, `queue_limit_waiting` and `queue_limit_held_seconds_total`, each with
 * `{queue,scope,name}`. `name` is the name of a kind; keys and tenants are never labels. `nowMs` is a clock that never jumps.
 */
export function observeLimits(
  registry: MetricsRegistry,
  snapshot: () => Promise<readonly LimitReading[]>,
  nowMs: () => number = () => performance.now(),
): void {
  const registers = [registry]
  const boundQueue = createBoundedLabel()
  const boundKind = createBoundedLabel()
  const labelsOf = ({ queue, scope, name }: LimitReading) => ({
    queue: boundQueue(queue),
    scope,
    name: boundKind(name),
  })
  const gauge = (name: string, help: string, valueOf: (limit: LimitReading) => number): void => {
    new Gauge({
      name,
      help,
      labelNames,
      registers,
      async collect() {
        const limits = await snapshot()
        this.reset()
        for (const limit of limits) this.inc(labelsOf(limit), valueOf(limit))
      },
    })
  }
  gauge('queue_limit_running', 'Running jobs that a limit counts.', ({ running }) => running)
  gauge(
    'queue_limit_running_most',
    'Running jobs that a limit counts, of the key that has the most.',
    ({ running_most: runningMost }) => runningMost,
  )
  gauge(
    'queue_limit_waiting',
    'Due jobs that a limit applies to, among the first 1 000 jobs of the queue with a key and the first 1 000 without.',
    ({ waiting }) => waiting,
  )
  let lastScrapeMs: number | undefined
  new Counter({
    name: 'queue_limit_held_seconds_total',
    help: 'Time during which a limit made jobs wait, measured at the scrapes.',
    labelNames,
    registers,
    async collect() {
      const limits = await snapshot()
      const now = nowMs()
      const seconds = Math.min(heldSecondsMax, (now - (lastScrapeMs ?? now)) / 1_000)
      lastScrapeMs = now
      for (const limit of limits) this.inc(labelsOf(limit), limit.is_holding ? seconds : 0)
    },
  })
}

/** Counts the enqueues that full queues refuse. Pass the result to `createQueue` as `onRefused`. */
export function createRefusalMetrics(registry: MetricsRegistry): (queue: string) => void {
  assertRegistry('createRefusalMetrics', registry)
  const boundQueue = createBoundedLabel()
  const refused = new Counter({
    name: 'queue_enqueues_refused_total',
    help: 'Enqueues that this process refused because the queue was full.',
    labelNames: ['queue'],
    registers: [registry],
  })
  return (queue) => refused.inc({ queue: boundQueue(queue) })
}
