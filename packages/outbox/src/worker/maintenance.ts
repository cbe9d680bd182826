import { createTicker, type Logger, runBatches, type Ticker } from '@queue/loop'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import { deadLetterBatchMax } from '../domain/limits.ts'
import { deadLetterLostMessages } from '../transitions/dead-letter-lost-messages.ts'
import { pruneMessages } from '../transitions/prune-messages.ts'
import type { OutboxWorkerConfig } from './config.ts'
import type { OutboxObserver } from './observer.ts'

export interface MaintenanceOptions {
  readonly database: OutboxDatabase
  readonly config: OutboxWorkerConfig
  readonly logger: Logger
  readonly observer: OutboxObserver
}

/**
 * Dead-letters the messages whose relay was lost during their last attempt: at the start and at every interval. Every relay does
 * this for all others.
 */
export function createRecovery({ database, config, logger, observer }: MaintenanceOptions): Ticker {
  return createTicker({
    intervalMs: config.recoveryInterval,
    tick: async () => {
      for (let batchSize = deadLetterBatchMax; batchSize === deadLetterBatchMax; ) {
        const deadLettered = await deadLetterLostMessages(database)
        for (const { id, topic } of deadLettered) {
          observer.deadLettered({ topic })
          logger.error('a message became a dead letter: its relay was lost during the last attempt', {
            message_id: id,
            topic,
          })
        }
        batchSize = deadLettered.length
      }
    },
    onError: (error) =>
      logger.warn('messages of lost relays could not be recovered; trying again', { error }),
  })
}

/** A turn walks on over what is kept for this many batches. The next turn, or another relay, continues there. */
const idleBatchesMax = 20

/**
 * Deletes delivered messages past their retention, in bounded batches. A turn goes on while there is something to delete; the
 * next one continues where it stopped.
 */
export function createRetention({ database, config, logger }: MaintenanceOptions): Ticker {
  let cursor: string | null = null
  return createTicker({
    intervalMs: config.retentionInterval,
    tick: async (stopping) => {
      if (config.retention === 0) return
      await runBatches({ idleBatchesMax, stopping }, async () => {
        const result = await pruneMessages(database, config.retention, cursor)
        cursor = result.cursor
        return { changed: result.pruned, isLast: cursor === null }
      })
    },
    onError: (error) => logger.warn('delivered messages could not be removed; trying again', { error }),
  })
}
