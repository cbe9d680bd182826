import type { ConnectedDatabase } from '@queue/core'
import { createIdMint } from '@queue/core/fields'
import {
  createFullQueues,
  type FiringReport,
  fireDue,
  type KnownKinds,
  nextDueMs,
  type Notifier,
} from '@queue/core/workers'
import { createAlarm, type Ticker } from '@queue/loop'
import type { Reporting } from './options.ts'

export interface ScheduleLoopOptions {
  readonly database: ConnectedDatabase
  readonly notifier: Notifier
  readonly reporting: Pick<Reporting, 'logger' | 'observer'>
  /** The kinds that this worker runs, by name. */
  readonly definitions: KnownKinds
  /** Whether this process is told of a new schedule: it has received its own notification lately. */
  readonly isTold: () => boolean
}

/** The longest wait, and so the longest delay of a new schedule of which no notification has come. */
const pollMsMax = 5_000
/** The same where no schedule will ever be due, and a notification would tell of a new one. */
const pollWhenToldMs = 30_000
/** The wait for schedules that other processes hold, and after an error. */
const retryMs = 100
const errorWaitMs = 1_000

/**
 * Fires what is due, in every worker. It waits until the next schedule is due by the database's clock, at most 5 s; 30 s where
 * none will ever be and notifications arrive. That is one query in that time. This process's own clock decides nothing: only
 * the length of the wait is its own.
 */
export function createScheduleLoop(options: ScheduleLoopOptions): Ticker {
  const { logger } = options.reporting
  const alarm = createAlarm()
  const fire = createFiring(options)
  let isStopped = false
  /** True when the wait has ended because a schedule is due: then nobody has to ask whether one is. */
  let isExpected = false
  let running: Promise<void> = Promise.resolve()

  const turn = async (): Promise<number> => {
    const found = isExpected ? await fire() : 'unknown'
    isExpected = found === 'more'
    if (found === 'more') return 0
    const dueInMs = await nextDueMs(options.database)
    if (dueInMs === null) return options.isTold() ? pollWhenToldMs : pollMsMax
    // What is due although nothing was found is being fired by another process.
    const waitMs = dueInMs > 0 ? Math.ceil(dueInMs) : found === 'nothing' ? retryMs : 0
    isExpected = waitMs < pollMsMax
    return Math.min(waitMs, pollMsMax)
  }
  const run = async (): Promise<void> => {
    while (!isStopped) {
      const waitMs = await turn().catch((error: unknown) => {
        logger.warn('schedules could not be fired; trying again', { error })
        return errorWaitMs
      })
      if (waitMs > 0 && !isStopped) await alarm.wait(waitMs)
    }
  }
  return {
    start: () => {
      running = run()
    },
    wake: () => {
      isExpected = false
      alarm.ring()
    },
    stop: async () => {
      isStopped = true
      alarm.ring()
      await running
    },
  }
}

/** One firing: what it has done is told to the workers of the jobs' queues, to the log and to the metrics. */
function createFiring({ database, notifier, reporting, definitions }: ScheduleLoopOptions) {
  const full = createFullQueues(database)
  const mintIds = createIdMint(full.clock)
  return async (): Promise<'more' | 'some' | 'nothing'> => {
    const report = await fireDue(database, { mintIds, full, kinds: definitions })
    const queues = new Set(report.fired.map(({ queue }) => queue))
    notifier.tell([...queues].map((queue) => ({ type: 'queue', queue })))
    noteFiring(report, reporting)
    return report.more ? 'more' : report.locked === 0 ? 'nothing' : 'some'
  }
}

function noteFiring(
  { fired, missed, skipped, refused, paused }: FiringReport,
  { logger, observer }: ScheduleLoopOptions['reporting'],
): void {
  for (const { schedule, reason } of paused) {
    logger.error('a schedule has paused itself: it enqueues nothing until it is mended and resumed', {
      schedule,
      reason,
    })
  }
  observer.schedulesFired({
    lateSeconds: fired.map(({ lateMs }) => lateMs / 1_000),
    missed,
    skipped,
    refused,
  })
}
