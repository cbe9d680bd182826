import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'

/** The span in a W3C `traceparent`, usually a span of another process; undefined if the text is not valid. */
export function parseTraceparent(text: string | null): SpanContext | undefined {
  if (text === null) return undefined
  const [, traceId = '', spanId = '', flags = ''] = text.split('-')
  // The other bits have no meaning yet, and must not be propagated.
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  const span = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(span) ? span : undefined
}

/** The W3C `traceparent` of a span; undefined for the invalid span of an absent SDK. */
export function formatTraceparent(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined
  const { traceId, spanId, traceFlags } = span
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
