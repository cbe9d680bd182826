import { type MetricsRegistry } from './metrics-registry.ts'

export interface RenderedMetrics {
  readonly contentType: string
  readonly body: string
}

/**
 * The text that Prometheus scrapes. A metric whose collection fails, for example because the database is down, is replaced by a
 * comment, so that the other metrics stay available.
 */
export async function renderMetrics(registry: MetricsRegistry): Promise<RenderedMetrics> {
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
