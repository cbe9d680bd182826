import { createTicker, type Logger, type Ticker } from '@queue/loop'
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

/** The most batches per turn. The next turn, or another relay, removes the rest. */
const batchesPerTurn = 20

/** Deletes delivered messages past their retention, in bounded batches. Each turn continues where the last one stopped. */
export function createRetention({ database, config, logger }: MaintenanceOptions): Ticker {
  let cursor: string | null = null
  return createTicker({
    intervalMs: config.retentionInterval,
    tick: async () => {
      for (let batch = 0; config.retention > 0 && batch < batchesPerTurn; batch += 1) {
        cursor = (await pruneMessages(database, config.retention, cursor)).cursor
        if (cursor === null) break
      }
    },
    onError: (error) => logger.warn('delivered messages could not be removed; trying again', { error }),
  })
}
