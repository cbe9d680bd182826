import { Gauge } from 'prom-client'
import { createBoundedLabel } from './bounded-label.ts'
import { type MetricsRegistry } from './metrics-registry.ts'

/** What lives in one queue. */
export interface QueueDepth {
  readonly name: string
  readonly queued: number
  readonly retrying: number
  readonly running: number
  /** Null when no job is ready. */
  readonly oldestReadySeconds: number | null
}

export interface ObserveQueuesOptions {
  /** Reads all queues from the database. */
  readonly read: () => Promise<readonly QueueDepth[]>
  /** Milliseconds for which one reading serves every scrape; default 5 000. */
  readonly cacheMs?: number
  /** Milliseconds that a scrape waits for a reading before it does without; default 2 000. */
  readonly waitMs?: number
}

const states = ['queued', 'retrying', 'running'] as const

/**
 * `queue_jobs{queue,status}` for the live states and `queue_oldest_ready_seconds{queue}` (0 when nothing is ready).
 * Scrapes share readings, and there is never more than one under way, so that no number of scrapers loads the
 * database. While it cannot be read, the two are left out: an old depth would look like a fresh one. Names of queues
 * come from clients; those past the bound share the label `other`.
 */
export function observeQueues(registry: MetricsRegistry, options: ObserveQueuesOptions): void {
  const snapshot = shareReadings(options)
  const boundQueue = createBoundedLabel()
  new Gauge({
    name: 'queue_jobs',
    help: 'Live jobs by queue and state.',
    labelNames: ['queue', 'status'],
    registers: [registry],
    async collect() {
      const queues = await snapshot()
      this.reset()
      for (const queue of queues) {
        for (const status of states) this.inc({ queue: boundQueue(queue.name), status }, queue[status])
      }
    },
  })
  new Gauge({
    name: 'queue_oldest_ready_seconds',
    help: 'For how long the oldest ready job of a queue has been due; 0 when none is.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      const oldest = oldestByLabel(await snapshot(), boundQueue)
      this.reset()
      for (const [queue, seconds] of oldest) this.set({ queue }, seconds)
    },
  })
}

function oldestByLabel(
  queues: readonly QueueDepth[],
  label: (name: string) => string,
): ReadonlyMap<string, number> {
  const oldest = new Map<string, number>()
  for (const { name, oldestReadySeconds } of queues) {
    oldest.set(label(name), Math.max(oldest.get(label(name)) ?? 0, oldestReadySeconds ?? 0))
  }
  return oldest
}

const cacheMsDefault = 5_000
const waitMsDefault = 2_000

interface Reading {
  readonly startedAtMs: number
  readonly queues: Promise<readonly QueueDepth[]>
  settled: boolean
}

/** The latest reading, a new one when that has grown old; failures are kept as long, so that an outage is not met by a storm. */
function shareReadings({
  read,
  cacheMs = cacheMsDefault,
  waitMs = waitMsDefault,
}: ObserveQueuesOptions): () => Promise<readonly QueueDepth[]> {
  let latest: Reading | undefined
  return () => {
    if (latest === undefined || (latest.settled && performance.now() - latest.startedAtMs >= cacheMs)) {
      latest = begin(read)
    }
    return within(latest.queues, waitMs)
  }
}

function begin(read: ObserveQueuesOptions['read']): Reading {
  const reading: Reading = { startedAtMs: performance.now(), queues: read(), settled: false }
  const settle = (): void => {
    reading.settled = true
  }
  reading.queues.then(settle, settle)
  return reading
}

async function within<Value>(value: Promise<Value>, ms: number): Promise<Value> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error(`no reading within ${ms} ms`)), ms)
  })
  try {
    return await Promise.race([value, late])
  } finally {
    clearTimeout(timer)
  }
}
