import { randomUUID } from 'node:crypto'
import type { ClaimedJob } from '@queue/core/internal'
import type { ExecutionContext } from '@queue/executor'

/** A claimed job on its first attempt, as a runtime passes it to an executor. */
export function buildJob(overrides: Partial<ClaimedJob> = {}): ClaimedJob {
  const id = overrides.id ?? randomUUID()
  const instant = new Date('2026-01-01T00:00:00Z')
  return {
    id,
    lease: { jobId: id, token: 1 },
    queue: 'default',
    kind: 'send_email',
    kindVersion: 1,
    sensitive: null,
    tenantId: null,
    key: null,
    isCounted: false,
    payload: {},
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
    ...overrides,
  }
}

interface ProgressReport {
  readonly percent: number
  readonly message: string | undefined
}

/** A context that records progress reports, and whose signal the test aborts. */
export interface TestContext extends ExecutionContext {
  readonly reports: readonly ProgressReport[]
  abort(reason: unknown): void
  /** Resolves at the first report, when the work has begun. */
  readonly begun: Promise<void>
}

export function buildContext(job: ClaimedJob): TestContext {
  const controller = new AbortController()
  const reports: ProgressReport[] = []
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const silent = (): void => undefined
  return {
    signal: controller.signal,
    get aborted() {
      return controller.signal.aborted
    },
    logger: { debug: silent, info: silent, warn: silent, error: silent },
    leaseToken: job.lease.token,
    attempt: job.attempt,
    traceparent: job.traceContext,
    transaction: (fn) => fn(undefined as never),
    log: silent,
    progress(percent, message) {
      reports.push({ percent, message })
      begin()
    },
    reports,
    abort: (reason) => controller.abort(reason),
    begun,
  }
}
