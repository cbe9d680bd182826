import { isSpanContextValid, type SpanContext, TraceFlags } from '@opentelemetry/api'

/** The span that a W3C `traceparent` names, of another process as a rule; undefined when it names none. */
export function parseTraceparent(text: string | null): SpanContext | undefined {
  if (text === null) return undefined
  const [, traceId = '', spanId = '', flags = ''] = text.split('-')
  // The other bits have no meaning yet, and are not to be handed on.
  const traceFlags = Number.parseInt(flags, 16) & TraceFlags.SAMPLED
  const span = { traceId, spanId, traceFlags, isRemote: true }
  return isSpanContextValid(span) ? span : undefined
}

/** The W3C `traceparent` that names a span; undefined of what an absent SDK gives in a span's place. */
export function formatTraceparent(span: SpanContext): string | undefined {
  if (!isSpanContextValid(span)) return undefined
  const { traceId, spanId, traceFlags } = span
  return `00-${traceId}-${spanId}-${traceFlags.toString(16).padStart(2, '0')}`
}
