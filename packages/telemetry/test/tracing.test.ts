import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import { context, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api'
import {
  InMemorySpanExporter,
  NodeTracerProvider,
  type ReadableSpan,
  SimpleSpanProcessor,
} from '@opentelemetry/sdk-trace-node'
import { createTracing } from '../src/index.ts'

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736'
const remoteSpanId = '00f067aa0ba902b7'
const traceparent = `00-${traceId}-${remoteSpanId}-01`

const request = { queue: 'mail', kind: 'send_email', traceContext: null as string | null }
const job = { ...request, id: 'j_1', attempt: 2 }

const written = async (requests: readonly unknown[]) =>
  requests.map((_request, index) => ({ job: { id: `j_${index}` } }))

test('without an SDK, existing trace contexts of jobs are passed on, and no others are created', async () => {
  const tracing = createTracing()
  const traceContexts: (string | null)[] = []
  await tracing.send([request, { ...request, traceContext: traceparent }], async (requests) => {
    traceContexts.push(...requests.map((one) => one.traceContext))
    return written(requests)
  })
  tracing.claimed({ jobs: [job], seconds: 0.01 })
  expect(traceContexts).toEqual([null, traceparent])
  expect(tracing.attempt(job).traceparent).toBeUndefined()
  expect(tracing.attempt({ ...job, traceContext: traceparent }).traceparent).toBeUndefined()
})

describe('with an SDK', () => {
  const exporter = new InMemorySpanExporter()
  const provider = new NodeTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] })
  // Made before the SDK is registered, as in a process whose modules load in any order.
  const tracing = createTracing()

  beforeAll(() => provider.register())
  afterEach(() => exporter.reset())
  afterAll(async () => {
    await provider.shutdown()
    trace.disable()
    context.disable()
  })

  /** The only span with this name. */
  function spanOf(name: string): ReadableSpan {
    const spans = exporter.getFinishedSpans().filter((span) => span.name === name)
    expect(spans).toHaveLength(1)
    return spans[0] as ReadableSpan
  }

  /** The trace contexts of the written requests. */
  async function sent(...requests: (typeof request)[]): Promise<(string | null)[]> {
    let contexts: (string | null)[] = []
    await tracing.send(requests, async (traced) => {
      contexts = traced.map((one) => one.traceContext)
      return written(traced)
    })
    return contexts
  }

  function run(claimed: typeof job, outcome = 'succeeded', error?: unknown): void {
    const attempt = tracing.attempt(claimed)
    attempt.within(() => undefined)
    attempt.ended({ outcome, ...(error === undefined ? {} : { error }) })
  }

  test('an enqueue continues the trace of its request, and its job continues that of the enqueue', async () => {
    const [traceContext] = await sent({ ...request, traceContext: traceparent })
    const span = spanOf('enqueue mail')
    expect(traceContext).toBe(`00-${traceId}-${span.spanContext().spanId}-01`)
    expect(span.parentSpanContext).toMatchObject({ traceId, spanId: remoteSpanId })
    expect(span).toMatchObject({
      kind: SpanKind.PRODUCER,
      attributes: {
        'messaging.operation.type': 'send',
        'messaging.destination.name': 'mail',
        'messaging.message.id': 'j_0',
        'queue.job.kind': 'send_email',
      },
    })
  })

  test('an enqueue is a child of the current span', async () => {
    await trace.getTracer('test').startActiveSpan('checkout', async (span) => {
      await sent(request)
      span.end()
    })
    const checkout = spanOf('checkout').spanContext()
    expect(spanOf('enqueue mail').parentSpanContext?.spanId).toBe(checkout.spanId)
  })

  test('the server span of a request takes precedence over its header, and an explicit trace over both', async () => {
    const server = trace
      .getTracer('test')
      .startSpan('POST /jobs', {}, trace.setSpanContext(context.active(), remote(traceId)))
    await context.with(trace.setSpan(context.active(), server), () =>
      sent({ ...request, traceContext: traceparent }),
    )
    expect(spanOf('enqueue mail').parentSpanContext?.spanId).toBe(server.spanContext().spanId)
    exporter.reset()
    const other = traceparent.replace(traceId, 'a'.repeat(32))
    await context.with(trace.setSpan(context.active(), server), () =>
      sent({ ...request, traceContext: other }),
    )
    expect(spanOf('enqueue mail').spanContext().traceId).toBe('a'.repeat(32))
  })

  test('requests of different traces keep their traces', async () => {
    const contexts = await sent(request, { ...request, queue: 'images', traceContext: traceparent })
    const span = spanOf('enqueue')
    expect(contexts).toEqual([expect.stringContaining(span.spanContext().spanId), traceparent])
    expect(span.attributes).toMatchObject({ 'messaging.batch.message_count': 2 })
    expect(span.attributes).not.toHaveProperty('messaging.destination.name')
  })

  test('the span of a failed enqueue has the error, which is thrown', async () => {
    const fault = new TypeError('no database')
    const failing = tracing.send([request], () => Promise.reject(fault))
    await expect(failing).rejects.toBe(fault)
    expect(spanOf('enqueue mail')).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'no database' },
      attributes: { 'error.type': 'TypeError' },
    })
  })

  test('a claim is linked to each enqueue, and an attempt is a child of its enqueue with a link to the claim', () => {
    const claimed = { ...job, traceContext: traceparent }
    tracing.claimed({ jobs: [claimed, { ...job, id: 'j_2' }], seconds: 0.25 })
    run(claimed)
    const claim = spanOf('claim mail')
    expect(claim.kind).toBe(SpanKind.CLIENT)
    expect(claim.links.map((link) => link.context.spanId)).toEqual([remoteSpanId])
    expect(claim.duration[0] + claim.duration[1] / 1e9).toBeCloseTo(0.25, 1)
    const attempt = spanOf('execute mail')
    expect(attempt.parentSpanContext).toMatchObject({ traceId, spanId: remoteSpanId })
    expect(attempt.links.map((link) => link.context.spanId)).toEqual([claim.spanContext().spanId])
    expect(attempt).toMatchObject({
      kind: SpanKind.CONSUMER,
      status: { code: SpanStatusCode.UNSET },
      attributes: {
        'messaging.operation.type': 'process',
        'messaging.message.id': 'j_1',
        'queue.job.attempt': 2,
        'queue.attempt.outcome': 'succeeded',
      },
    })
  })

  test('an attempt is the current span only of its own handler, also after an await', async () => {
    const attempt = tracing.attempt(job)
    let activeTraceId: string | undefined
    let work: Promise<void> = Promise.resolve()
    attempt.within(() => {
      work = Promise.resolve().then(() => {
        activeTraceId = trace.getActiveSpan()?.spanContext().spanId
      })
    })
    await work
    attempt.ended({ outcome: 'succeeded' })
    expect(activeTraceId).toBe(spanOf('execute mail').spanContext().spanId)
    expect(attempt.traceparent).toContain(activeTraceId)
    expect(trace.getActiveSpan()).toBeUndefined()
  })

  test('the span of a failed attempt has its error', () => {
    run(job, 'retrying', 'not even an error')
    expect(spanOf('execute mail')).toMatchObject({
      status: { code: SpanStatusCode.ERROR, message: 'not even an error' },
      attributes: { 'queue.attempt.outcome': 'retrying' },
      events: [expect.objectContaining({ name: 'exception' })],
    })
  })

  test('a trace that is not sampled remains unsampled', async () => {
    const unsampled = traceparent.replace(/01$/, '00')
    const [traceContext] = await sent({ ...request, traceContext: unsampled })
    run({ ...job, traceContext: unsampled })
    expect(traceContext).toMatch(new RegExp(`^00-${traceId}-[0-9a-f]{16}-00$`))
    expect(exporter.getFinishedSpans()).toEqual([])
  })

  test('an invalid traceparent starts a new trace', () => {
    for (const traceContext of ['', '00', 'nonsense', `00-${'0'.repeat(32)}-${remoteSpanId}-01`]) {
      run({ ...job, traceContext })
      expect(spanOf('execute mail').parentSpanContext).toBeUndefined()
      exporter.reset()
    }
  })
})

function remote(id: string) {
  return { traceId: id, spanId: remoteSpanId, traceFlags: 1, isRemote: true }
}
