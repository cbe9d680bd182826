import { limits } from '@queue/core'
import {
  bindAddress,
  choice,
  databaseVariables,
  durationMs,
  integer,
  logVariables,
  optionalSecret,
  poolVariables,
} from '@queue/service'
import { z } from 'zod'
import { bindAddressDefault } from './bind-address-default.ts'
import { connectionsMaxDefault, requestTimeoutMsDefault } from './http/limits.ts'
import { idempotencyMismatches } from './services.ts'

/** The environment variables of the API. */
export const configSchema = z.object({
  ...databaseVariables,
  DATABASE_POOL_MAX: poolVariables.DATABASE_POOL_MAX,
  DATABASE_ACQUIRE_TIMEOUT_MS: poolVariables.DATABASE_ACQUIRE_TIMEOUT_MS,
  DATABASE_IDLE_TIMEOUT_MS: poolVariables.DATABASE_IDLE_TIMEOUT_MS,
  DATABASE_POOLER: poolVariables.DATABASE_POOLER,
  ...logVariables,
  API_BIND_ADDR: bindAddress({ description: 'Where the API listens.', default: bindAddressDefault }),
  API_TOKEN: optionalSecret({
    description: 'The bearer token that every request but a probe must carry. Unset: anyone may do anything.',
  }),
  API_REQUEST_TIMEOUT_MS: durationMs({
    description: 'How long a request may take before it is answered with 504.',
    default: requestTimeoutMsDefault,
    min: 100,
    max: 600_000,
  }),
  API_SHUTDOWN_GRACE_MS: durationMs({
    description: 'How long requests in flight may go on after SIGTERM.',
    default: 30_000,
    min: 0,
    max: 600_000,
  }),
  API_MAX_CONNECTIONS: integer({
    description: 'How many connections are open at once at most.',
    default: connectionsMaxDefault,
    min: 1,
    max: 1_000_000,
  }),
  API_ENQUEUE_WAITING_MAX: integer({
    description:
      'How many jobs may wait to be written at once; a POST /jobs beyond them is answered with 503.',
    default: limits.enqueueWaitingMax,
    min: 1,
    max: 1_000_000,
  }),
  IDEMPOTENCY_MISMATCH: choice({
    description:
      'What becomes of a known idempotency key with a different request: replay answers with the original job and ' +
      'says so in a header, reject answers 422.',
    choices: idempotencyMismatches,
    default: 'replay',
  }),
})

export type Config = z.output<typeof configSchema>
