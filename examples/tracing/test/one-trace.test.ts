import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { InMemorySpanExporter, type ReadableSpan } from '@opentelemetry/sdk-trace-node'
import { createTestDatabase, eventually, type TestDatabase } from '@queue/testing'
import { drawTraces } from '../src/draw-traces.ts'
import { requestGreeting } from '../src/request.ts'
import { registerSdk } from '../src/sdk.ts'
import { type Stack, startStack } from '../src/stack.ts'

const exporter = new InMemorySpanExporter()
let sdk: ReturnType<typeof registerSdk>
let database: TestDatabase
let stack: Stack
let jobId: string

beforeAll(async () => {
  sdk = registerSdk(exporter)
  database = await createTestDatabase()
  stack = await startStack(database.url)
  jobId = (await requestGreeting(stack.url, 'Ada')).id
  await eventually(() => spansNamed('execute default').length === 3)
})

afterAll(async () => {
  await stack?.stop()
  await database?.close()
  await sdk?.shutdown()
})

function spansNamed(name: string): ReadableSpan[] {
  return exporter.getFinishedSpans().filter((span) => span.name === name)
}

/** The children with this name of a span, in the order of their start. */
function childrenOf(parent: ReadableSpan | undefined, name: string): ReadableSpan[] {
  return spansNamed(name)
    .filter((span) => span.parentSpanContext?.spanId === parent?.spanContext().spanId)
    .toSorted((a, b) => a.startTime[0] - b.startTime[0] || a.startTime[1] - b.startTime[1])
}

describe('one request', () => {
  test('is one trace: the client, the enqueue, each attempt, and what the handler did', () => {
    const [request] = spansNamed('POST /jobs')
    const [enqueue] = childrenOf(request, 'enqueue default')
    const attempts = childrenOf(enqueue, 'execute default')
    expect(attempts.map(({ attributes }) => attributes)).toMatchObject([
      { 'messaging.message.id': jobId, 'queue.job.attempt': 1, 'queue.attempt.outcome': 'retrying' },
      { 'messaging.message.id': jobId, 'queue.job.attempt': 2, 'queue.attempt.outcome': 'succeeded' },
    ])
    expect(childrenOf(attempts[1], 'compose greeting')).toHaveLength(1)
    const [follow] = childrenOf(attempts[1], 'enqueue default')
    const [last] = childrenOf(follow, 'execute default')
    expect(last?.spanContext().traceId).toBe(request?.spanContext().traceId)
    expect(last?.attributes['queue.job.kind']).toBe('count_greeting')
  })

  test('stores the enqueue as the trace context of the job, and passes the attempt to the handler', async () => {
    const job = await database.queue.get(jobId)
    const [request] = spansNamed('POST /jobs')
    const [enqueue] = childrenOf(request, 'enqueue default')
    const [, second] = childrenOf(enqueue, 'execute default')
    const traceparent = (span: ReadableSpan | undefined) =>
      `00-${request?.spanContext().traceId}-${span?.spanContext().spanId}-01`
    expect(job?.traceContext).toBe(traceparent(enqueue))
    expect(job?.result).toEqual({ greeting: 'Hello, Ada.', traceparent: traceparent(second) })
  })

  test('is linked with the claims, each of which is a separate trace', () => {
    const claims = spansNamed('claim default')
    const linked = spansNamed('execute default').flatMap(({ links }) =>
      links.map(({ context }) => context.spanId),
    )
    expect(linked.toSorted()).toEqual(claims.map((span) => span.spanContext().spanId).toSorted())
    const enqueues = new Set(spansNamed('enqueue default').map((span) => span.spanContext().spanId))
    for (const claim of claims) {
      expect(claim.parentSpanContext).toBeUndefined()
      expect(claim.links.map(({ context }) => enqueues.has(context.spanId))).toEqual([true])
    }
  })

  test('is drawn as a tree', () => {
    const output = drawTraces(exporter.getFinishedSpans()).replaceAll(/[\d.]+ ms|[0-9a-f]{16,32}/g, '…')
    expect(output).toContain(
      [
        'trace …',
        '  POST /jobs, …',
        '    enqueue default, …',
        '      execute default, …, attempt 1: retrying, linked to …',
        '      execute default, …, attempt 2: succeeded, linked to …',
        '        compose greeting, …',
        '        enqueue default, …',
        '          execute default, …, attempt 1: succeeded, linked to …',
      ].join('\n'),
    )
  })
})
