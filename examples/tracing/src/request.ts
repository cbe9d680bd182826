import { SpanKind, trace } from '@opentelemetry/api'

/**
 * Sends a POST request for a greeting within a span, as an instrumented HTTP client does. Resolves with the job when it has
 * ended. The API needs only the header `traceparent`.
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
    if (response.status !== 201) throw new Error(`the API responded with status ${response.status}`)
    return (await response.json()) as { readonly id: string }
  })
}
