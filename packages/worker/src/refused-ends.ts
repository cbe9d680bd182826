import type { QueueDatabase } from '@queue/core'
import { createAlarm } from '@queue/loop'
import { createFinisher, type Finisher } from './finisher.ts'
import type { AttemptOutcome } from './observer.ts'

export interface RefusedEndsOptions {
  readonly database: QueueDatabase
  /** Called with how many are kept, whenever that changes. */
  readonly onCount: (ends: number) => void
  readonly onOutage: (error: unknown) => void
  /** Aborts when it is no longer worth trying. */
  readonly giveUp: AbortSignal
}

/**
 * The ends of attempts that the database has refused to record, for lack of a privilege for instance. Their jobs are
 * running in the name of this worker, which alone knows how they have ended.
 */
export interface RefusedEnds {
  /** Whether there are so many that no further job should be begun: its end would be refused too. */
  readonly isFull: boolean
  /**
   * Keeps an end, and has it written again, ever less often, until the database says who holds its job. Gives what was
   * recorded; `error` when it was given up.
   */
  keep(write: WriteEnd): Promise<AttemptOutcome>
  /** Has all of them written once more; resolves when each has its answer. */
  tryNow(): Promise<void>
}

/** Writes one end. Throws what the database has refused it with. */
export type WriteEnd = (finisher: Finisher) => Promise<AttemptOutcome>

/** So many keep a worker from further jobs. Beyond them there are those that were running by then. */
export const refusedEndsMax = 100
const retryWaitMsMin = 500
const retryWaitMsMax = 15_000

/** They are written in groups of their own: a refused end would have each end in its group sent alone. */
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
        const leave = (outcome: AttemptOutcome): void => {
          kept.delete(tryOnce)
          options.onCount(kept.size)
          resolve(outcome)
        }
        const tryOnce = async (): Promise<void> => {
          try {
            leave(await write(finisher))
          } catch {
            if (giveUp.aborted) leave('error')
          }
        }
        kept.add(tryOnce)
        options.onCount(kept.size)
        if (!isRunning) void run()
      }),
    tryNow: tryAll,
  }
}
