import { type QueueKey, limits } from '@queue/core'
import { instantOutput, jobFields } from '@queue/core/internal'
import { z } from 'zod'

/** The jobs of one key in a queue, as the API shows them. */
export const queueKeySchema = z
  .object({
    key: jobFields.key.meta({ description: 'The key. It is never hidden.' }),
    tenant_id: jobFields.tenantId.nullable().meta({
      description: 'Tenant of the jobs. Null for jobs without a tenant. Each tenant has its own keys.',
    }),
    waiting: z.int().min(0).meta({ description: 'Number of waiting jobs that were counted.' }),
    waiting_is_least: z.boolean().meta({
      description: `Whether waiting is a lower bound: in a large queue, each key is counted up to ${limits.queueKeyCountMax}.`,
    }),
    waiting_estimate: z.int().min(0).nullable().meta({
      description:
        'Estimated number of waiting jobs, from a sample. Null if waiting is exact or there is no estimate.',
    }),
    running: z.int().min(0).meta({ description: 'Number of running jobs.' }),
    oldest_ready_seconds: z
      .number()
      .min(0)
      .nullable()
      .meta({
        description:
          'Seconds since the oldest waiting job became due. Null if none is due. If waiting is a lower bound, an older job ' +
          'can exist.',
      }),
    state: z.enum(['open', 'paused', 'full', 'rate_spent']).meta({
      description:
        'Whether limits on the key let a job start. `open`: yes. `paused`: a limit pauses it. `full`: its concurrency ' +
        'limit is reached. `rate_spent`: its rate limit is used up. Limits of the queue and of kinds are not considered.',
    }),
    paused_at: instantOutput
      .nullable()
      .meta({ description: 'Time since when a limit pauses the key. Null if none does.' }),
    max_running: z.int().min(1).nullable().meta({
      description: 'Maximum number of running jobs. Null if it is not limited.',
    }),
    rate_opens_at: instantOutput.nullable().meta({
      description: 'Time when the rate limit lets another job start. Null if it does now.',
    }),
    is_ordered: z.boolean().meta({ description: 'Whether the jobs of the key start one after the other.' }),
    has_limit: z.boolean().meta({ description: 'Whether the key has a limit of its own.' }),
  })
  .meta({ id: 'QueueKey', description: 'The jobs of one key in a queue, with their limits.' })

export type WireQueueKey = z.output<typeof queueKeySchema>

/** Encodes a queue key for the wire. */
export function encodeQueueKey(queueKey: QueueKey): WireQueueKey {
  return {
    key: queueKey.key,
    tenant_id: queueKey.tenantId,
    waiting: queueKey.waiting,
    waiting_is_least: queueKey.waitingIsLeast,
    waiting_estimate: queueKey.waitingEstimate,
    running: queueKey.running,
    oldest_ready_seconds: queueKey.oldestReadySeconds,
    state: queueKey.state,
    paused_at: queueKey.pausedAt?.toISOString() ?? null,
    max_running: queueKey.maxRunning,
    rate_opens_at: queueKey.rateOpensAt?.toISOString() ?? null,
    is_ordered: queueKey.isOrdered,
    has_limit: queueKey.hasLimit,
  }
}

/** The example of the documentation. */
export const queueKeyExample: WireQueueKey = {
  key: 'customer-42',
  tenant_id: null,
  waiting: 1_000,
  waiting_is_least: true,
  waiting_estimate: 812_000,
  running: 5,
  oldest_ready_seconds: 93.5,
  state: 'full',
  paused_at: null,
  max_running: 5,
  rate_opens_at: null,
  is_ordered: false,
  has_limit: false,
}
