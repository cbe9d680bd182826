import { type JsonValue, limits, type QueueDatabase } from '@queue/core'
import {
  cancelRunningJobs,
  type FailureWrite,
  finishJobs,
  type FinishWrite,
  giveBackJobs,
  type Lease,
  releaseJobs,
  retryOrBuryJobs,
  type Settlement,
  snoozeJobs,
  type SnoozeWrite,
} from '@queue/core/runtime'
import { createGroupCommit } from '@queue/postgres'

/** Writes the ends of attempts, each arrow in groups of its own. Every write is fenced by its lease. */
export interface Finisher {
  succeed(lease: Lease, result: JsonValue): Promise<Settlement>
  fail(lease: Lease, failure: Omit<FailureWrite, 'lease'>): Promise<Settlement>
  snooze(lease: Lease, waitMs: number): Promise<Settlement>
  cancel(lease: Lease): Promise<Settlement>
  release(lease: Lease): Promise<Settlement>
  giveBack(lease: Lease): Promise<Settlement>
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
    apply: (database: QueueDatabase, writes: readonly Write[]) => Promise<Settlement[]>,
  ) =>
    createGroupCommit<Write, Settlement>({
      apply: (writes) => apply(database, writes),
      groupMax: limits.settleBatchMax,
      onOutage,
      giveUp,
    })
  const finishes = group<FinishWrite>(finishJobs)
  const failures = group<FailureWrite>(retryOrBuryJobs)
  const snoozes = group<SnoozeWrite>(snoozeJobs)
  const cancels = group<Lease>(cancelRunningJobs)
  const releases = group<Lease>(releaseJobs)
  const givenBack = group<Lease>(giveBackJobs)
  const groups = [finishes, failures, snoozes, cancels, releases, givenBack]
  return {
    succeed: (lease, result) => finishes.add({ lease, ...resultWrite(result) }),
    fail: (lease, failure) => failures.add({ lease, ...failure }),
    snooze: (lease, waitMs) => snoozes.add({ lease, waitMs }),
    cancel: (lease) => cancels.add(lease),
    release: (lease) => releases.add(lease),
    giveBack: (lease) => givenBack.add(lease),
    drained: async () => {
      await Promise.all(groups.map((one) => one.drained()))
    },
  }
}

/** A result that is too large is not kept, and the job says so: the work was done, and doing it again would not help. */
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
