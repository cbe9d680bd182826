import { constants } from 'node:os'
import type { Logger } from '@queue/telemetry'

export interface ProcessEvents {
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
}

export interface WatchProcessOptions {
  readonly logger: Logger
  /** Called once after an uncaught error was logged, because the state of the process can then no longer be trusted. */
  readonly onFatal: () => void
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const
type StopSignal = (typeof stopSignals)[number]

/**
 * Watches signals and uncaught errors. The first stop signal requests a graceful stop. The second exits at once, with 128 + its
 * number, which is the code that a shell reports.
 */
export function watchProcess(options: WatchProcessOptions): ProcessEvents {
  watchFatalErrors(options)
  const { logger } = options
  const stop = new AbortController()
  const onSignal = (name: StopSignal): void => {
    if (stop.signal.aborted) process.exit(128 + constants.signals[name])
    logger.info(`${name} received: stopping; a second signal exits at once`)
    stop.abort(new Error(`stopped by ${name}`))
  }
  for (const name of stopSignals) process.on(name, () => onSignal(name))
  return { signal: stop.signal }
}

function watchFatalErrors({ logger, onFatal }: WatchProcessOptions): void {
  let isFatal = false
  const reportFatal = (message: string, error: unknown): void => {
    // Later errors are consequences of the first one, and would hide it.
    if (isFatal) return
    isFatal = true
    logger.error(message, { error })
    onFatal()
  }
  process.on('uncaughtException', (error) => reportFatal('an error was not caught', error))
  process.on('unhandledRejection', (reason) => reportFatal('a rejected promise was not handled', reason))
}
