import { Counter, Gauge, Histogram } from 'prom-client'
import {
  assertRegistry,
  createBoundedLabel,
  durationBucketsSeconds,
  type MetricsRegistry,
} from './metrics-registry.ts'
import { shareReadings, type ShareReadingsOptions } from './share-readings.ts'

interface Dispatched {
  readonly topic: string
  readonly outcome: string
  readonly seconds: number
}

/** The metrics of a relay: an `OutboxObserver` of `@queue/outbox`. Topics are bounded; keys and ids are never labels. */
export function createOutboxMetrics(registry: MetricsRegistry) {
  assertRegistry('createOutboxMetrics', registry)
  const registers = [registry]
  const buckets = [...durationBucketsSeconds]
  const bound = createBoundedLabel()
  const counter = (name: string, help: string) =>
    new Counter({ name, help, labelNames: ['topic'], registers })
  const delivered = counter('outbox_delivered_total', 'Messages that were recorded as delivered.')
  const failed = counter('outbox_failed_total', 'Attempts that failed, including last attempts.')
  const deadLettered = counter(
    'outbox_dead_letters_total',
    'Messages that this relay moved to the dead letters.',
  )
  const dispatch = new Histogram({
    name: 'outbox_dispatch_seconds',
    help: 'How long a dispatch took, by recorded outcome.',
    labelNames: ['topic', 'outcome'],
    buckets,
    registers,
  })
  const claim = new Histogram({
    name: 'outbox_claim_seconds',
    help: 'How long a claim took, including empty claims.',
    buckets,
    registers,
  })
  // Created with the first report of a listener: a relay that only polls has no such metric.
  let listener: Gauge | undefined
  const listenerGauge = (): Gauge =>
    (listener ??= new Gauge({
      name: 'outbox_listener_healthy',
      help: '1 while notifications arrive, 0 while the relay only polls; absent if notifications are off.',
      registers,
    }))
  return {
    dispatched: ({ topic, outcome, seconds }: Dispatched) => {
      const labels = { topic: bound(topic) }
      dispatch.observe({ ...labels, outcome }, seconds)
      if (outcome === 'delivered') delivered.inc(labels)
      if (outcome === 'failed' || outcome === 'dead_letter') failed.inc(labels)
      if (outcome === 'dead_letter') deadLettered.inc(labels)
    },
    deadLettered: ({ topic }: Pick<Dispatched, 'topic'>) => deadLettered.inc({ topic: bound(topic) }),
    claimed: ({ seconds }: { readonly messages: number; readonly seconds: number }) => claim.observe(seconds),
    /** Sets the counters of these topics to 0 at the start, because Prometheus does not count the increase to a first value. */
    topics: (topics: readonly string[]) => {
      for (const topic of topics.map(bound))
        for (const metric of [delivered, failed, deadLettered]) metric.inc({ topic }, 0)
    },
    listenerHealthy: (state: 'healthy' | 'unhealthy') => listenerGauge().set(state === 'healthy' ? 1 : 0),
  }
}

/** The undelivered messages of an outbox. */
export interface OutboxReading {
  readonly pending: number
  readonly oldestSeconds: number
}

/**
 * `outbox_pending` and `outbox_oldest_seconds`. Scrapes share readings. While the outbox cannot be read, both metrics are left
 * out, because an old value would look like a fresh one.
 */
export function observeOutbox(registry: MetricsRegistry, options: ShareReadingsOptions<OutboxReading>): void {
  assertRegistry('observeOutbox', registry, options)
  const reading = shareReadings(options)
  const gauge = (name: string, help: string, valueOf: (read: OutboxReading) => number): void => {
    new Gauge({
      name,
      help,
      registers: [registry],
      async collect() {
        this.set(valueOf(await reading()))
      },
    })
  }
  gauge('outbox_pending', 'Undelivered messages, including those that a relay holds.', (read) => read.pending)
  gauge(
    'outbox_oldest_seconds',
    'Seconds since the oldest undelivered message was published; 0 if there is none.',
    (read) => read.oldestSeconds,
  )
}
