import type { ClaimedJob } from '@queue/core'
import type { Settlement } from '@queue/core/runtime'
import { type AbortReason, AttemptAborted } from '@queue/executor'
import type { Progress } from './progress.ts'

/** One attempt from its start until its end is recorded: what the runtime holds in memory of a claimed job. */
export interface Attempt {
  readonly job: ClaimedJob
  readonly signal: AbortSignal
  /** Why the attempt was told to stop; undefined while it was not. The first reason stays. */
  readonly abortReason: AbortReason | undefined
  abort(reason: AbortReason): void
  /** What the handler last reported and what is not written yet. */
  progress: Progress | undefined
  /**
   * When the attempt must have ended, its grace included, by `monotonicMs`; undefined without a timeout, and once it
   * has ended or was given up.
   */
  deadlineMs: number | undefined
  /** How its one transaction stands; from `ending` on, the job may have ended by it. */
  transaction: 'unused' | 'open' | 'ending' | 'committed' | 'failed'
  /** The release of the job while its handler goes on: whatever that comes to is no longer recorded. */
  release: Promise<Settlement> | undefined
  /** False once the handler has settled, and what remains is to record it. */
  executing: boolean
}

export function createAttempt(job: ClaimedJob): Attempt {
  const controller = new AbortController()
  let abortReason: AbortReason | undefined
  return {
    job,
    signal: controller.signal,
    get abortReason() {
      return abortReason
    },
    abort: (reason) => {
      if (abortReason !== undefined) return
      abortReason = reason
      controller.abort(new AttemptAborted(reason))
    },
    progress: undefined,
    deadlineMs: undefined,
    transaction: 'unused',
    release: undefined,
    executing: true,
  }
}
