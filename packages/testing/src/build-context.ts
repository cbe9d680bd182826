import { type AbortReason, AttemptAborted, type ExecutionContext } from '@queue/executor'
import { QueueError } from '@queue/core'
import { assertKnownOptions } from '@queue/loop/arguments'
import { type RecordingLogger, recordLogger } from '@queue/test-database'

export interface ContextOverrides {
  /** The number of the attempt, from 1. Default 1. */
  readonly attempt?: number
  /** The value that `ctx.transaction` passes to the handler, such as a pool of the test. Default: the call throws. */
  readonly transaction?: unknown
  /** The `traceparent` of the attempt. Default null. */
  readonly traceparent?: string
}

/** The `ctx` for a handler that a test calls itself. It records the handler's calls. */
// oxlint-disable-next-line typescript/no-explicit-any -- a test may pass anything that its handler needs as the transaction.
export interface BuiltContext extends ExecutionContext<any> {
  readonly logger: RecordingLogger
  /** The reports that the handler has made by `ctx.progress`, oldest first. */
  readonly reports: readonly ProgressReport[]
  /** The lines that the handler has logged by `ctx.log`, oldest first. */
  readonly lines: readonly LoggedLine[]
  /** Aborts the signal of the attempt, as a worker would. */
  abort(reason: AbortReason): void
}

type Line = Parameters<ExecutionContext['log']>

/** A line that the handler has logged by `ctx.log`. */
export interface LoggedLine {
  readonly level: Line[0]
  readonly message: string
  readonly fields: Line[2]
}

export interface ProgressReport {
  readonly percent: number
  readonly message: string | undefined
}

/** Builds a context for `handler.run(context, job)`, without a database. */
export function buildContext(overrides: ContextOverrides = {}): BuiltContext {
  assertKnownOptions('buildContext', overrides, { attempt: true, transaction: true, traceparent: true })
  const controller = new AbortController()
  const attempt = overrides.attempt ?? 1
  const reports: ProgressReport[] = []
  const lines: LoggedLine[] = []
  return {
    attempt,
    leaseToken: attempt,
    traceparent: overrides.traceparent ?? null,
    signal: controller.signal,
    logger: recordLogger(),
    reports,
    lines,
    get aborted() {
      return controller.signal.aborted
    },
    abort: (reason) => controller.abort(new AttemptAborted(reason)),
    progress: (percent, message) => void reports.push({ percent, message }),
    log: (level, message, fields) => void lines.push({ level, message, fields }),
    transaction: async (work) => {
      if (overrides.transaction === undefined) throw new QueueError('invalid_options', noTransaction)
      return work(overrides.transaction)
    },
  }
}

const noTransaction =
  'this handler uses ctx.transaction: pass buildContext({ transaction }), or run the handler with drain()'
