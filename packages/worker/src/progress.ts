import { limits } from '@queue/core'
import { type ProgressWrite, type QueueDatabase, reportProgress } from '@queue/core/internal'
import { describeError, storableText } from '@queue/loop'
import { createGroupWrites } from '@queue/postgres'
import type { Attempt, Progress } from './attempt.ts'
import type { UnwrittenBytes } from './unwritten-bytes.ts'

/** A handler's report, forced into its bounds: invalid progress must not fail a job. */
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

/** Stores the progress that handlers reported, one group after the other, so that an older report never replaces a newer one. */
export interface ProgressReports {
  /**
   * Stores the attempt's last report if it is not stored yet. A report that could not be written is kept. So is one that comes
   * while the attempt's transaction is open: that transaction writes it at its end. In REPEATABLE READ and stricter, it would
   * fail if another transaction changed the row of its job.
   */
  write(attempt: Attempt): Promise<void>
}

export function createProgressReports(
  database: QueueDatabase,
  unwritten: Pick<UnwrittenBytes, 'add'>,
): ProgressReports {
  const groups = createGroupWrites<ProgressWrite, void>({
    apply: async (writes) => {
      await reportProgress(database, writes)
      return writes.map(() => undefined)
    },
    groupMax: limits.completionBatchMax,
    weigh: ({ message }) => message?.length ?? 0,
    onWaiting: unwritten.add,
  })
  return {
    write: async (attempt) => {
      const { progress } = attempt
      if (progress === undefined || attempt.transaction?.isOpen === true) return
      const writing = groups.add({ lease: attempt.job.lease, ...progress })
      attempt.progressWrite = writing
      await writing
      if (attempt.progress === progress) attempt.progress = undefined
    },
  }
}
