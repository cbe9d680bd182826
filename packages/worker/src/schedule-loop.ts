import {
  type ConnectedDatabase,
  createFullQueues,
  createIdMint,
  fireDue,
  type FiringReport,
  type KnownKinds,
  nextDueMs,
  type Notifier,
} from '@queue/core/internal'
import { createAlarm, type Ticker } from '@queue/loop'
import type { Reporting } from './reporting.ts'

export interface ScheduleLoopOptions {
  readonly database: ConnectedDatabase
  readonly notifier: Notifier
  readonly reporting: Pick<Reporting, 'logger' | 'observer'>
  /** The kinds that this worker runs, by name. */
  readonly definitions: KnownKinds
  /** Whether notifications of new schedules reach this process: it has received its own test notification lately. */
  readonly receivesNotifications: () => boolean
}

/** The longest wait, and so the longest delay of a new schedule whose notification was lost. */
const pollMsMax = 5_000
/** The longest wait if no schedule will ever be due and notifications arrive. */
const pollWithNotificationsMs = 30_000
/** The wait for schedules that other processes hold. */
const retryMs = 100
const errorWaitMs = 1_000

/**
 * Fires the schedules that are due. It runs in every worker. It waits until the next schedule is due by the database's clock,
 * at most 5 s, or 30 s if no schedule will ever be due and notifications arrive. Each wait costs one query. This process's own
 * clock only measures the wait and decides nothing.
 */
export function createScheduleLoop(options: ScheduleLoopOptions): Ticker {
  const { logger } = options.reporting
  const alarm = createAlarm()
  const fire = createFiring(options)
  let isStopped = false
  /** True if a schedule is expected to be due, so that the turn fires without asking first. */
  let isExpected = false
  let running: Promise<void> = Promise.resolve()

  const turn = async (): Promise<number> => {
    const firing = isExpected ? await fire() : 'unknown'
    isExpected = firing === 'more'
    if (firing === 'more') return 0
    const dueInMs = await nextDueMs(options.database)
    if (dueInMs === null) return options.receivesNotifications() ? pollWithNotificationsMs : pollMsMax
    // A schedule that is due although this process could lock none is being fired by another process.
    const waitMs = dueInMs > 0 ? Math.ceil(dueInMs) : firing === 'nothing' ? retryMs : 0
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

/** Returns a function that fires once, and reports the result to the workers of the jobs' queues, the log and the metrics. */
function createFiring({ database, notifier, reporting, definitions }: ScheduleLoopOptions) {
  const full = createFullQueues(database)
  const mintIds = createIdMint(full.clock)
  return async (): Promise<'more' | 'some' | 'nothing'> => {
    const report = await fireDue(database, { mintIds, full, kinds: definitions })
    const queues = new Set(report.fired.map(({ queue }) => queue))
    notifier.tell([...queues].map((queue) => ({ type: 'queue', queue })))
    reportFiring(report, reporting)
    return report.more ? 'more' : report.locked === 0 ? 'nothing' : 'some'
  }
}

function reportFiring(
  { fired, missed, skipped, refused, paused }: FiringReport,
  { logger, observer }: ScheduleLoopOptions['reporting'],
): void {
  for (const { schedule, reason } of paused) {
    logger.error('a schedule was paused because it cannot fire: fix it and resume it', {
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
