import { SpanKind, trace } from '@opentelemetry/api'

/**
 * POSTs a greeting within a span, as an instrumented HTTP client does, and gives the job once it has ended. The header
 * is all that the API needs.
 */
export async function requestGreeting(url: string, name: string): Promise<{ readonly id: string }> {
  const tracer = trace.getTracer('example')
  return tracer.startActiveSpan('POST /jobs', { kind: SpanKind.CLIENT }, async (span) => {
    const { traceId, spanId } = span.spanContext()
    const response = await fetch(`${url}/jobs`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        traceparent: `00-${traceId}-${spanId}-01`,
        prefer: 'wait=10',
      },
      body: JSON.stringify({ kind: 'greet', payload: { name } }),
    })
    span.end()
    if (response.status !== 201) throw new Error(`the API answered ${response.status}`)
    return (await response.json()) as { readonly id: string }
  })
}
