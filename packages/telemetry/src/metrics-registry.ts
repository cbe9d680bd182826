import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export type MetricsRegistry = Registry

/**
 * A registry of its own (never prom-client's global one, which two compositions in one process would share)
 * with the process's metrics: CPU, memory, garbage collection, open handles, and the lag of the event loop
 * (`nodejs_eventloop_lag_seconds` and its percentiles).
 *
 * The service's name and version are labels of one series, `queue_service_info`, and not of all: Prometheus adds the
 * scrape job to each anyhow.
 */
export function createMetricsRegistry(options: {
  readonly service: string
  /** Of the program; default `unknown`. */
  readonly version?: string
}): MetricsRegistry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const info = new Gauge({
    name: 'queue_service_info',
    help: 'Always 1; its labels name the service, and the version that runs.',
    labelNames: ['service', 'version'],
    registers: [registry],
  })
  info.set({ service: options.service, version: options.version ?? 'unknown' }, 1)
  return registry
}
