import { Counter, Gauge } from 'prom-client'
import { createBoundedLabel, type MetricsRegistry } from './metrics-registry.ts'

/** How the limits of one queue and scope, or of one kind, are used. */
export interface LimitReading {
  readonly queue: string
  readonly scope: string
  /** Of the kind; empty for the others. */
  readonly name: string
  readonly running: number
  /** Of one key, the most. */
  readonly running_most: number
  readonly waiting: number
  /** Whether jobs wait for what it holds back. */
  readonly is_holding: boolean
}

const labelNames = ['queue', 'scope', 'name'] as const

/** A scrape that comes after longer does not know what was so meanwhile. */
const heldSecondsMax = 60

/**
 * `queue_limit_running`, `queue_limit_running_most`, `queue_limit_waiting` and `queue_limit_held_seconds_total`, each with `{queue,scope,name}`.
 * A name is that of a kind: keys and tenants are no labels. `nowMs` is a clock that never steps.
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
    'The same of the key that has the most.',
    ({ running_most: most }) => most,
  )
  gauge(
    'queue_limit_waiting',
    'Due jobs that a limit is about, among the first 1 000 of the queue with a key and without.',
    ({ waiting }) => waiting,
  )
  let seenMs: number | undefined
  new Counter({
    name: 'queue_limit_held_seconds_total',
    help: 'For how long a limit has held something back, as the scrapes have seen it.',
    labelNames,
    registers,
    async collect() {
      const limits = await snapshot()
      const now = nowMs()
      const seconds = Math.min(heldSecondsMax, (now - (seenMs ?? now)) / 1_000)
      seenMs = now
      for (const limit of limits) this.inc(labelsOf(limit), limit.is_holding ? seconds : 0)
    },
  })
}

/** Counts the enqueues that full queues refuse: what `createQueue` tells by `onRefused`. */
export function createRefusalMetrics(registry: MetricsRegistry): (queue: string) => void {
  const boundQueue = createBoundedLabel()
  const refused = new Counter({
    name: 'queue_enqueues_refused_total',
    help: 'Enqueues that this process refused because the queue takes no more jobs.',
    labelNames: ['queue'],
    registers: [registry],
  })
  return (queue) => refused.inc({ queue: boundQueue(queue) })
}
