import type { MigrationEvent } from '@queue/core'
import type { MainContext } from '@queue/service'

type Logger = MainContext<never, never>['logger']
type StepProgress = Extract<MigrationEvent, { type: 'waiting' | 'batch' }>

/** The interval of log lines for a step that takes long. */
const everyMs = 5_000

/** Logs what a step waits for, and how far it is: at once when that changes, then at intervals. */
export function followSteps(logger: Logger): (event: StepProgress) => void {
  let last = ''
  let quietUntilMs = 0
  return (event) => {
    const matter = `${event.version} ${event.type === 'waiting' ? event.waitsFor : 'batch'}`
    if (matter === last && performance.now() < quietUntilMs) return
    last = matter
    quietUntilMs = performance.now() + everyMs
    logStep(logger, event)
  }
}

function logStep(logger: Logger, event: StepProgress): void {
  const { version } = event
  if (event.type === 'batch') {
    logger.info('the step changes rows batch by batch', { version, step: event.name, rows: event.rows })
    return
  }
  const message =
    event.waitsFor === 'runner'
      ? 'another runner is migrating this schema: waiting for it'
      : 'another session holds a lock that this step needs: trying again'
  logger.warn(message, { version, tries: event.tries })
}
