import { type JsonValue, limits, type QueueDatabase } from '@queue/core'
import {
  cancelRunningJobs,
  type Completion,
  type FailureWrite,
  finishJobs,
  type FinishWrite,
  type Lease,
  releaseJobs,
  retryOrDeadLetterJobs,
  returnUnstartedJobs,
  snoozeJobs,
  type SnoozeWrite,
} from '@queue/core/runtime'
import { createAlarm } from '@queue/loop'
import { createGroupCommit } from '@queue/postgres'
import type { AttemptOutcome } from './observer.ts'

/** Writes the ends of attempts, in groups of the same transition. Every write is fenced by its lease. */
export interface Finisher {
  succeed(lease: Lease, result: JsonValue): Promise<Completion>
  fail(lease: Lease, failure: Omit<FailureWrite, 'lease'>): Promise<Completion>
  snooze(lease: Lease, waitMs: number): Promise<Completion>
  cancel(lease: Lease): Promise<Completion>
  release(lease: Lease): Promise<Completion>
  returnUnstarted(lease: Lease): Promise<Completion>
  /** Resolves when every end that has been handed in has its answer. */
  drained(): Promise<void>
}

export interface FinisherOptions {
  readonly database: QueueDatabase
  readonly onOutage: (error: unknown) => void
  /** Aborts when trying should end. */
  readonly giveUp: AbortSignal
}

export function createFinisher({ database, onOutage, giveUp }: FinisherOptions): Finisher {
  const group = <Write>(
    apply: (database: QueueDatabase, writes: readonly Write[]) => Promise<Completion[]>,
  ) =>
    createGroupCommit<Write, Completion>({
      apply: (writes) => apply(database, writes),
      groupMax: limits.completionBatchMax,
      onOutage,
      giveUp,
    })
  const finishes = group<FinishWrite>(finishJobs)
  const failures = group<FailureWrite>(retryOrDeadLetterJobs)
  const snoozes = group<SnoozeWrite>(snoozeJobs)
  const cancels = group<Lease>(cancelRunningJobs)
  const releases = group<Lease>(releaseJobs)
  const returned = group<Lease>(returnUnstartedJobs)
  const groups = [finishes, failures, snoozes, cancels, releases, returned]
  return {
    succeed: (lease, result) => finishes.add({ lease, ...resultWrite(result) }),
    fail: (lease, failure) => failures.add({ lease, ...failure }),
    snooze: (lease, waitMs) => snoozes.add({ lease, waitMs }),
    cancel: (lease) => cancels.add(lease),
    release: (lease) => releases.add(lease),
    returnUnstarted: (lease) => returned.add(lease),
    drained: async () => {
      await Promise.all(groups.map((one) => one.drained()))
    },
  }
}

/** A result that is too large is dropped with a note: the work is done, and repeating it would not help. */
export function resultWrite(result: JsonValue): Omit<FinishWrite, 'lease'> {
  if (result === null) return { resultText: null, note: null }
  const text = JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes <= limits.resultBytesMax) return { resultText: text, note: null }
  return {
    resultText: null,
    note: `the job succeeded; its result of ${bytes} bytes is over ${limits.resultBytesMax} and was not kept`,
  }
}

export interface RefusedEndsOptions extends FinisherOptions {
  /** Called with how many are kept, whenever that changes. */
  readonly onCount: (ends: number) => void
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
