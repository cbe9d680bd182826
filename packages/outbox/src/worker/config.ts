import { type OptionsOf, parseOrThrow } from '@queue/core/runtime'
import { z } from 'zod'
import {
  claimBatchMax,
  dispatchTimeoutMsMax,
  leaseMarginMs,
  maxAttemptsMax,
  retryMaxDelayMsMax,
} from '../domain/limits.ts'

/** What a timer can wait for; it would fire at once for anything longer. */
const timerMsMax = 2 ** 31 - 1
const duration = (min: number, max = timerMsMax) => z.int().min(min).max(max)

const configFields = {
  /** Milliseconds between two polls that find nothing. Default 100. */
  pollInterval: duration(1).default(100),
  /** Messages in one claim at most. Default 10. */
  batchSize: z.int().min(1).max(claimBatchMax).default(10),
  /** Attempts, the first included, before a message is a dead letter. Default 5. */
  maxAttempts: z.int().min(1).max(maxAttemptsMax).default(5),
  /** Milliseconds of the first wait between two attempts; see `nextRetryDelay`. Default 1 000. */
  retryBaseDelay: duration(1, retryMaxDelayMsMax).default(1_000),
  /** Milliseconds of the longest wait between two attempts. Default 300 000. */
  retryMaxDelay: duration(1, retryMaxDelayMsMax).default(300_000),
  /** Whether chance shortens the waits, so that messages do not come back together. Default true. */
  jitter: z.boolean().default(true),
  /** Milliseconds between two claims while there are messages. Default 5. */
  minCycleDelay: duration(0).default(5),
  /** Milliseconds that a dispatch may take before its signal aborts and its attempt has failed. Default 30 000. */
  dispatchTimeout: duration(1, dispatchTimeoutMsMax).default(30_000),
  /** Dispatches at once. Default 1. */
  concurrency: z.int().min(1).max(claimBatchMax).default(1),
  /** Milliseconds that running dispatches may go on after a stop before their signals abort. Default 10 000. */
  shutdownGrace: duration(0).default(10_000),
  /** Milliseconds that delivered messages are kept; 0 is for ever. Default 1 day. */
  retention: z.int().min(0).default(86_400_000),
  /** Milliseconds between two removals of what has been kept for long enough. Default 60 000. */
  retentionInterval: duration(1).default(60_000),
  /** Milliseconds between two searches for messages whose relay was lost during their last attempt. Default 5 000. */
  recoveryInterval: duration(1).default(5_000),
  /** Whether the relay is told of new messages; false polls only, as through a transaction-mode pooler. Default true. */
  notifications: z.boolean().default(true),
}

/** How a relay works, with bounds and defaults. All durations are in milliseconds. */
export const outboxWorkerConfigSchema = z
  .strictObject(configFields)
  .refine((config) => config.retryMaxDelay >= config.retryBaseDelay, {
    path: ['retryMaxDelay'],
    message: 'must not be below retryBaseDelay',
  })

/** How a relay works, nothing absent. */
export type OutboxWorkerConfig = {
  readonly [Name in keyof typeof configFields]: z.output<(typeof configFields)[Name]>
}

/** What may be said of how a relay works. */
export type OutboxWorkerSettings = OptionsOf<typeof configFields>

/** The configuration with its defaults. Throws `InvalidInput` (`invalid_options`) that names each member. */
export function parseConfig(config: OutboxWorkerSettings): OutboxWorkerConfig {
  return parseOrThrow(outboxWorkerConfigSchema, config, 'invalid_options')
}

/**
 * How long a claim holds its messages: as long as their dispatches take one after the other in all slots, each up to
 * its timeout, and a margin for the claim's and the settle's own way.
 */
export function leaseMsOf(
  config: Pick<OutboxWorkerConfig, 'batchSize' | 'concurrency' | 'dispatchTimeout'>,
): number {
  return roundsOf(config) * config.dispatchTimeout + leaseMarginMs
}

/** How many dispatches of one batch follow each other in one slot. */
export function roundsOf({
  batchSize,
  concurrency,
}: Pick<OutboxWorkerConfig, 'batchSize' | 'concurrency'>): number {
  return Math.ceil(batchSize / concurrency)
}
