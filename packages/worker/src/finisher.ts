import { limits } from '@queue/core'
import {
  cancelRunningJobs,
  type Completion,
  type FailureWrite,
  finishJobs,
  type FinishWrite,
  type Lease,
  type QueueDatabase,
  releaseJobs,
  retryOrDeadLetterJobs,
  returnUnstartedJobs,
  snoozeJobs,
  type SnoozeWrite,
} from '@queue/core/internal'
import type { Succeeded } from '@queue/executor'
import { createAlarm } from '@queue/loop'
import { createGroupCommit } from '@queue/postgres'
import type { AttemptOutcome } from './observer.ts'
import type { UnwrittenBytes } from './unwritten-bytes.ts'

/** Writes the ends of attempts, in groups of the same transition. Every write is fenced by its lease. */
export interface Finisher {
  succeed(lease: Lease, kept: KeptResult): Promise<Completion>
  fail(lease: Lease, failure: Omit<FailureWrite, 'lease'>): Promise<Completion>
  snooze(lease: Lease, wait: Omit<SnoozeWrite, 'lease'>): Promise<Completion>
  cancel(lease: Lease): Promise<Completion>
  release(lease: Lease): Promise<Completion>
  returnUnstarted(lease: Lease): Promise<Completion>
  /** Resolves when every write handed in so far has its answer. */
  drained(): Promise<void>
}

export interface FinisherOptions {
  readonly database: QueueDatabase
  readonly onOutage: (error: unknown) => void
  /** Aborted when the retries must end. */
  readonly giveUp: AbortSignal
  readonly unwritten: Pick<UnwrittenBytes, 'add'>
}

export function createFinisher({ database, onOutage, giveUp, unwritten }: FinisherOptions): Finisher {
  const group = <Write>(
    apply: (database: QueueDatabase, writes: readonly Write[]) => Promise<Completion[]>,
    weigh?: (write: Write) => number,
  ) =>
    createGroupCommit<Write, Completion>({
      apply: (writes) => apply(database, writes),
      groupMax: limits.completionBatchMax,
      onOutage,
      giveUp,
      ...(weigh !== undefined && { weigh, onWaiting: unwritten.add }),
    })
  const finishes = group<WeighedFinish>(finishJobs, ({ bytes }) => bytes)
  const failures = group<FailureWrite>(retryOrDeadLetterJobs, ({ error }) => error.length)
  const snoozes = group<SnoozeWrite>(snoozeJobs)
  const cancels = group<Lease>(cancelRunningJobs)
  const releases = group<Lease>(releaseJobs)
  const returned = group<Lease>(returnUnstartedJobs)
  const groups = [finishes, failures, snoozes, cancels, releases, returned]
  return {
    succeed: (lease, kept) => finishes.add(finishOf(lease, kept)),
    fail: (lease, failure) => failures.add({ lease, ...failure }),
    snooze: (lease, wait) => snoozes.add({ lease, ...wait }),
    cancel: (lease) => cancels.add(lease),
    release: (lease) => releases.add(lease),
    returnUnstarted: (lease) => returned.add(lease),
    drained: async () => {
      await Promise.all(groups.map((writes) => writes.drained()))
    },
  }
}

interface WeighedFinish extends FinishWrite {
  /** The length of the handler's result, which stays in memory until the end is written, kept or not. */
  readonly bytes: number
}

/** The result of a job, or why it has none. */
type KeptResult = Pick<Succeeded, 'result' | 'note'>

/** A result that is too large is dropped with a note: the work is done, and a retry would not help. */
export function finishOf(lease: Lease, { result, note }: KeptResult): WeighedFinish {
  if (result === null) return { lease, resultText: null, note, bytes: 0 }
  const text = JSON.stringify(result)
  const bytes = Buffer.byteLength(text)
  if (bytes <= limits.resultBytesMax) return { lease, resultText: text, note: null, bytes }
  return {
    lease,
    bytes,
    resultText: null,
    note: `the job succeeded; its result of ${bytes} bytes is over ${limits.resultBytesMax} and was not kept`,
  }
}

export interface RefusedEndsOptions extends FinisherOptions {
  /** Called with the number of kept ends whenever it changes. */
  readonly onCount: (ends: number) => void
}

/**
 * The ends of attempts that the database has refused to record, for example because a privilege is missing. In the database
 * these jobs still run under this worker, and only this worker knows how they ended.
 */
export interface RefusedEnds {
  /** Whether there are so many that no further job may begin: its end would probably be refused too. */
  readonly isFull: boolean
  /**
   * Keeps an end and writes it again, with growing pauses, until the database accepts it or reports that the lease is lost.
   * Resolves with the recorded outcome, or with `error` if it was given up.
   */
  keep(write: WriteEnd): Promise<AttemptOutcome>
  /** Tries all of them once more. Resolves when each has its answer. */
  tryNow(): Promise<void>
}

/** Writes one end. Throws the error of the database if it refuses the end. */
export type WriteEnd = (finisher: Finisher) => Promise<AttemptOutcome>

/** With this many kept ends a worker starts no further job. Jobs that are running by then may still add to them. */
export const refusedEndsMax = 100
const retryWaitMsMin = 500
const retryWaitMsMax = 15_000

/**
 * Refused ends have their own finisher: in a shared group, one refused end would force every other end into its own statement.
 */
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
