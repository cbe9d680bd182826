import { assertRegistry, type MetricsRegistry } from './metrics-registry.ts'

export interface RenderedMetrics {
  readonly contentType: string
  readonly body: string
}

/** The renderings under way. */
const renderings = new WeakMap<MetricsRegistry, Promise<RenderedMetrics>>()

/**
 * The text that Prometheus scrapes. A metric whose collection fails, for example because the database is down, is replaced by a
 * comment, so that the other metrics stay available. Scrapes at the same time share one rendering: hundreds of their own would
 * come one after the other once their readings are there, and hold up everything else.
 */
export async function renderMetrics(registry: MetricsRegistry): Promise<RenderedMetrics> {
  assertRegistry('renderMetrics', registry)
  const underWay = renderings.get(registry)
  if (underWay !== undefined) return underWay
  const rendering = render(registry).finally(() => renderings.delete(registry))
  renderings.set(registry, rendering)
  return rendering
}

async function render(registry: MetricsRegistry): Promise<RenderedMetrics> {
  const names = registry.getMetricsAsArray().map((metric) => metric.name)
  const sections = await Promise.all(names.map((name) => renderMetric(registry, name)))
  return { contentType: registry.contentType, body: `${sections.join('\n\n')}\n` }
}

async function renderMetric(registry: MetricsRegistry, name: string): Promise<string> {
  try {
    return await registry.getSingleMetricAsString(name)
  } catch {
    return `# ${name} could not be collected`
  }
}
