import {
  type Attributes,
  type Context,
  context,
  ProxyTracerProvider,
  ROOT_CONTEXT,
  type Span,
  type SpanContext,
  SpanKind,
  SpanStatusCode,
  trace,
  type Tracer,
} from '@opentelemetry/api'
import { formatTraceparent, parseTraceparent } from './span-context.ts'

/** The part of an enqueue request that tracing needs. */
export interface TracedRequest {
  readonly queue: string
  readonly kind: string
  readonly traceContext: string | null
}

/** The part of a claimed job that tracing needs. */
export interface TracedJob extends TracedRequest {
  readonly id: string
  readonly attempt: number
}

/** One attempt as an operation of a trace. */
export interface TracedAttempt {
  readonly traceparent: string | undefined
  within(work: () => void): void
  ended(end: { readonly outcome: string; readonly error?: unknown }): void
}

interface Written {
  readonly job: { readonly id: string }
}

/** Matches the `tracing` option of `createQueue`, `createGroupedEnqueue` and `createWorker`, which declare their own types. */
export interface Tracing {
  send<Request extends TracedRequest, Answer extends Written>(
    requests: readonly Request[],
    write: (requests: readonly Request[]) => Promise<Answer[]>,
  ): Promise<Answer[]>
  claimed(claim: { readonly jobs: readonly TracedJob[]; readonly seconds: number }): void
  attempt(job: TracedJob): TracedAttempt
}

/**
 * Records spans with the OpenTelemetry API, for the SDK that the process registers, now or later. Without an SDK, each call only
 * checks for one. The names follow the semantic conventions for messaging,
 * https://opentelemetry.io/docs/specs/semconv/messaging/:
 *
 * - `enqueue {queue}`, of type send: a child of the current span, or of the trace context that came with the requests;
 * - `claim {queue}`, of type receive: a trace of its own, with a link to the enqueue of each claimed job;
 * - `execute {queue}`, of type process: a child of the enqueue with a link to the claim. It ends when the end of the
 *   attempt has been recorded.
 */
export function createTracing(): Tracing {
  const tracer = trace.getTracer('@queue/telemetry')
  const claims = new WeakMap<TracedJob, SpanContext>()
  return {
    send: (requests, write) => (hasSdk() ? send(tracer, requests, write) : write(requests)),
    claimed: ({ jobs, seconds }) => {
      if (!hasSdk()) return
      const span = startClaim(tracer, jobs, seconds)
      if (!span.isRecording()) return
      span.end()
      for (const job of jobs) claims.set(job, span.spanContext())
    },
    attempt: (job) => (hasSdk() ? startAttempt(tracer, job, claims.get(job)) : untraced),
  }
}

const untraced: TracedAttempt = {
  traceparent: undefined,
  within: (work) => work(),
  ended: () => undefined,
}

/** The placeholder of the OpenTelemetry API until an SDK is registered. */
const noSdk = new ProxyTracerProvider().getDelegate()

/** Whether an SDK is registered. Without one, spans would still cost a microsecond per job. */
function hasSdk(): boolean {
  const provider = trace.getTracerProvider()
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegate() !== noSdk
}

async function send<Request extends TracedRequest, Answer extends Written>(
  tracer: Tracer,
  requests: readonly Request[],
  write: (requests: readonly Request[]) => Promise<Answer[]>,
): Promise<Answer[]> {
  const commonContext = sharedContext(requests)
  const parent = parentOf(commonContext)
  const span = tracer.startSpan(spanName('enqueue', requests), producer(requests), parent)
  const traceContext = formatTraceparent(span.spanContext())
  if (traceContext === undefined) return write(requests)
  try {
    // Requests that come from different traces keep their own trace context.
    const traced = requests.map((request) =>
      commonContext !== undefined || request.traceContext === null ? { ...request, traceContext } : request,
    )
    const answers = await context.with(trace.setSpan(parent, span), write, undefined, traced)
    const [only] = answers
    if (answers.length === 1 && only !== undefined) span.setAttribute('messaging.message.id', only.job.id)
    return answers
  } catch (error) {
    fail(span, error)
    throw error
  } finally {
    span.end()
  }
}

function producer(requests: readonly TracedRequest[]) {
  return { kind: SpanKind.PRODUCER, attributes: batchAttributes(requests, 'enqueue', 'send') }
}

/** The trace context of all requests, null if none has one; undefined if they differ. */
function sharedContext(requests: readonly TracedRequest[]): string | null | undefined {
  const [first] = requests
  const shared = first?.traceContext ?? null
  return requests.every((request) => request.traceContext === shared) ? shared : undefined
}

/**
 * If the current span and the requests' trace context belong to the same trace, the current span is the parent: it is the
 * server's span of the same request. Otherwise the trace context is the parent, because the caller has chosen that trace.
 */
function parentOf(commonContext: string | null | undefined): Context {
  const active = context.active()
  const remote = parseTraceparent(commonContext ?? null)
  if (remote === undefined || trace.getSpanContext(active)?.traceId === remote.traceId) return active
  return trace.setSpanContext(ROOT_CONTEXT, remote)
}

function startClaim(tracer: Tracer, jobs: readonly TracedJob[], seconds: number): Span {
  const options = {
    kind: SpanKind.CLIENT,
    startTime: Date.now() - seconds * 1_000,
    links: jobs.flatMap((job) => linkTo(parseTraceparent(job.traceContext))),
    attributes: batchAttributes(jobs, 'claim', 'receive'),
  }
  return tracer.startSpan(spanName('claim', jobs), options, ROOT_CONTEXT)
}

function startAttempt(tracer: Tracer, job: TracedJob, claim: SpanContext | undefined): TracedAttempt {
  const enqueuer = parseTraceparent(job.traceContext)
  const parent = enqueuer === undefined ? ROOT_CONTEXT : trace.setSpanContext(ROOT_CONTEXT, enqueuer)
  const options = { kind: SpanKind.CONSUMER, links: linkTo(claim), attributes: attemptAttributes(job) }
  const span = tracer.startSpan(`execute ${job.queue}`, options, parent)
  return {
    traceparent: formatTraceparent(span.spanContext()),
    within: (work) => context.with(trace.setSpan(parent, span), work),
    ended: ({ outcome, error }) => {
      span.setAttribute('queue.attempt.outcome', outcome)
      if (error !== undefined) fail(span, error)
      span.end()
    },
  }
}

function linkTo(span: SpanContext | undefined) {
  return span === undefined ? [] : [{ context: span }]
}

/** `{operation} {destination}`, without the destination if there are several. */
function spanName(operation: string, messages: readonly TracedRequest[]): string {
  const queue = onlyQueue(messages)
  return queue === undefined ? operation : `${operation} ${queue}`
}

function onlyQueue(messages: readonly TracedRequest[]): string | undefined {
  const [first] = messages
  return messages.every((message) => message.queue === first?.queue) ? first?.queue : undefined
}

const system = 'postgresql_queue'

function batchAttributes(messages: readonly TracedRequest[], name: string, type: string): Attributes {
  const queue = onlyQueue(messages)
  const [first] = messages
  return {
    'messaging.system': system,
    'messaging.operation.name': name,
    'messaging.operation.type': type,
    ...(queue === undefined ? {} : { 'messaging.destination.name': queue }),
    ...(messages.length === 1 && first !== undefined
      ? { 'queue.job.kind': first.kind }
      : { 'messaging.batch.message_count': messages.length }),
  }
}

function attemptAttributes({ id, queue, kind, attempt }: TracedJob): Attributes {
  return {
    'messaging.system': system,
    'messaging.operation.name': 'execute',
    'messaging.operation.type': 'process',
    'messaging.destination.name': queue,
    'messaging.message.id': id,
    'queue.job.kind': kind,
    'queue.job.attempt': attempt,
  }
}

function fail(span: Span, error: unknown): void {
  const exception = error instanceof Error ? error : new Error(String(error))
  span.setAttribute('error.type', exception.name)
  span.recordException(exception)
  span.setStatus({ code: SpanStatusCode.ERROR, message: exception.message })
}
