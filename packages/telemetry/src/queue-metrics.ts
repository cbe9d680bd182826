import { Gauge } from 'prom-client'
import { createBoundedLabel } from './bounded-label.ts'
import { type MetricsRegistry } from './metrics-registry.ts'
import { shareReadings, type ShareReadingsOptions } from './share-readings.ts'

/** What lives in one queue. */
export interface QueueDepth {
  readonly name: string
  readonly queued: number
  readonly retrying: number
  readonly running: number
  /** Null when no job is ready. */
  readonly oldestReadySeconds: number | null
  /** Active workers that serve it. */
  readonly workers: number
  /** Null when it is not paused. */
  readonly pausedAt: Date | null
}

/** What the database says of the queues, and of itself. */
export interface QueueReading {
  readonly queues: readonly QueueDepth[]
  /** For how long the oldest open transaction has kept vacuum from its work. */
  readonly oldestSnapshotSeconds: number
}

export type ObserveQueuesOptions = ShareReadingsOptions<QueueReading>

const states = ['queued', 'retrying', 'running'] as const

/**
 * `queue_jobs{queue,status}` for the live states, `queue_oldest_ready_seconds{queue}` (0 when nothing is ready),
 * `queue_active_workers{queue}`, `queue_paused{queue}` and `db_oldest_snapshot_seconds`. Scrapes share readings, and
 * there is never more than one under way, so that no number of scrapers loads the database. While it cannot be read,
 * all of them are left out, because an old depth would look like a fresh one, and `db_up` is 0. Names of queues come
 * from clients; those past the bound share the label `other`.
 */
export function observeQueues(registry: MetricsRegistry, options: ObserveQueuesOptions): void {
  const reading = shareReadings(options)
  observeDatabase(registry, reading)
  observeLiveJobs(registry, async () => (await reading()).queues)
}

function observeDatabase(registry: MetricsRegistry, reading: () => Promise<QueueReading>): void {
  new Gauge({
    name: 'db_up',
    help: '1 while the tables of the queue can be read, else 0.',
    registers: [registry],
    async collect() {
      this.set(
        await reading().then(
          () => 1,
          () => 0,
        ),
      )
    },
  })
  new Gauge({
    name: 'db_oldest_snapshot_seconds',
    help: 'For how long the oldest open transaction has kept vacuum from its work; 0 when none is open.',
    registers: [registry],
    async collect() {
      this.set((await reading()).oldestSnapshotSeconds)
    },
  })
}

function observeLiveJobs(registry: MetricsRegistry, snapshot: () => Promise<readonly QueueDepth[]>): void {
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
      setGreatest(this, await snapshot(), (queue) => [boundQueue(queue.name), queue.oldestReadySeconds ?? 0])
    },
  })
  new Gauge({
    name: 'queue_active_workers',
    help: 'Workers with a valid lease that serve a queue.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      setGreatest(this, await snapshot(), (queue) => [boundQueue(queue.name), queue.workers])
    },
  })
  new Gauge({
    name: 'queue_paused',
    help: '1 while nothing is claimed from a queue because it is paused.',
    labelNames: ['queue'],
    registers: [registry],
    async collect() {
      setGreatest(this, await snapshot(), (queue) => [
        boundQueue(queue.name),
        queue.pausedAt === null ? 0 : 1,
      ])
    },
  })
}

/** One series for each label; queues that share one show the greatest of their values. */
function setGreatest(
  gauge: Gauge<'queue'>,
  queues: readonly QueueDepth[],
  seriesOf: (queue: QueueDepth) => readonly [label: string, value: number],
): void {
  const greatest = new Map<string, number>()
  for (const [label, value] of queues.map(seriesOf)) {
    greatest.set(label, Math.max(greatest.get(label) ?? 0, value))
  }
  gauge.reset()
  for (const [queue, value] of greatest) gauge.set({ queue }, value)
}
