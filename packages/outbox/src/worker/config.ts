import { parseOrThrow } from '@queue/core/runtime'
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

/** How a relay works, with bounds and defaults. All durations are in milliseconds. */
export const outboxWorkerConfigSchema = z
  .strictObject({
    /** The wait after a poll that found nothing. */
    pollInterval: duration(1).default(100),
    /** Messages in one claim at most. */
    batchSize: z.int().min(1).max(claimBatchMax).default(10),
    /** Attempts, the first included, before a message is a dead letter. */
    maxAttempts: z.int().min(1).max(maxAttemptsMax).default(5),
    /** See `nextRetryDelay`. */
    retryBaseDelay: duration(1, retryMaxDelayMsMax).default(1_000),
    retryMaxDelay: duration(1, retryMaxDelayMsMax).default(300_000),
    jitter: z.boolean().default(true),
    /** The wait between two claims while there are messages. */
    minCycleDelay: duration(0).default(5),
    /** How long a dispatch may take before its signal aborts and its attempt has failed. */
    dispatchTimeout: duration(1, dispatchTimeoutMsMax).default(30_000),
    /** Dispatches at once. */
    concurrency: z.int().min(1).max(claimBatchMax).default(1),
    /** How long running dispatches may go on after a stop before their signals abort. */
    shutdownGrace: duration(0).default(10_000),
    /** How long delivered messages are kept; 0 = for ever. */
    retention: z.int().min(0).default(86_400_000),
    retentionInterval: duration(1).default(60_000),
    /** How often messages are looked for whose relay was lost during their last attempt. */
    recoveryInterval: duration(1).default(5_000),
    /** Whether the relay is told of new messages; false polls only, as through a transaction-mode pooler. */
    notifications: z.boolean().default(true),
  })
  .refine((config) => config.retryMaxDelay >= config.retryBaseDelay, {
    path: ['retryMaxDelay'],
    message: 'must not be below retryBaseDelay',
  })

export type OutboxWorkerConfig = z.output<typeof outboxWorkerConfigSchema>

/** The configuration with its defaults. Throws `InvalidInput` (`invalid_options`) that names each member. */
export function parseConfig(config: z.input<typeof outboxWorkerConfigSchema>): OutboxWorkerConfig {
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
