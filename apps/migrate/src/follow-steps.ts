import type { MigrationEvent } from '@queue/core'
import type { MainContext } from '@queue/service'

type Logger = MainContext<never, never>['logger']
type StepProgress = Extract<MigrationEvent, { type: 'waiting' | 'batch' }>

/** The interval of the log lines of a long step. */
const logIntervalMs = 5_000

/** Logs the progress of a step and what it waits for: at once if that changes, otherwise at intervals. */
export function followSteps(logger: Logger): (event: StepProgress) => void {
  let lastTopic = ''
  let quietUntilMs = 0
  return (event) => {
    const topic = `${event.version} ${event.type === 'waiting' ? event.waitsFor : 'batch'}`
    if (topic === lastTopic && performance.now() < quietUntilMs) return
    lastTopic = topic
    quietUntilMs = performance.now() + logIntervalMs
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
      ? 'another process is migrating this schema: waiting for it'
      : 'another session holds a lock that this step needs: retrying'
  logger.warn(message, { version, tries: event.tries })
}
