import { randomUUID } from 'node:crypto'
import type { ClaimedJob } from '@queue/core/internal'
import { AttemptAborted, type ExecutionContext, type Handler, type Outcome } from '@queue/executor'

export interface AttemptOptions {
  readonly id?: string
  /** The tenant of the job; by default none. */
  readonly tenantId?: string
  readonly signal?: AbortSignal
  /** Called with each report of progress. */
  readonly onProgress?: (percent: number, message?: string) => void
  readonly traceparent?: string
}

/** Runs one attempt as a worker does. */
export function attempt(handler: Handler, payload: unknown, options: AttemptOptions = {}): Promise<Outcome> {
  const { id = randomUUID(), signal = new AbortController().signal } = options
  const silent = (): void => undefined
  const context: ExecutionContext = {
    signal,
    get aborted() {
      return signal.aborted
    },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    leaseToken: 1,
    attempt: 1,
    traceparent: options.traceparent ?? null,
    transaction: (fn) => fn(undefined as never),
    progress: options.onProgress ?? silent,
    log: silent,
  }
  const job = claimedJob(id, handler.definition.kind, payload as ClaimedJob['payload'])
  return handler.run(context, { ...job, tenantId: options.tenantId ?? null })
}

function claimedJob(id: string, kind: string, payload: ClaimedJob['payload']): ClaimedJob {
  const instant = new Date('2026-01-01T00:00:00Z')
  return {
    id,
    lease: { jobId: id, token: 1 },
    queue: 'default',
    kind,
    kindVersion: 1,
    sensitive: null,
    tenantId: null,
    key: null,
    isCounted: false,
    payload,
    priority: 4,
    attempt: 1,
    maxAttempts: 3,
    timeoutMs: null,
    retryPolicy: null,
    crashes: 0,
    cancelRequested: false,
    traceContext: null,
    runAt: instant,
    waitUs: 0,
    metadata: null,
    expiresAt: null,
    createdAt: instant,
    claimedAt: instant,
    ctid: '(0,1)',
  }
}

/** The outcome as plain data: kind, permanence, requested wait, and the message of the error. */
export function plainOutcome(outcome: Outcome): Readonly<Record<string, unknown>> {
  if (outcome.kind !== 'failed') return { ...outcome }
  const { permanent, retryAfterMs, error } = outcome
  // Errors of Node itself are not instances of this realm's Error.
  return { kind: 'failed', permanent, retryAfterMs, message: (error as Error).message }
}

/** A failure that is followed by another attempt. */
export const retried = (message: unknown) => ({
  kind: 'failed',
  permanent: false,
  retryAfterMs: null,
  message,
})
export const permanent = (message: unknown) => ({
  kind: 'failed',
  permanent: true,
  retryAfterMs: null,
  message,
})

/** Cancels the attempt at the first progress report with the message `at`. */
export function cancelledAt(at: string): Required<Pick<AttemptOptions, 'signal' | 'onProgress'>> {
  const controller = new AbortController()
  return {
    signal: controller.signal,
    onProgress: (_, message) => {
      if (message === at) setImmediate(() => controller.abort(new AttemptAborted('cancelled')))
    },
  }
}
