import { limits, type QueueDatabase } from '@queue/core'
import { type ProgressWrite, reportProgress } from '@queue/core/runtime'
import { describeError, storableText } from '@queue/loop'
import { createGroupWrites } from '@queue/postgres'
import type { Attempt, Progress } from './attempt.ts'

/** What a handler reported, brought into bounds whatever it passed: its progress must not fail its job. */
export function progressOf(percent: unknown, message: unknown): Progress {
  return { percent: wholePercent(percent), message: shortText(message) }
}

function wholePercent(percent: unknown): number {
  if (typeof percent !== 'number' || Number.isNaN(percent)) return 0
  return Math.min(100, Math.max(0, Math.round(percent)))
}

function shortText(message: unknown): string | null {
  if (message === undefined || message === null) return null
  const text = typeof message === 'string' ? message : describeError(message)
  return storableText(text, limits.progressMessageLengthMax)
}

/** Stores what handlers have reported, one group after the other, so that no report overtakes a later one. */
export interface ProgressReports {
  /**
   * Stores what the attempt last reported, if that is not stored yet. What could not be written stays reported, and so
   * does what is reported while the attempt's transaction is open: its end carries it. In REPEATABLE READ and stricter,
   * a change of the job's row beside that transaction would be its failure.
   */
  write(attempt: Attempt): Promise<void>
}

export function createProgressReports(database: QueueDatabase): ProgressReports {
  const groups = createGroupWrites<ProgressWrite, void>({
    apply: async (writes) => {
      await reportProgress(database, writes)
      return writes.map(() => undefined)
    },
    groupMax: limits.completionBatchMax,
  })
  return {
    write: async (attempt) => {
      const { progress } = attempt
      if (progress === undefined || attempt.transaction?.isOpen === true) return
      const writing = groups.add({ lease: attempt.job.lease, ...progress })
      attempt.reporting = writing
      await writing
      if (attempt.progress === progress) attempt.progress = undefined
    },
  }
}
