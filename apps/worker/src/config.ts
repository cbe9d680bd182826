import { databaseVariables, logVariables, poolVariables } from '@queue/service'
import { z } from 'zod'
import { outboxVariables } from './outbox-variables.ts'
import { retentionVariables } from './retention-variables.ts'
import { simulationVariables } from './simulation-variables.ts'
import { workerVariables } from './worker-variables.ts'

/** How many renewals fit into a lease: two may fail, and the third still comes in time. */
const renewalsPerLease = 3

/** The environment of a worker process. */
export const workerConfig = z
  .object({
    ...databaseVariables,
    ...poolVariables,
    ...workerVariables,
    ...retentionVariables,
    ...simulationVariables,
    ...outboxVariables,
    ...logVariables,
  })
  .superRefine((config, context) => {
    const { WORKER_LEASE_MS: leaseMs, WORKER_HEARTBEAT_MS: heartbeatMs } = config
    if (heartbeatMs * renewalsPerLease > leaseMs) {
      context.addIssue({
        code: 'custom',
        path: ['WORKER_HEARTBEAT_MS'],
        message: `"${heartbeatMs}" is more than a third of WORKER_LEASE_MS, which is ${leaseMs}`,
      })
    }
  })
  .refine((config) => config.WORKER_MAX_POLL_INTERVAL_MS >= config.WORKER_POLL_INTERVAL_MS, {
    path: ['WORKER_MAX_POLL_INTERVAL_MS'],
    message: 'is below WORKER_POLL_INTERVAL_MS',
  })
  .refine((config) => config.OUTBOX_RETRY_MAX_DELAY_MS >= config.OUTBOX_RETRY_BASE_DELAY_MS, {
    path: ['OUTBOX_RETRY_MAX_DELAY_MS'],
    message: 'is below OUTBOX_RETRY_BASE_DELAY_MS',
  })
  .refine((config) => config.DATABASE_POOLER !== 'transaction' || config.WORKER_NOTIFY !== true, {
    path: ['WORKER_NOTIFY'],
    message:
      'is on, and DATABASE_POOLER is transaction: such a pooler gives every transaction another connection, and ' +
      'LISTEN belongs to one; leave WORKER_NOTIFY unset, or give a DATABASE_URL that goes past the pooler',
  })

export type WorkerConfig = z.output<typeof workerConfig>
