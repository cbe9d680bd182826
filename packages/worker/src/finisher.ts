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
import { createGroupCommit } from '@queue/postgres'

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
