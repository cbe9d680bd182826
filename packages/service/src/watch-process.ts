import { constants } from 'node:os'
import type { Logger } from '@queue/telemetry'

export interface ProcessEvents {
  /** Aborted at the first SIGINT or SIGTERM. */
  readonly signal: AbortSignal
}

export interface WatchProcessOptions {
  readonly logger: Logger
  /**
   * Called once, after the line was logged, when an error reached the top of the process: nothing can be
   * trusted then.
   */
  readonly onFatal: () => void
}

const stopSignals = ['SIGINT', 'SIGTERM'] as const
type StopSignal = (typeof stopSignals)[number]

/**
 * Watches what the operating system and the runtime tell a process. The first stop signal asks for a graceful
 * stop; the second exits at once, with 128 + its number as a shell would show it.
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
  let dying = false
  const die = (message: string, error: unknown): void => {
    // What fails while the process is dying is a consequence, and would hide the cause.
    if (dying) return
    dying = true
    logger.error(message, { error })
    onFatal()
  }
  process.on('uncaughtException', (error) => die('an error was not caught', error))
  process.on('unhandledRejection', (reason) => die('a rejected promise was not handled', reason))
}
