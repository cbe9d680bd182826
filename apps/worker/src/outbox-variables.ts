import { duration, durationMs, integer, onOff, optionalDatabaseUrl, schemaName } from '@queue/service'

const dayMs = 86_400_000
const weekMs = 7 * dayMs

/** Whether this process relays an outbox beside its jobs, and how. The bounds are those of `@queue/outbox`. */
export const outboxVariables = {
  WORKER_OUTBOX: onOff({
    description:
      'Whether this process also relays an outbox: each message whose topic is the name of a built-in kind becomes ' +
      'a job of that kind.',
    default: 'off',
  }),
  OUTBOX_DATABASE_URL: optionalDatabaseUrl({
    description: 'The database of the service that publishes; unset: the one of DATABASE_URL.',
  }),
  OUTBOX_SCHEMA: schemaName({
    description: 'The PostgreSQL schema that holds the outbox.',
    default: 'outbox',
  }),
  OUTBOX_CONCURRENCY: integer({
    description: 'How many messages are delivered at once.',
    default: 1,
    min: 1,
    max: 1_000,
  }),
  OUTBOX_BATCH_SIZE: integer({
    description: 'How many messages one claim takes at most.',
    default: 10,
    min: 1,
    max: 1_000,
  }),
  OUTBOX_POLL_INTERVAL_MS: durationMs({
    description: 'How long to wait before asking again after no message was found.',
    default: 100,
    min: 1,
    max: 3_600_000,
  }),
  OUTBOX_MIN_CYCLE_DELAY_MS: durationMs({
    description: 'How long to wait between two claims while there are messages.',
    default: 5,
    min: 0,
    max: 3_600_000,
  }),
  OUTBOX_DISPATCH_TIMEOUT_MS: durationMs({
    description: 'How long a delivery may take before its attempt has failed. The lease follows from it.',
    default: 30_000,
    min: 1,
    max: dayMs,
  }),
  OUTBOX_MAX_ATTEMPTS: integer({
    description: 'How many attempts a message has before it is a dead letter.',
    default: 5,
    min: 1,
    max: 100,
  }),
  OUTBOX_RETRY_BASE_DELAY_MS: durationMs({
    description:
      'What the wait after a failure begins from; it doubles with each. At most the maximum below.',
    default: 1_000,
    min: 1,
    max: weekMs,
  }),
  OUTBOX_RETRY_MAX_DELAY_MS: durationMs({
    description: 'The longest wait after a failure.',
    default: 300_000,
    min: 1,
    max: weekMs,
  }),
  OUTBOX_JITTER: onOff({
    description: 'Whether the wait after a failure is drawn from 0 to its length.',
    default: 'on',
  }),
  OUTBOX_RETENTION: duration({
    description: 'How long delivered messages are kept. Dead letters are kept for ever.',
    default: '1d',
    zero: 'keeps them for ever',
  }),
}
