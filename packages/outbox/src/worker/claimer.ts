import type { Logger } from '@queue/loop'
import type { OutboxDatabase } from '../database/outbox-database.ts'
import type { ClaimedMessage } from '../domain/message.ts'
import { claimMessages, type KeyWalk, type Lane } from '../transitions/claim-messages.ts'
import { leaseMsOf, type OutboxWorkerConfig } from './config.ts'
import type { OutboxObserver } from './observer.ts'

export interface ClaimerOptions {
  readonly database: OutboxDatabase
  readonly config: OutboxWorkerConfig
  readonly workerId: string
  readonly topics: readonly string[]
  readonly logger: Logger
  readonly observer: OutboxObserver
}

/** Makes the claims of one relay. Topics and lanes take turns at being first, so that none starves another. */
export interface Claimer {
  /** Claims up to `limit` messages. Resolves with undefined if the claim failed. Never throws. */
  claim(limit: number): Promise<readonly ClaimedMessage[] | undefined>
}

export function createClaimer(options: ClaimerOptions): Claimer {
  const { database, config, workerId, logger, observer } = options
  const leaseMs = leaseMsOf(config)
  let topics = [...options.topics]
  let first: Lane = 'keyless'
  let walk: KeyWalk = new Map()
  return {
    claim: async (limit) => {
      const startedMs = performance.now()
      try {
        const claim = await claimMessages(database, {
          workerId,
          topics,
          limit,
          leaseMs,
          maxAttempts: config.maxAttempts,
          first,
          walk,
        })
        walk = claim.walk
        topics = [...topics.slice(1), ...topics.slice(0, 1)]
        if (topics[0] === options.topics[0]) first = first === 'keyed' ? 'keyless' : 'keyed'
        observer.claimed({
          messages: claim.messages.length,
          seconds: (performance.now() - startedMs) / 1_000,
        })
        return claim.messages
      } catch (error) {
        logger.warn('messages could not be claimed; trying again', { error })
        return undefined
      }
    },
  }
}
