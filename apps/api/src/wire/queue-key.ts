import { limits, type QueueKey } from '@queue/core'
import { jobFields } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

/** The jobs of one key in a queue. */
export const queueKeySchema = z
  .object({
    key: jobFields.key
      .nullable()
      .meta({ description: 'Null without payload:read, as a key may be part of one.' }),
    tenant_id: jobFields.tenantId.nullable().meta({
      description:
        'Whose jobs these are; null: of jobs without a tenant. The same key of another tenant is another one.',
    }),
    waiting: z.int().min(0),
    waiting_is_least: z.boolean().meta({
      description: `Whether more may wait: where a queue has many, each key is counted to ${limits.queueKeyCountMax} alone.`,
    }),
    waiting_estimate: z.int().min(0).nullable().meta({
      description: 'How many wait by a sample; null where waiting says it, or nobody can.',
    }),
    running: z.int().min(0),
    oldest_ready_seconds: z.number().min(0).nullable().meta({
      description:
        'Seconds since its oldest waiting job became due; null when none is. Where more may wait, the oldest may be older.',
    }),
    state: z.enum(['open', 'paused', 'full', 'rate_spent']).meta({
      description:
        'Whether limits of the key let a job of it start. Those of its queue and kinds are not among them.',
    }),
    paused_at: instantOutput
      .nullable()
      .meta({ description: 'Since when a limit pauses it; null: none does.' }),
    max_running: z.int().min(1).nullable().meta({
      description: 'How many of its jobs may run at a time; null: any number.',
    }),
    rate_opens_at: instantOutput.nullable().meta({
      description: 'When its rate lets another job start; null where that is now.',
    }),
    is_ordered: z.boolean().meta({ description: 'Whether its jobs start one after the other.' }),
    has_limit: z.boolean().meta({ description: 'Whether there is a limit of this key by name.' }),
  })
  .meta({ id: 'QueueKey', description: 'The jobs of one key in a queue, with what limits them.' })

export type WireQueueKey = z.output<typeof queueKeySchema>

interface QueueKeyView {
  /** Whether its reader may see keys. */
  readonly showsKey: boolean
}

/** A key in the names and types of the wire. */
export function encodeQueueKey(one: QueueKey, { showsKey }: QueueKeyView): WireQueueKey {
  return {
    key: showsKey ? one.key : null,
    tenant_id: one.tenantId,
    waiting: one.waiting,
    waiting_is_least: one.waitingIsLeast,
    waiting_estimate: one.waitingEstimate,
    running: one.running,
    oldest_ready_seconds: one.oldestReadySeconds,
    state: one.state,
    paused_at: one.pausedAt?.toISOString() ?? null,
    max_running: one.maxRunning,
    rate_opens_at: one.rateOpensAt?.toISOString() ?? null,
    is_ordered: one.isOrdered,
    has_limit: one.hasLimit,
  }
}

/** A key as the documentation shows one. */
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
