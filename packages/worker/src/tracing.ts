import type { UnbegunJob } from '@queue/core/internal'
import type { Logger } from '@queue/loop'
import type { AttemptOutcome } from './observer.ts'

/**
 * The interface between a worker and a tracing system; `createTracing` of `@queue/telemetry` implements it. Every method must
 * return at once.
 */
export interface WorkerTracing {
  /** A claim took these jobs, at least one. */
  claimed(claim: { readonly jobs: readonly UnbegunJob[]; readonly seconds: number }): void
  /** An attempt begins. */
  attempt(job: UnbegunJob): AttemptTrace
}

/** One attempt as an operation of a trace. */
export interface AttemptTrace {
  /** The W3C `traceparent` of the attempt; undefined when it belongs to no trace. */
  readonly traceparent: string | undefined
  /** Calls `work`, at once, with the attempt as the current operation. */
  within(work: () => void): void
  /** Called once, with the recorded outcome, and with the error if the attempt failed. */
  ended(end: { readonly outcome: AttemptOutcome; readonly error?: unknown }): void
}

/** The tracing that the runtime uses: always present, and it never throws. */
export interface Tracer {
  claimed: WorkerTracing['claimed']
  /** Undefined without tracing: most attempts have no trace, and should pay nothing for one. */
  begin(job: UnbegunJob): RunningTrace | undefined
}

export interface RunningTrace {
  /** Undefined when the attempt belongs to no trace. */
  readonly traceparent: string | undefined
  run<Result>(work: () => Promise<Result>): Promise<Result>
  ended: AttemptTrace['ended']
}

const nothing = (): undefined => undefined

/** A tracer that costs nothing without `tracing`. If `tracing` throws or rejects, no job is harmed, and the first error is logged. */
export function createTracer(tracing: WorkerTracing | undefined, logger: Logger): Tracer {
  if (tracing === undefined) return { claimed: nothing, begin: nothing }
  let hasFailed = false
  const reportFault = (error: unknown): void => {
    if (!hasFailed) logger.error('the tracing throws errors: traces are lost', { error })
    hasFailed = true
  }
  const guarded = <Result>(call: () => Result): Result | undefined => {
    try {
      const returned = call()
      if (returned instanceof Promise) returned.catch(reportFault)
      return returned
    } catch (error) {
      reportFault(error)
      return undefined
    }
  }
  return {
    claimed: (claim) => guarded(() => tracing.claimed(claim)),
    begin: (job) => {
      const trace = guarded(() => tracing.attempt(job))
      if (trace === undefined) return undefined
      return {
        traceparent: trace.traceparent,
        run: (work) => runWithin(trace, work, guarded),
        ended: (end) => guarded(() => trace.ended(end)),
      }
    },
  }
}

/** Runs the work exactly once, whatever the tracing does with its callback. */
function runWithin<Result>(
  trace: AttemptTrace,
  work: () => Promise<Result>,
  guarded: (call: () => void) => void,
): Promise<Result> {
  let running: Promise<Result> | undefined
  const once = (): Promise<Result> => (running ??= work())
  guarded(() => trace.within(() => void once()))
  return once()
}
