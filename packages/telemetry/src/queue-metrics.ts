import { Gauge } from 'prom-client'
import { type LimitReading, observeLimits } from './limit-metrics.ts'
import { assertRegistry, createBoundedLabel, type MetricsRegistry } from './metrics-registry.ts'
import { type QueueDepth, type QueueSeries, queueSeries } from './queue-series.ts'
import { shareReadings, type ShareReadingsOptions } from './share-readings.ts'

/** The dead letters of one kind. */
export interface DeadLettersOfKind {
  readonly kind: string
  /** Of the newest 1 000 dead letters of all kinds, how many are of this kind. */
  readonly deadLetters: number
  /** Those of them of the last 15 minutes. */
  readonly recent: number
  /** The age of the oldest one; null where it is not among the oldest 1 000 of all kinds. */
  readonly oldestSeconds: number | null
}

/** The size of a table with its indexes, and the number of its rows that wait for vacuum. */
export interface TableSizeReading {
  readonly table: string
  readonly bytes: number
  readonly deadRows: number
}

/** Jobs of one kind and version in one queue that no live worker can run. */
export interface UnservedReading {
  readonly queue: string
  readonly kind: string
  readonly version: number
  /** How long the oldest of them has been due. */
  readonly oldest_seconds: number
  /** Whether a live worker serves the queue. */
  readonly queue_is_served: boolean
}

/** One reading of the queues and of the database. */
export interface QueueReading {
  readonly queues: readonly QueueDepth[]
  readonly deadLetters: readonly DeadLettersOfKind[]
  readonly tables: readonly TableSizeReading[]
  /** How long the oldest open transaction has held vacuum back; null if some sessions are hidden. */
  readonly oldestSnapshotSeconds: number | null
  /** Whether the server accepts writes. */
  readonly writable: boolean
  /** Milliseconds until the next schedule is due, negative if one is late; null if none will be due. */
  readonly scheduleDueMs: number | null
  /** Due jobs that no live worker can run. */
  readonly unserved: readonly UnservedReading[]
  /** The use of the limits on running and starting jobs. */
  readonly limits: readonly LimitReading[]
}

export type ObserveQueuesOptions = ShareReadingsOptions<QueueReading>

const states = ['queued', 'retrying', 'running'] as const

/**
 * The metrics of queues and database: `queue_jobs{queue,status}` for the live states, `queue_oldest_ready_seconds{queue}` (0 if
 * no job is ready), `queue_active_workers{queue}`, `queue_paused{queue}`, `queue_dead_letters{kind}`,
 * `queue_dead_letters_recent{kind}` (which include jobs that were dead-lettered before the first scrape of their worker) and
 * `queue_dead_letters_oldest_seconds{kind}`,
 * `queue_schedule_overdue_seconds`, `queue_unserved_seconds{queue,kind,version}`, the metrics of `observeLimits`,
 * `db_table_bytes{table}`, `db_table_dead_rows{table}` and `db_oldest_snapshot_seconds`.
 *
 * Scrapes share readings, and at most one reading runs at a time, so that many scrapers do not load the database. While the
 * database cannot be read, these metrics are left out, because an old value would look like a fresh one, and `db_up` is 0.
 * `db_writable` is then 0 as well, and also while the server is read-only. Names of queues come from clients; `queueSeries`
 * decides which have a label of their own.
 */
export function observeQueues(registry: MetricsRegistry, options: ObserveQueuesOptions): void {
  assertRegistry('observeQueues', registry, options)
  const reading = shareReadings({
    ...options,
    read: async () => {
      const { queues, ...ofDatabase } = await options.read()
      return { ...ofDatabase, series: queueSeries(queues) }
    },
  })
  observeDatabase(registry, reading)
  observeLiveJobs(registry, async () => (await reading()).series)
  observeDeadLetters(registry, async () => (await reading()).deadLetters)
  observeTables(registry, async () => (await reading()).tables)
  observeSchedules(registry, async () => (await reading()).scheduleDueMs)
  observeUnserved(registry, async () => (await reading()).unserved)
  observeLimits(registry, async () => (await reading()).limits)
}

const zero = (): number => 0

function observeDatabase(
  registry: MetricsRegistry,
  reading: () => Promise<Omit<QueueReading, 'queues'>>,
): void {
  new Gauge({
    name: 'db_up',
    help: '1 while the tables of the queue can be read, else 0.',
    registers: [registry],
    async collect() {
      this.set(await reading().then(() => 1, zero))
    },
  })
  new Gauge({
    name: 'db_writable',
    help: '1 while the tables of the queue can be read and the server accepts writes, else 0.',
    registers: [registry],
    async collect() {
      this.set(await reading().then(({ writable }) => Number(writable), zero))
    },
  })
  new Gauge({
    name: 'db_oldest_snapshot_seconds',
    help: 'How long the oldest open transaction has held vacuum back; 0 if none is open; absent if the sessions of other roles are hidden.',
    registers: [registry],
    async collect() {
      const { oldestSnapshotSeconds } = await reading()
      // A value from only the visible sessions could hide a problem.
      if (oldestSnapshotSeconds === null) this.remove()
      else this.set(oldestSnapshotSeconds)
    },
  })
}

function observeLiveJobs(registry: MetricsRegistry, series: () => Promise<readonly QueueSeries[]>): void {
  new Gauge({
    name: 'queue_jobs',
    help: 'Live jobs by queue and state.',
    labelNames: ['queue', 'status'],
    registers: [registry],
    async collect() {
      const queues = await series()
      this.reset()
      for (const queue of queues) {
        for (const status of states) this.set({ queue: queue.label, status }, queue[status])
      }
    },
  })
  gaugeOf('queue_oldest_ready_seconds', {
    help: 'How long the oldest ready job of a queue has been due; 0 if none is.',
    valueOf: (queue) => queue.oldestReadySeconds,
  })
  gaugeOf('queue_active_workers', {
    help: 'Workers with a valid lease that serve a queue.',
    valueOf: (queue) => queue.workers,
  })
  gaugeOf('queue_paused', {
    help: '1 while a queue is paused, so that no jobs are claimed from it.',
    valueOf: (queue) => queue.paused,
  })

  function gaugeOf(
    name: string,
    { help, valueOf }: { readonly help: string; readonly valueOf: (queue: QueueSeries) => number },
  ): void {
    new Gauge({
      name,
      help,
      labelNames: ['queue'],
      registers: [registry],
      async collect() {
        const queues = await series()
        this.reset()
        for (const queue of queues) this.set({ queue: queue.label }, valueOf(queue))
      },
    })
  }
}

function observeDeadLetters(
  registry: MetricsRegistry,
  snapshot: () => Promise<readonly DeadLettersOfKind[]>,
): void {
  const boundKind = createBoundedLabel()
  const gauge = (name: string, help: string, valueOf: (deadLetters: DeadLettersOfKind) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['kind'],
      registers: [registry],
      async collect() {
        const kinds = await snapshot()
        this.reset()
        for (const kind of kinds) this.inc({ kind: boundKind(kind.kind) }, valueOf(kind))
      },
    })
  }
  gauge(
    'queue_dead_letters',
    'Of the newest 1 000 dead letters, how many are of the kind.',
    ({ deadLetters }) => deadLetters,
  )
  gauge(
    'queue_dead_letters_recent',
    'Of the newest 1 000 dead letters, how many are of the kind and of the last 15 minutes.',
    ({ recent }) => recent,
  )
  new Gauge({
    name: 'queue_dead_letters_oldest_seconds',
    help: 'The age of the oldest dead letter of the kind, among the oldest 1 000.',
    labelNames: ['kind'],
    registers: [registry],
    async collect() {
      const kinds = await snapshot()
      this.reset()
      // Kinds beyond the bound share a label.
      const oldest = new Map<string, number>()
      for (const { kind, oldestSeconds } of kinds) {
        if (oldestSeconds === null) continue
        const label = boundKind(kind)
        oldest.set(label, Math.max(oldestSeconds, oldest.get(label) ?? 0))
      }
      for (const [kind, seconds] of oldest) this.set({ kind }, seconds)
    },
  })
}

function observeSchedules(registry: MetricsRegistry, dueMs: () => Promise<number | null>): void {
  new Gauge({
    name: 'queue_schedule_overdue_seconds',
    help: 'How long the most overdue schedule has not fired; 0 if none is due.',
    registers: [registry],
    async collect() {
      this.set(Math.max(0, -((await dueMs()) ?? 0) / 1_000))
    },
  })
}

/**
 * The kinds and versions that the workers of a queue cannot run. A queue without workers is visible in `queue_active_workers`.
 */
function observeUnserved(
  registry: MetricsRegistry,
  unserved: () => Promise<readonly UnservedReading[]>,
): void {
  const [boundQueue, boundKind, boundVersion] = [
    createBoundedLabel(),
    createBoundedLabel(),
    createBoundedLabel(),
  ]
  new Gauge({
    name: 'queue_unserved_seconds',
    help: 'How long the oldest job of a kind and version that no worker of its queue can run has been due; absent if there is none.',
    labelNames: ['queue', 'kind', 'version'],
    registers: [registry],
    async collect() {
      const readings = (await unserved()).filter(({ queue_is_served: isServed }) => isServed)
      this.reset()
      // The oldest comes last, so that it determines the value if several share the label `other`.
      for (const { queue, kind, version, oldest_seconds: seconds } of readings.toReversed()) {
        const labels = {
          queue: boundQueue(queue),
          kind: boundKind(kind),
          version: boundVersion(String(version)),
        }
        this.set(labels, seconds)
      }
    },
  })
}

function observeTables(
  registry: MetricsRegistry,
  snapshot: () => Promise<readonly TableSizeReading[]>,
): void {
  const gauge = (name: string, help: string, valueOf: (table: TableSizeReading) => number): void => {
    new Gauge({
      name,
      help,
      labelNames: ['table'],
      registers: [registry],
      async collect() {
        for (const table of await snapshot()) this.set({ table: table.table }, valueOf(table))
      },
    })
  }
  gauge('db_table_bytes', 'Size of a table with its indexes.', ({ bytes }) => bytes)
  gauge(
    'db_table_dead_rows',
    'Dead rows of a table that vacuum has not removed yet.',
    ({ deadRows }) => deadRows,
  )
}
