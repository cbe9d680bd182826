import { limits, type QueueDatabase } from '@queue/core'
import { createGroupWrites, type ProgressWrite, reportProgress } from '@queue/core/runtime'
import type { Attempt } from './attempt.ts'

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
    groupMax: limits.settleBatchMax,
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
