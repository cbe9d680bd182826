import { type Logger, logLevels, neverThrowing, stderrLogger } from '@queue/loop'
import { noObserver, type WorkerObserver } from './observer.ts'
import type { WorkerOptions } from './options.ts'
import { createTracer, type Tracer } from './tracing.ts'

/** The receivers of the runtime's reports. They never throw: errors of the caller's own receivers are caught. */
export interface Reporting {
  readonly logger: Logger
  readonly observer: WorkerObserver
  readonly tracer: Tracer
}

export function reportingOf(options: WorkerOptions): Reporting {
  const logger = loggerOf(options)
  return { logger, observer: observerOf(options, logger), tracer: createTracer(options.tracing, logger) }
}

/** A line on which the caller's logger throws is lost; the worker goes on. */
function loggerOf(options: WorkerOptions): Logger {
  return neverThrowing(options.logger ?? stderrLogger, {
    names: logLevels,
    onFault: (error) => stderrLogger.error('the logger throws errors: log lines are lost', { error }),
  })
}

/** A metric on which the caller's observer throws is lost; the first error is logged. */
function observerOf({ metrics }: WorkerOptions, logger: Logger): WorkerObserver {
  if (metrics === undefined) return noObserver
  return neverThrowing(metrics, {
    names: Object.keys(noObserver) as (keyof WorkerObserver)[],
    onFault: (error) => logger.error('the metrics observer throws errors: metrics are lost', { error }),
  })
}
