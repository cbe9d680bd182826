import type { Limit, LimitInUse, LimitRule } from '@queue/core'
import { limitFields } from '@queue/core/fields'
import { z } from 'zod'
import { instantOutput } from './values.ts'

const rateSchema = z
  .strictObject({
    count: limitFields.rateCount.meta({ description: 'So many jobs may start …' }),
    per_ms: limitFields.ratePerMs.meta({ description: '… in so many milliseconds, …' }),
    burst: limitFields.rateBurst.meta({ description: '… and so many at once, after a pause.' }),
  })
  .meta({
    id: 'LimitRate',
    description: 'A token bucket: at most burst + t × count / per_ms jobs start in any t milliseconds.',
  })

const onRetry = limitFields.onRetry.meta({
  description:
    'What jobs behind one that is retried do: block until it has ended, which is the default, or continue.',
})
const orderDescription =
  'The jobs of each key start one after the other, by priority, run_at and id. Only for each_key.'

const fairDescription =
  'Tenants, or keys, take turns to start their jobs of one priority, however many wait of each. Only for queue.'
const weightDescription =
  'How many turns the tenant or key has for each of the others; null: one. Only for tenant and key.'

const waitingDescription =
  'Where so many of its jobs wait, enqueues are refused with queue_full. Counted each second. Only for queue and tenant.'

const queue = limitFields.queue.meta({ description: 'The queue.' })
const scope = limitFields.scope.meta({
  description:
    'What it is about: all of the queue, a kind in it, one key in it, each key in it that has no limit of its own, or a tenant in it.',
})
const name = limitFields.name
  .optional()
  .meta({ description: 'Of the kind, the key or the tenant; absent for the others.' })

/** Which limit is meant, as the query of a request. */
export const limitTargetQuery = z.strictObject({ queue, scope, name })

/** A limit to be set, as a client sends it. What is absent or null limits nothing. */
export const setLimitSchema = z
  .strictObject({
    queue,
    scope,
    name,
    max_running: limitFields.maxRunning
      .nullable()
      .optional()
      .meta({ description: 'At most so many of its jobs run at a time.' }),
    max_waiting: limitFields.maxWaiting.nullable().optional().meta({ description: waitingDescription }),
    rate: rateSchema.nullable().optional(),
    paused: limitFields.paused.optional().meta({
      description: 'Whether none of its jobs may start. Not for each_key.',
    }),
    ordered: z
      .strictObject({ on_retry: onRetry.optional() })
      .nullable()
      .optional()
      .meta({ description: orderDescription }),
    fair_by: limitFields.fairBy.nullable().optional().meta({ description: fairDescription }),
    weight: limitFields.weight.nullable().optional().meta({ description: weightDescription }),
  })
  .meta({ id: 'SetLimit', description: 'What holds from now on, in place of what held before.' })

const instant = (description: string) => instantOutput.meta({ description })

export const limitSchema = z
  .object({
    queue,
    scope,
    name: limitFields.name
      .nullable()
      .meta({ description: 'Of the kind, the key or the tenant; null for the others.' }),
    max_running: limitFields.maxRunning.nullable(),
    max_waiting: limitFields.maxWaiting.nullable().meta({ description: waitingDescription }),
    rate: rateSchema.nullable(),
    ordered: z.strictObject({ on_retry: onRetry }).nullable().meta({ description: orderDescription }),
    fair_by: limitFields.fairBy.nullable().meta({ description: fairDescription }),
    weight: limitFields.weight.nullable().meta({ description: weightDescription }),
    paused_at: instant('Since when none of its jobs may start; null while they may.').nullable(),
    created_at: instant('When it was first set.'),
    updated_at: instant('When it was last set.'),
  })
  .meta({ id: 'Limit', description: 'A limit. All that apply to a job hold for it.' })

export type WireLimit = z.output<typeof limitSchema>

export const limitInUseSchema = limitSchema
  .extend({
    running: z
      .int()
      .min(0)
      .nullable()
      .meta({
        description:
          'How many of its jobs run, by the counter that claims go by; of a key that several tenants have, those of the tenant with the ' +
          'most. Null where it does not bound them, and for each_key: the keys of the queue have that of each.',
      }),
  })
  .meta({ id: 'LimitInUse', description: 'A limit with how far it is used.' })

export function encodeLimit(limit: Limit): WireLimit {
  const { rate, ordered } = limit
  return {
    queue: limit.queue,
    scope: limit.scope,
    name: limit.name,
    max_running: limit.maxRunning,
    max_waiting: limit.maxWaiting,
    rate: rate && { count: rate.count, per_ms: rate.perMs, burst: rate.burst },
    ordered: ordered && { on_retry: ordered.onRetry },
    fair_by: limit.fairBy,
    weight: limit.weight,
    paused_at: limit.pausedAt && limit.pausedAt.toISOString(),
    created_at: limit.createdAt.toISOString(),
    updated_at: limit.updatedAt.toISOString(),
  }
}

export function encodeLimitInUse(limit: LimitInUse): z.output<typeof limitInUseSchema> {
  return { ...encodeLimit(limit), running: limit.running }
}

export function decodeLimitRule({
  max_running,
  max_waiting,
  rate,
  ordered,
  fair_by,
  ...rule
}: z.output<typeof setLimitSchema>): LimitRule {
  return {
    ...rule,
    maxRunning: max_running,
    maxWaiting: max_waiting,
    rate: rate && { count: rate.count, perMs: rate.per_ms, burst: rate.burst },
    ordered: ordered && { onRetry: ordered.on_retry },
    fairBy: fair_by,
  }
}

/** A limit as the documentation shows one. */
export const limitExample: WireLimit = {
  queue: 'default',
  scope: 'each_key',
  name: null,
  max_running: 5,
  max_waiting: null,
  rate: null,
  ordered: null,
  fair_by: null,
  weight: null,
  paused_at: null,
  created_at: '2026-01-15T09:30:00.000Z',
  updated_at: '2026-01-15T09:30:00.000Z',
}
