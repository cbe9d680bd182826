import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export type MetricsRegistry = Registry

/**
 * A registry of its own (never prom-client's global one, which two compositions in one process would share)
 * with the process's metrics: CPU, memory, garbage collection, open handles, and the lag of the event loop
 * (`nodejs_eventloop_lag_seconds` and its percentiles).
 *
 * The service's name is the label of one series, `queue_service_info`, and not of all: Prometheus adds the
 * scrape job to each anyhow.
 */
export function createMetricsRegistry(options: { readonly service: string }): MetricsRegistry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const info = new Gauge({
    name: 'queue_service_info',
    help: 'Always 1; its label names the service.',
    labelNames: ['service'],
    registers: [registry],
  })
  info.set({ service: options.service }, 1)
  return registry
}
