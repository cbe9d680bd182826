import { type OptionsOf, parseOrThrow } from '@queue/core/fields'
import { timerMsMax } from '@queue/loop'
import { z } from 'zod'
import {
  claimBatchMax,
  dispatchTimeoutMsMax,
  leaseMarginMs,
  maxAttemptsMax,
  retentionMsMax,
  retryMaxDelayMsMax,
} from '../domain/limits.ts'

const duration = (min: number, max = timerMsMax) => z.int().min(min).max(max).meta({ unit: 'ms' })

/**
 * Each setting once: its bounds, its default, its environment variable if it has one, and what the help text and the
 * documentation say of it. The comments are what an editor shows.
 */
const configFields = {
  /** Milliseconds between two polls that find nothing. Default 100. */
  pollInterval: duration(1).default(100).meta({
    variable: 'OUTBOX_POLL_INTERVAL_MS',
    description: 'How long to wait before the next poll after one that found no message.',
  }),
  /** Messages in one claim at most. Default 10. */
  batchSize: z.int().min(1).max(claimBatchMax).default(10).meta({
    variable: 'OUTBOX_BATCH_SIZE',
    description: 'How many messages one claim takes at most.',
  }),
  /** Attempts, the first included, before a message is a dead letter. Default 5. */
  maxAttempts: z.int().min(1).max(maxAttemptsMax).default(5).meta({
    variable: 'OUTBOX_MAX_ATTEMPTS',
    description: 'How many attempts a message has before it is a dead letter.',
  }),
  /** Milliseconds of the first wait between two attempts; see `nextRetryDelay`. Default 1 000. */
  retryBaseDelay: duration(1, retryMaxDelayMsMax).default(1_000).meta({
    variable: 'OUTBOX_RETRY_BASE_DELAY_MS',
    description:
      'What the wait after a failure begins from: after failure n it is this · 2ⁿ, but not more than the longest wait.',
  }),
  /** Milliseconds of the longest wait between two attempts. Default 300 000. */
  retryMaxDelay: duration(1, retryMaxDelayMsMax).default(300_000).meta({
    variable: 'OUTBOX_RETRY_MAX_DELAY_MS',
    description: 'The longest wait after a failure; not below what it begins from.',
  }),
  /** Whether chance shortens the waits, so that messages do not come back together. Default true. */
  jitter: z.boolean().default(true).meta({
    variable: 'OUTBOX_JITTER',
    description: 'Whether the wait after a failure is drawn from 0 to its length.',
  }),
  /** Milliseconds between two claims while there are messages. Default 5. */
  minCycleDelay: duration(0).default(5).meta({
    variable: 'OUTBOX_MIN_CYCLE_DELAY_MS',
    description: 'How long to wait between two claims while there are messages.',
  }),
  /** Milliseconds that a dispatch may take before its signal aborts and its attempt has failed. Default 30 000. */
  dispatchTimeout: duration(1, dispatchTimeoutMsMax).default(30_000).meta({
    variable: 'OUTBOX_DISPATCH_TIMEOUT_MS',
    description: 'How long a delivery may take before its attempt has failed. The lease follows from it.',
  }),
  /** Dispatches at once. Default 1. */
  concurrency: z.int().min(1).max(claimBatchMax).default(1).meta({
    variable: 'OUTBOX_CONCURRENCY',
    description: 'How many messages are delivered at once.',
  }),
  /** Milliseconds that running dispatches may go on after a stop before their signals abort. Default 10 000. */
  shutdownGrace: duration(0).default(10_000).meta({
    description: 'How long running deliveries may go on after a stop.',
  }),
  /** Milliseconds that delivered messages are kept; 0 is for ever. Default 1 day. */
  retention: z.int().min(0).max(retentionMsMax).default(86_400_000).meta({
    variable: 'OUTBOX_RETENTION',
    unit: 'duration',
    description: 'How long delivered messages are kept; 0 means for ever. Dead letters are kept for ever.',
  }),
  /** Milliseconds between two removals of what has been kept for long enough. Default 60 000. */
  retentionInterval: duration(1).default(60_000).meta({
    description: 'How often messages that have been kept for long enough are removed.',
  }),
  /** Milliseconds between two searches for messages whose relay was lost during their last attempt. Default 5 000. */
  recoveryInterval: duration(1).default(5_000).meta({
    description: 'How often messages are searched for whose relay died on the last attempt.',
  }),
  /** Whether the relay is told of new messages; false polls only, as through a transaction-mode pooler. Default true. */
  notifications: z.boolean().default(true).meta({
    description: 'Whether a connection listens for new messages; without it the relay only polls.',
  }),
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
 * its timeout, and a margin for the claim's and the completion's own way.
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
