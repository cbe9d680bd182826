import { limits, type QueueDatabase } from '@queue/core'
import { createGroupWrites, type ProgressWrite, reportProgress } from '@queue/core/runtime'
import type { Attempt } from './attempt.ts'

/** Stores what handlers have reported, one group after the other, so that no report overtakes a later one. */
export interface ProgressReports {
  /** Stores what the attempt last reported, if that is not stored yet. What could not be written stays reported. */
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
      if (progress === undefined) return
      await groups.add({ lease: attempt.job.lease, ...progress })
      if (attempt.progress === progress) attempt.progress = undefined
    },
  }
}
