import {
  type CarriedBatch,
  carryOutOperation,
  type ConnectedDatabase,
  countCancelledOf,
  type JobCounter,
  nextOperationMs,
  notificationsOf,
  type Notifier,
} from '@queue/core/internal'
import { createAlarm, type Ticker } from '@queue/loop'
import type { Reporting } from './reporting.ts'

export interface OperationLoopOptions {
  readonly database: ConnectedDatabase
  readonly notifier: Notifier
  readonly counter: Pick<JobCounter, 'ended' | 'cancelledUnclaimed'>
  readonly reporting: Pick<Reporting, 'logger'>
}

/** The wait while no operation runs, which is also the delay of a new one whose notification was lost. */
const idlePollMs = 30_000
/** The wait while another worker carries out an operation, or has died doing so. */
const pollMsMax = 1_000
const errorWaitMs = 1_000

/**
 * Carries out operations, one batch after the other. It runs in every worker; only one worker at a time carries out an operation.
 */
export function createOperationLoop(options: OperationLoopOptions): Ticker {
  const { logger } = options.reporting
  const alarm = createAlarm()
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  const turn = async (): Promise<number> => {
    const dueInMs = await nextOperationMs(options.database)
    if (dueInMs === null) return idlePollMs
    if (dueInMs > 0) return Math.min(dueInMs, pollMsMax)
    const batch = await carryOutOperation(options.database)
    if (batch === undefined) return pollMsMax
    reportBatch(batch, options)
    return 0
  }
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const waitMs = await turn().catch((error: unknown) => {
        logger.warn('a batch of an operation could not be carried out; trying again', { error })
        return errorWaitMs
      })
      if (waitMs > 0 && !isStopped) await alarm.wait(waitMs)
    }
  }
  return {
    start: () => {
      running = run()
    },
    wake: () => alarm.ring(),
    stop: async () => {
      isStopped = true
      alarm.ring()
      await running
    },
  }
}

function reportBatch(batch: CarriedBatch, { notifier, counter, reporting }: OperationLoopOptions): void {
  notifier.tell(notificationsOf(batch.act, batch.jobs))
  countCancelledOf(batch.jobs, counter)
  if (batch.state === 'running') return
  const { operation, act, state, reason } = batch
  const fields = { operation, act, state, ...(reason !== null && { reason }) }
  if (state === 'succeeded' || state === 'cancelled') reporting.logger.info('an operation has ended', fields)
  else reporting.logger.warn('an operation has ended early', fields)
}
