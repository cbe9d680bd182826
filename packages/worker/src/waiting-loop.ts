import { countWaiting, type QueueDatabase } from '@queue/core/internal'
import { createAlarm, type Logger, type Ticker } from '@queue/loop'

export interface WaitingLoopOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
}

/** How often waiting jobs are counted while a limit bounds their number … */
const countMs = 500
/** … and how often a worker checks whether such a limit exists. Setting a limit makes a first count. */
const idleMs = 60_000

/** Counts the waiting jobs whose number limits bound. It runs in every worker; the first one counts for all. */
export function createWaitingLoop({ database, logger }: WaitingLoopOptions): Ticker {
  const alarm = createAlarm()
  let isStopped = false
  let running: Promise<void> = Promise.resolve()

  const turn = async (): Promise<number> => {
    const { isWanted } = await countWaiting(database, countMs - 50)
    return isWanted ? countMs : idleMs
  }
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const waitMs = await turn().catch((error: unknown) => {
        logger.warn('waiting jobs could not be counted; trying again', { error })
        return countMs
      })
      if (!isStopped) await alarm.wait(waitMs)
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
