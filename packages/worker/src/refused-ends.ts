import type { QueueDatabase } from '@queue/core'
import { createAlarm } from '@queue/loop'
import { createFinisher, type Finisher } from './finisher.ts'
import type { AttemptOutcome } from './observer.ts'

export interface RefusedEndsOptions {
  readonly database: QueueDatabase
  /** Called with how many are kept, whenever that changes. */
  readonly onCount: (ends: number) => void
  readonly onOutage: (error: unknown) => void
  /** Aborts when trying should end. */
  readonly giveUp: AbortSignal
}

/**
 * The ends of attempts that the database has refused to record, for lack of a privilege for instance. In the database these
 * jobs still run under this worker, and only this worker knows how they ended.
 */
export interface RefusedEnds {
  /** Whether there are so many that no further job should begin: its end would probably be refused too. */
  readonly isFull: boolean
  /**
   * Keeps an end, and writes it again, with growing pauses, until the database accepts it or says that the lease is lost.
   * Gives what was recorded; `error` when it was given up.
   */
  keep(write: WriteEnd): Promise<AttemptOutcome>
  /** Writes all of them once more; resolves when each has its answer. */
  tryNow(): Promise<void>
}

/** Writes one end. Throws the error with which the database refuses it. */
export type WriteEnd = (finisher: Finisher) => Promise<AttemptOutcome>

/** With so many a worker starts no further job. Those that are running by then may add to them. */
export const refusedEndsMax = 100
const retryWaitMsMin = 500
const retryWaitMsMax = 15_000

/** They have a finisher of their own: in a shared group, one refused end would make each of the others be sent alone. */
export function createRefusedEnds(options: RefusedEndsOptions): RefusedEnds {
  const { giveUp } = options
  const finisher = createFinisher(options)
  const kept = new Set<() => Promise<void>>()
  const alarm = createAlarm()
  giveUp.addEventListener('abort', alarm.ring)
  let trying: Promise<unknown> | undefined
  let isRunning = false

  const tryAll = async (): Promise<void> => {
    trying ??= Promise.all([...kept].map((tryOnce) => tryOnce())).finally(() => {
      trying = undefined
    })
    await trying
  }
  const run = async (): Promise<void> => {
    isRunning = true
    for (let waitMs = retryWaitMsMin; kept.size > 0; waitMs = Math.min(2 * waitMs, retryWaitMsMax)) {
      await alarm.wait(waitMs)
      await tryAll()
    }
    isRunning = false
  }

  return {
    get isFull() {
      return kept.size >= refusedEndsMax
    },
    keep: (write) =>
      new Promise((resolve) => {
        const remove = (outcome: AttemptOutcome): void => {
          kept.delete(tryOnce)
          options.onCount(kept.size)
          resolve(outcome)
        }
        const tryOnce = async (): Promise<void> => {
          try {
            remove(await write(finisher))
          } catch {
            if (giveUp.aborted) remove('error')
          }
        }
        kept.add(tryOnce)
        options.onCount(kept.size)
        if (!isRunning) void run()
      }),
    tryNow: tryAll,
  }
}
