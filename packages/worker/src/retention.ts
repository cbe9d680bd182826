import type { QueueDatabase } from '@queue/core'
import { createTicker, type Logger, type Ticker } from '@queue/loop'
import { pruneJobs } from '@queue/core/runtime'
import { retentionOf, type WorkerSettings } from './options.ts'

export interface RetentionOptions {
  readonly database: QueueDatabase
  readonly logger: Logger
  readonly settings: WorkerSettings
}

/** So many batches at most in one turn: what is left is for the next one, and for the other workers. */
const batchesPerTurn = 20

/**
 * Deletes ended jobs that are no longer kept, oldest first, in bounded batches that skip locked rows: neither a claim
 * nor a finish ever waits for it. Each turn goes on where the last one stopped.
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
      if (total > 0)
        logger.info('ended jobs were removed: they are older than the retention', { jobs: total })
    },
    onError: (error) => logger.warn('ended jobs could not be removed; trying again', { error }),
  })
}
