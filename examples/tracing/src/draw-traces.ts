import type { ReadableSpan } from '@opentelemetry/sdk-trace-node'

/** Renders the spans as trees, one trace after the other, with their durations, attempts and links. */
export function drawTraces(spans: readonly ReadableSpan[]): string {
  const ids = new Set(spans.map((span) => span.spanContext().spanId))
  const roots = spans.filter((span) => !ids.has(span.parentSpanContext?.spanId ?? ''))
  return roots
    .toSorted(byStart)
    .map((root) => [`trace ${root.spanContext().traceId}`, ...draw(root, spans, 1)].join('\n'))
    .join('\n')
}

function draw(span: ReadableSpan, spans: readonly ReadableSpan[], depth: number): string[] {
  const children = spans.filter(
    (candidate) => candidate.parentSpanContext?.spanId === span.spanContext().spanId,
  )
  return [
    `${'  '.repeat(depth)}${span.name}${describeSpan(span)}`,
    ...children.toSorted(byStart).flatMap((child) => draw(child, spans, depth + 1)),
  ]
}

function describeSpan({ attributes, links, duration: [seconds, nanoseconds] }: ReadableSpan): string {
  const { 'queue.job.attempt': attempt, 'queue.attempt.outcome': outcome } = attributes
  return [
    `, ${(seconds * 1_000 + nanoseconds / 1e6).toFixed(1)} ms`,
    attempt === undefined ? '' : `, attempt ${String(attempt)}: ${String(outcome)}`,
    links.length === 0 ? '' : `, linked to ${links.map(({ context }) => context.spanId).join(', ')}`,
  ].join('')
}

function byStart(a: ReadableSpan, b: ReadableSpan): number {
  return a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1]
}
