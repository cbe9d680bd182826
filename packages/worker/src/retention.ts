import type { QueueDatabase } from '@queue/core'
import { createTicker, type Logger, type Ticker } from '@queue/loop'
import { pruneJobs } from '@queue/core/runtime'
import { retentionOf, type WorkerSettings } from './options.ts'

export interface RetentionOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly settings: WorkerSettings
}

/** At most so many batches per turn: the next turn, or another worker, removes the rest. */
const batchesPerTurn = 20

/**
 * Deletes ended jobs past their retention, oldest first, in bounded batches that skip locked rows: neither a claim nor a
 * finish ever waits for it. Each turn continues where the last one stopped.
 */
export function createRetention({ database, logger, settings }: RetentionOptions): Ticker {
  const retention = retentionOf(settings)
  let cursor: string | null = null
  return createTicker({
    intervalMs: settings.retentionIntervalMs,
    tick: async () => {
      let total = 0
      for (let batch = 0; batch < batchesPerTurn; batch += 1) {
        const result = await pruneJobs(database, retention, cursor)
        cursor = result.cursor
        total += result.pruned
        if (cursor === null) break
      }
      if (total > 0) logger.info('removed ended jobs past their retention', { jobs: total })
    },
    onError: (error) => logger.warn('ended jobs could not be removed; trying again', { error }),
  })
}
