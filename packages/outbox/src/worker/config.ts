import { type OptionsOf, parseOrThrow } from '@queue/core/internal'
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
 * Every setting: its bounds, its default, its environment variable if it has one, and its description in `--help` and the
 * documentation. Editors show the comments.
 */
const configFields = {
  /** Milliseconds from a poll that found no message to the next one. Default 100. */
  pollInterval: duration(1).default(100).meta({
    variable: 'OUTBOX_POLL_INTERVAL_MS',
    description: 'How long to wait before the next poll after one that found no message.',
  }),
  /** The most messages in one claim. Default 10. */
  batchSize: z.int().min(1).max(claimBatchMax).default(10).meta({
    variable: 'OUTBOX_BATCH_SIZE',
    description: 'The most messages that one claim takes.',
  }),
  /** Attempts, including the first, before a message becomes a dead letter. Default 5. */
  maxAttempts: z.int().min(1).max(maxAttemptsMax).default(5).meta({
    variable: 'OUTBOX_MAX_ATTEMPTS',
    description: 'How many attempts a message gets before it becomes a dead letter.',
  }),
  /** Milliseconds of the first wait between two attempts; see `nextRetryDelay`. Default 1 000. */
  retryBaseDelay: duration(1, retryMaxDelayMsMax).default(1_000).meta({
    variable: 'OUTBOX_RETRY_BASE_DELAY_MS',
    description:
      'The base of the wait after a failure: after failure n the wait is this · 2ⁿ, up to the longest wait.',
  }),
  /** Milliseconds of the longest wait between two attempts. Default 300 000. */
  retryMaxDelay: duration(1, retryMaxDelayMsMax).default(300_000).meta({
    variable: 'OUTBOX_RETRY_MAX_DELAY_MS',
    description: 'The longest wait after a failure; at least the base.',
  }),
  /** Whether the waits are shortened at random, so that messages are not all retried at the same time. Default true. */
  jitter: z.boolean().default(true).meta({
    variable: 'OUTBOX_JITTER',
    description: 'Whether the wait after a failure is a random time between 0 and its full length.',
  }),
  /** Milliseconds between two claims while there are messages. Default 5. */
  minCycleDelay: duration(0).default(5).meta({
    variable: 'OUTBOX_MIN_CYCLE_DELAY_MS',
    description: 'How long to wait between two claims while there are messages.',
  }),
  /** Milliseconds that a dispatch may take before its signal aborts and its attempt counts as failed. Default 30 000. */
  dispatchTimeout: duration(1, dispatchTimeoutMsMax).default(30_000).meta({
    variable: 'OUTBOX_DISPATCH_TIMEOUT_MS',
    description:
      'How long a delivery may take before its attempt counts as failed. The lease is derived from it.',
  }),
  /** How many dispatches run at once. Default 1. */
  concurrency: z.int().min(1).max(claimBatchMax).default(1).meta({
    variable: 'OUTBOX_CONCURRENCY',
    description: 'How many messages are delivered at once.',
  }),
  /** Milliseconds that running dispatches may continue after a stop before their signals abort. Default 10 000. */
  shutdownGrace: duration(0).default(10_000).meta({
    description: 'How long running deliveries may continue after a stop.',
  }),
  /** Milliseconds that delivered messages are kept; 0 is forever. Default 1 day. */
  retention: z.int().min(0).max(retentionMsMax).default(86_400_000).meta({
    variable: 'OUTBOX_RETENTION',
    unit: 'duration',
    description: 'How long delivered messages are kept; 0 means forever. Dead letters are kept forever.',
  }),
  /** Milliseconds between two removals of messages past their retention. Default 60 000. */
  retentionInterval: duration(1).default(60_000).meta({
    description: 'How often messages past their retention are removed.',
  }),
  /** Milliseconds between two searches for messages whose relay was lost during their last attempt. Default 5 000. */
  recoveryInterval: duration(1).default(5_000).meta({
    description: 'How often the relay looks for messages whose relay was lost during their last attempt.',
  }),
  /**
   * Whether the relay listens for new messages. Set false behind a pooler in transaction mode: it then only polls. Default true.
   */
  notifications: z.boolean().default(true).meta({
    description: 'Whether a connection listens for new messages; if not, the relay only polls.',
  }),
}

/** The settings of a relay, with bounds and defaults. All durations are in milliseconds. */
export const outboxWorkerConfigSchema = z
  .strictObject(configFields)
  .refine((config) => config.retryMaxDelay >= config.retryBaseDelay, {
    path: ['retryMaxDelay'],
    message: 'must not be below retryBaseDelay',
  })

/** The settings of a relay, all present. */
export type OutboxWorkerConfig = {
  readonly [Name in keyof typeof configFields]: z.output<(typeof configFields)[Name]>
}

/** The settings of a relay that differ from the defaults. */
export type OutboxWorkerSettings = OptionsOf<typeof configFields>

/** The configuration with its defaults. Throws `InvalidInput` (`invalid_options`), which names each invalid member. */
export function parseConfig(config: OutboxWorkerSettings): OutboxWorkerConfig {
  return parseOrThrow(outboxWorkerConfigSchema, config, 'invalid_options')
}

/**
 * How long a claim holds its messages: the time of their dispatches, one after the other in all slots, each up to its timeout,
 * plus a margin for the claim and the completion.
 */
export function leaseMsOf(
  config: Pick<OutboxWorkerConfig, 'batchSize' | 'concurrency' | 'dispatchTimeout'>,
): number {
  return roundsOf(config) * config.dispatchTimeout + leaseMarginMs
}

/** How many dispatches of a batch run one after the other in a slot. */
export function roundsOf({
  batchSize,
  concurrency,
}: Pick<OutboxWorkerConfig, 'batchSize' | 'concurrency'>): number {
  return Math.ceil(batchSize / concurrency)
}
