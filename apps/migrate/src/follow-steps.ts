import type { MigrationEvent } from '@queue/core'
import type { MainContext } from '@queue/service'

type Logger = MainContext<never, never>['logger']
type StepGoesOn = Extract<MigrationEvent, { type: 'waiting' | 'batch' }>

/** What goes on for minutes is told so often. */
const everyMs = 5_000

/** Logs what a step waits for, and how far it has come: at once where that changes, and then from time to time. */
export function followSteps(logger: Logger): (event: StepGoesOn) => void {
  let last = ''
  let quietUntilMs = 0
  return (event) => {
    const matter = `${event.version} ${event.type === 'waiting' ? event.waitsFor : 'batch'}`
    if (matter === last && performance.now() < quietUntilMs) return
    last = matter
    quietUntilMs = performance.now() + everyMs
    tell(logger, event)
  }
}

function tell(logger: Logger, event: StepGoesOn): void {
  const { version } = event
  if (event.type === 'batch') {
    logger.info('the step changes rows batch by batch', { version, step: event.name, rows: event.rows })
    return
  }
  const message =
    event.waitsFor === 'runner'
      ? 'another runner is at work on this schema: waiting for it'
      : 'another session holds a lock that this step needs: trying again'
  logger.warn(message, { version, tries: event.tries })
}
