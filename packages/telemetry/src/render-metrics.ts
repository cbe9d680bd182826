import { setTimeout as wait } from 'node:timers/promises'
import { assertRegistry, type MetricsRegistry } from './metrics-registry.ts'

export interface RenderedMetrics {
  readonly contentType: string
  readonly body: string
}

/** The renderings of one registry. */
interface Renderings {
  /** The rendering under way, or the one that begins after the rest. */
  next: Promise<RenderedMetrics> | undefined
  restsUntilMs: number
}

/**
 * After a rendering, the next one begins no sooner than after this many times as long, so that renderings take at most a
 * tenth of the processor, whatever clients send: with hundreds of series one takes tens of milliseconds, and holds up
 * everything else.
 */
const restFactor = 9
/** The maximum of that rest. The time of a rendering includes the reading of the database, which can be slow. */
const restMsMax = 1_000

const renderingsOf = new WeakMap<MetricsRegistry, Renderings>()

/**
 * The text that Prometheus scrapes. A metric whose collection fails, for example because the database is down, is replaced by a
 * comment, so that the other metrics stay available. Scrapes at the same time share one rendering, and a scrape soon after a
 * rendering waits for the next one.
 */
export async function renderMetrics(registry: MetricsRegistry): Promise<RenderedMetrics> {
  assertRegistry('renderMetrics', registry)
  const renderings = renderingsOf.get(registry) ?? { next: undefined, restsUntilMs: 0 }
  renderingsOf.set(registry, renderings)
  renderings.next ??= renderAfterRest(registry, renderings)
  return renderings.next
}

async function renderAfterRest(registry: MetricsRegistry, renderings: Renderings): Promise<RenderedMetrics> {
  const restMs = renderings.restsUntilMs - performance.now()
  if (restMs > 0) await wait(restMs)
  const startedAtMs = performance.now()
  try {
    return await render(registry)
  } finally {
    const nowMs = performance.now()
    renderings.restsUntilMs = nowMs + Math.min(restMsMax, restFactor * (nowMs - startedAtMs))
    renderings.next = undefined
  }
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
