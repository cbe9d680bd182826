import { assertArguments, assertKnownOptions, having, object, optional, text } from '@queue/loop/arguments'
import { collectDefaultMetrics, Gauge, Registry } from 'prom-client'

export type MetricsRegistry = Registry

/**
 * Creates a registry with the metrics of the process: CPU, memory, garbage collection, open handles, and the lag of the event
 * loop (`nodejs_eventloop_lag_seconds` and its percentiles). It is not prom-client's global registry, which several services in
 * one process would share.
 *
 * The service's name and version are labels only of the series `queue_service_info`, because Prometheus adds the scrape job to
 * every series.
 */
export function createMetricsRegistry(options: {
  readonly service: string
  /** The version of the program; default `unknown`. */
  readonly version?: string
}): MetricsRegistry {
  assertKnownOptions('createMetricsRegistry', options, { service: true, version: true })
  assertArguments('createMetricsRegistry', { service: text, version: optional(text) }, [
    options.service,
    options.version,
  ])
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  const info = new Gauge({
    name: 'queue_service_info',
    help: 'Always 1; its labels are the name and version of the service.',
    labelNames: ['service', 'version'],
    registers: [registry],
  })
  info.set({ service: options.service, version: options.version ?? 'unknown' }, 1)
  return registry
}

/** The upper bounds, in seconds, of every duration histogram: from 1 ms (a job that does nothing) to 1 h (a very long job). */
export const durationBucketsSeconds: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1_800, 3_600,
]

/** How many different values one label may take in a process's lifetime. */
export const labelValuesMax = 200

/** The value that replaces all values beyond the bound. */
export const otherLabel = 'other'

/**
 * Bounds the number of series: the first 200 different values are kept, and all later ones become `other`. Values from code
 * (kinds, routes) never reach the bound; it only matters if free text becomes a label.
 */
const registryRule = having(
  'a registry, which createMetricsRegistry returns',
  'registerMetric',
  'getMetricsAsArray',
)

/** Throws `invalid_options` unless this is a registry, and the options are an object. */
export function assertRegistry(call: string, registry: unknown, options: object = {}): void {
  assertArguments(call, { registry: registryRule, options: object }, [registry, options])
}

export function createBoundedLabel(valuesMax = labelValuesMax): (value: string) => string {
  const known = new Set<string>()
  return (value) => {
    if (known.has(value)) return value
    if (known.size >= valuesMax) return otherLabel
    known.add(value)
    return value
  }
}
